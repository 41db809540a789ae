#include "config/config_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/yaml.h"
#include "sm/base/buf.h"
#include "sm/base/file.h"
#include "sm/base/mem.h"

static struct config_file *
add_file(struct config_files *all, const char *name)
{
	all->item = mem_grow(all->item, all->n, &all->cap, sizeof(*all->item));
	all->item[all->n] = (struct config_file){.name = mem_strdup(name)};
	return &all->item[all->n++];
}

static void
read_file(struct config_file *f, bool must_exist)
{
	/* O_NONBLOCK: a FIFO must not hang a reload */
	int fd = open(f->name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	/* one byte more than is allowed tells that it is too large */
	ssize_t n =
		fd < 0 ? -1
		       : file_read_regular(fd, YAML_MAX_BYTES + 1, &f->text);
	struct stat st;

	f->absent = fd < 0 && errno == ENOENT && !must_exist;
	if (n >= 0) {
		f->len = (size_t)n;
		f->open = fstat(fd, &st) == 0 && (st.st_mode & S_IROTH) != 0;
	} else if (!f->absent) {
		(void)reason_set(&f->why, "cannot be read: %s",
			errno == EINVAL ? "not a regular file"
					: strerror(errno));
	}
	if (fd >= 0)
		(void)close(fd);
}

static int
is_drop_in(const struct dirent *e)
{
	size_t n = strlen(e->d_name);

	return e->d_name[0] != '.' && n > 5 &&
	       strcmp(e->d_name + n - 5, ".yaml") == 0;
}

/* Not alphasort, which goes by the language of the user. */
static int
by_bytes(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static void
read_drop_ins(struct config_files *all, const char *dir)
{
	struct dirent **name = NULL;
	int n = scandir(dir, &name, is_drop_in, by_bytes);

	if (n < 0 && errno != ENOENT)
		(void)reason_set(&add_file(all, dir)->why, "cannot be read: %s",
			strerror(errno));
	if (n > CONFIG_FILES_MAX)
		(void)reason_set(&add_file(all, dir)->why,
			"%d files, more than %d", n, CONFIG_FILES_MAX);
	for (int i = 0; i < n; i++) {
		struct buf path = {0};

		buf_printf(&path, "%s/%s", dir, name[i]->d_name);
		if (n <= CONFIG_FILES_MAX)
			read_file(add_file(all, path.text), true);
		buf_free(&path);
		free(name[i]);
	}
	free(name);
}

void
config_files_read(struct config_files *all, const char *file, bool must_exist)
{
	struct buf dir = {0};

	*all = (struct config_files){0};
	read_file(add_file(all, file), must_exist);
	buf_printf(&dir, "%s.d", file);
	read_drop_ins(all, dir.text);
	buf_free(&dir);
}

void
config_files_free(struct config_files *all)
{
	for (size_t i = 0; i < all->n; i++) {
		free(all->item[i].name);
		free(all->item[i].text);
	}
	free(all->item);
	*all = (struct config_files){0};
}
