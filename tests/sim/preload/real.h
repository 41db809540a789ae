/*
 * real: the functions of libc that this library wraps - or those of the next
 * library that wraps them too (a sanitizer's come before ours).
 */
#ifndef HEDDLE_TESTS_SIM_PRELOAD_REAL_H
#define HEDDLE_TESTS_SIM_PRELOAD_REAL_H

#include <dirent.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/types.h>

typedef int real_select(const struct dirent *);
typedef int real_compare(const struct dirent **, const struct dirent **);

#define REAL_LIST(X)                                                           \
	X(int, open, (const char *path, int flags, mode_t mode),               \
		(path, flags, mode))                                           \
	X(int, openat, (int dir, const char *path, int flags, mode_t mode),    \
		(dir, path, flags, mode))                                      \
	X(int, close, (int fd), (fd))                                          \
	X(ssize_t, read, (int fd, void *buf, size_t n), (fd, buf, n))          \
	X(ssize_t, write, (int fd, const void *buf, size_t n), (fd, buf, n))   \
	X(int, ioctl, (int fd, unsigned long request, void *arg),              \
		(fd, request, arg))                                            \
	X(int, dup2, (int from, int to), (from, to))                           \
	X(int, dup3, (int from, int to, int flags), (from, to, flags))         \
	X(FILE *, fopen, (const char *path, const char *mode), (path, mode))   \
	X(int, stat, (const char *path, struct stat *st), (path, st))          \
	X(int, lstat, (const char *path, struct stat *st), (path, st))         \
	X(int, access, (const char *path, int mode), (path, mode))             \
	X(DIR *, opendir, (const char *path), (path))                          \
	X(struct dirent *, readdir, (DIR * dir), (dir))                        \
	X(int, closedir, (DIR * dir), (dir))                                   \
	X(int, dirfd, (DIR * dir), (dir))                                      \
	X(int, scandir,                                                        \
		(const char *path, struct dirent ***list, real_select *select, \
			real_compare *compare),                                \
		(path, list, select, compare))

#define REAL_DECLARE(type, name, parameters, arguments)                        \
	type real_##name parameters;
REAL_LIST(REAL_DECLARE)
#undef REAL_DECLARE

#endif
