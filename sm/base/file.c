#include "sm/base/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "sm/base/mem.h"

static int
make_one(const char *dir, struct reason *why)
{
	struct stat st;

	if (mkdir(dir, 0755) == 0)
		return 0;
	if (errno == EEXIST && stat(dir, &st) == 0 && S_ISDIR(st.st_mode))
		return 0;
	return reason_set(why, "cannot make directory %s: %s", dir,
		strerror(errno == EEXIST ? ENOTDIR : errno));
}

int
file_make_dirs(const char *dir, struct reason *why)
{
	char *copy = mem_strdup(dir);
	int ret = 0;

	for (char *p = copy + 1; *copy != '\0' && *p != '\0' && ret == 0; p++) {
		if (*p != '/')
			continue;
		*p = '\0';
		ret = make_one(copy, why);
		*p = '/';
	}
	if (ret == 0 && *copy != '\0')
		ret = make_one(copy, why);
	free(copy);
	return ret;
}

int
file_make_parent(const char *file, struct reason *why)
{
	const char *slash = strrchr(file, '/');
	char *dir;
	int ret;

	if (slash == NULL || slash == file)
		return 0;
	dir = mem_dup(file, (size_t)(slash - file) + 1);
	dir[slash - file] = '\0';
	ret = file_make_dirs(dir, why);
	free(dir);
	return ret;
}
