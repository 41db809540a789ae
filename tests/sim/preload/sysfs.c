#include "tests/sim/preload/sysfs.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "tests/sim/preload/device.h"
#include "tests/sim/preload/link.h"

#define DEV_DIR "/dev/infiniband"

enum { UMAD_MAJOR = 231 }; /* as the kernel's devices have */

struct sysfs_dir {
	struct sysfs_dir *next;
	size_t at, n;
	struct dirent now;
	char names[PROTO_TEXT];
};

/*
 * Open directories, so that readdir can tell them from libc's. Global, as the
 * wrappers of libc have no other place for them.
 */
/* NOLINTBEGIN(cppcoreguidelines-avoid-non-const-global-variables) */
static _Atomic(struct sysfs_dir *) dirs;
static pthread_mutex_t dirs_lock = PTHREAD_MUTEX_INITIALIZER;
/* NOLINTEND(cppcoreguidelines-avoid-non-const-global-variables) */

bool
sysfs_has(const char *path)
{
	static const char *const roots[] = {
		"/sys/class/infiniband", "/sys/class/infiniband_mad", DEV_DIR};

	if (path == NULL || path[0] != '/')
		return false;
	for (size_t i = 0; i < sizeof(roots) / sizeof(roots[0]); i++) {
		size_t n = strlen(roots[i]);

		if (strncmp(path, roots[i], n) == 0 &&
			(path[n] == '/' || path[n] == '\0'))
			return true;
	}
	return false;
}

/* Ask for a path: its kind, or -1. text: PROTO_TEXT + 1 bytes. */
static int
ask_server(const char *path, char *text, size_t *n)
{
	struct proto_hello h = {.want = PROTO_WANT_FILE};
	struct proto_answer a;

	if (strlen(path) >= sizeof(h.path)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	memcpy(h.path, path, strlen(path));
	if (link_query(&h, &a, text) < 0) {
		if (errno == ENXIO)
			errno = ENOENT; /* as without any hardware */
		return -1;
	}
	text[a.bytes] = '\0';
	*n = a.bytes;
	return (int)a.value;
}

/* The number behind a word, as in umad12; false if the path is another. */
static bool
device_number(const char *path, const char *word, uint32_t *number)
{
	size_t n = strlen(DEV_DIR "/"), w = strlen(word);
	char *end;

	if (strncmp(path, DEV_DIR "/", n) != 0 ||
		strncmp(path + n, word, w) != 0 || path[n + w] < '0' ||
		path[n + w] > '9')
		return false;
	*number = (uint32_t)strtoul(path + n + w, &end, 10);
	return *end == '\0';
}

static int
text_file(const char *text, size_t n, int flags)
{
	int fd = memfd_create(
		"heddle-sysfs", (flags & O_CLOEXEC) ? MFD_CLOEXEC : 0);

	if (fd < 0)
		return -1;
	if (real_write(fd, text, n) != (ssize_t)n ||
		lseek(fd, 0, SEEK_SET) != 0) {
		link_close(fd);
		errno = EIO;
		return -1;
	}
	return fd;
}

int
sysfs_open(const char *path, int flags)
{
	char text[PROTO_TEXT + 1];
	uint32_t number;
	size_t n;
	int kind;

	if (device_number(path, "umad", &number))
		return device_open(false, number, flags);
	if (device_number(path, "issm", &number))
		return device_open(true, number, flags);
	kind = ask_server(path, text, &n);
	if (kind < 0)
		return -1;
	if (kind != PROTO_FILE_TEXT)
		errno = EISDIR;
	else if ((flags & O_ACCMODE) != O_RDONLY)
		errno = EACCES;
	else
		return text_file(text, n, flags);
	return -1;
}

FILE *
sysfs_fopen(const char *path, const char *mode)
{
	int fd = sysfs_open(
		path, mode[0] == 'r' && !strchr(mode, '+') ? O_RDONLY : O_RDWR);
	FILE *f;

	if (fd < 0)
		return NULL;
	f = fdopen(fd, mode);
	if (f == NULL)
		link_close(fd);
	return f;
}

int
sysfs_stat(const char *path, struct stat *st)
{
	char text[PROTO_TEXT + 1];
	size_t n;
	int kind = ask_server(path, text, &n);

	if (kind < 0)
		return -1;
	memset(st, 0, sizeof(*st));
	st->st_nlink = 1;
	st->st_blksize = 4096;
	switch (kind) {
	case PROTO_FILE_DIR:
		st->st_mode = S_IFDIR | 0555;
		break;
	case PROTO_FILE_DEVICE:
		st->st_mode = S_IFCHR | 0600;
		st->st_rdev = makedev(UMAD_MAJOR, 0);
		break;
	default:
		st->st_mode = S_IFREG | 0444;
		st->st_size = 4096; /* as of all files in sysfs */
		break;
	}
	return 0;
}

int
sysfs_access(const char *path, int mode)
{
	struct stat st;

	if (sysfs_stat(path, &st) < 0)
		return -1;
	if ((mode & W_OK) && !S_ISCHR(st.st_mode)) {
		errno = EACCES;
		return -1;
	}
	return 0;
}

struct sysfs_dir *
sysfs_opendir(const char *path)
{
	struct sysfs_dir *d = calloc(1, sizeof(*d));
	char text[PROTO_TEXT + 1];
	int kind;

	if (d == NULL)
		return NULL;
	kind = ask_server(path, text, &d->n);
	if (kind != PROTO_FILE_DIR) {
		if (kind >= 0)
			errno = ENOTDIR;
		free(d);
		return NULL;
	}
	memcpy(d->names, text, d->n);
	(void)pthread_mutex_lock(&dirs_lock);
	d->next = atomic_load(&dirs);
	atomic_store(&dirs, d);
	(void)pthread_mutex_unlock(&dirs_lock);
	return d;
}

struct sysfs_dir *
sysfs_dir(const void *dir)
{
	struct sysfs_dir *d;

	if (atomic_load_explicit(&dirs, memory_order_relaxed) == NULL)
		return NULL;
	(void)pthread_mutex_lock(&dirs_lock);
	for (d = atomic_load(&dirs); d != NULL && (const void *)d != dir;)
		d = d->next;
	(void)pthread_mutex_unlock(&dirs_lock);
	return d;
}

struct dirent *
sysfs_readdir(struct sysfs_dir *d)
{
	size_t n;

	if (d->at >= d->n)
		return NULL;
	n = strnlen(d->names + d->at, d->n - d->at);
	d->now.d_ino = d->at + 1;
	d->now.d_off = (off_t)(d->at + n + 1);
	d->now.d_reclen = sizeof(d->now);
	d->now.d_type = DT_UNKNOWN;
	if (n >= sizeof(d->now.d_name))
		n = sizeof(d->now.d_name) - 1;
	memcpy(d->now.d_name, d->names + d->at, n);
	d->now.d_name[n] = '\0';
	d->at = (size_t)d->now.d_off;
	return &d->now;
}

int
sysfs_closedir(struct sysfs_dir *d)
{
	struct sysfs_dir *p;

	(void)pthread_mutex_lock(&dirs_lock);
	p = atomic_load(&dirs);
	if (p == d)
		atomic_store(&dirs, d->next);
	for (; p != NULL; p = p->next)
		if (p->next == d)
			p->next = d->next;
	(void)pthread_mutex_unlock(&dirs_lock);
	free(d);
	return 0;
}

static int
list_append(struct dirent ***list, int n, const struct dirent *e)
{
	struct dirent **more = realloc(*list, ((size_t)n + 1) * sizeof(void *));

	if (more == NULL)
		return -1;
	*list = more;
	more[n] = malloc(sizeof(*e));
	if (more[n] == NULL)
		return -1;
	memcpy(more[n], e, sizeof(*e));
	return 0;
}

int
sysfs_scandir(const char *path, struct dirent ***list, real_select *select,
	real_compare *compare)
{
	struct sysfs_dir *d = sysfs_opendir(path);
	struct dirent **out = NULL;
	const struct dirent *e;
	int n = 0;

	if (d == NULL)
		return -1;
	while ((e = sysfs_readdir(d)) != NULL) {
		if (select != NULL && !select(e))
			continue;
		if (list_append(&out, n, e) < 0) {
			while (n > 0)
				free(out[--n]);
			free(out);
			(void)sysfs_closedir(d);
			errno = ENOMEM;
			return -1;
		}
		n++;
	}
	(void)sysfs_closedir(d);
	if (n > 0 && compare != NULL)
		qsort(out, (size_t)n, sizeof(void *),
			(int (*)(const void *, const void *))compare);
	*list = out;
	return n;
}
