/*
 * wrap: the wrappers of libc's functions in libheddle-umad.so, which are all
 * that it exports. Each checks whether the call is about the simulator and
 * passes it on otherwise.
 *
 *	IBSIM_SOCKNAME=name SIM_HOST=node LD_PRELOAD=libheddle-umad.so saquery
 *
 * A program built with AddressSanitizer needs its runtime first, which wraps
 * the same functions and goes on to these:
 *
 *	LD_PRELOAD="libasan.so.8 libheddle-umad.so" heddled ...
 *
 * Limits: a dup() of a umad device's descriptor is no device, nor is a
 * descriptor that a program inherits. fork() works.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/sim/preload/device.h"
#include "tests/sim/preload/real.h"
#include "tests/sim/preload/sysfs.h"

#define EXPORT __attribute__((visibility("default")))

/* If file offsets are 64 bits anyway, both families are the same. */
_Static_assert(sizeof(struct stat) == sizeof(struct stat64), "LP64");
_Static_assert(sizeof(struct dirent) == sizeof(struct dirent64), "LP64");

/* Called by programs built with _FORTIFY_SOURCE. */
/* NOLINTBEGIN(bugprone-reserved-identifier,cert-dcl*): they are libc's names */
EXPORT int __open_2(const char *path, int flags);
EXPORT int __open64_2(const char *path, int flags);
EXPORT ssize_t __read_chk(int fd, void *buf, size_t n, size_t room);
/* NOLINTEND(bugprone-reserved-identifier,cert-dcl*) */

static mode_t
mode_of(int flags, va_list ap)
{
	return (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE
		       ? va_arg(ap, mode_t)
		       : 0;
}

static int
open_any(int dir, const char *path, int flags, mode_t mode)
{
	if (sysfs_has(path))
		return sysfs_open(path, flags);
	return dir == AT_FDCWD ? real_open(path, flags, mode)
			       : real_openat(dir, path, flags, mode);
}

EXPORT int
open(const char *path, int flags, ...)
{
	va_list ap;
	mode_t mode;

	va_start(ap, flags);
	mode = mode_of(flags, ap);
	va_end(ap);
	return open_any(AT_FDCWD, path, flags, mode);
}

EXPORT int
open64(const char *path, int flags, ...)
{
	va_list ap;
	mode_t mode;

	va_start(ap, flags);
	mode = mode_of(flags, ap);
	va_end(ap);
	return open_any(AT_FDCWD, path, flags | O_LARGEFILE, mode);
}

EXPORT int
openat(int dir, const char *path, int flags, ...)
{
	va_list ap;
	mode_t mode;

	va_start(ap, flags);
	mode = mode_of(flags, ap);
	va_end(ap);
	return open_any(dir, path, flags, mode);
}

EXPORT int
openat64(int dir, const char *path, int flags, ...)
{
	va_list ap;
	mode_t mode;

	va_start(ap, flags);
	mode = mode_of(flags, ap);
	va_end(ap);
	return open_any(dir, path, flags | O_LARGEFILE, mode);
}

EXPORT int
__open_2(const char *path, int flags)
{
	return open_any(AT_FDCWD, path, flags, 0);
}

EXPORT int
__open64_2(const char *path, int flags)
{
	return open_any(AT_FDCWD, path, flags | O_LARGEFILE, 0);
}

EXPORT int
close(int fd)
{
	device_forget(fd);
	return real_close(fd);
}

EXPORT int
dup2(int from, int to)
{
	if (from != to)
		device_forget(to);
	return real_dup2(from, to);
}

EXPORT int
dup3(int from, int to, int flags)
{
	if (from != to)
		device_forget(to);
	return real_dup3(from, to, flags);
}

EXPORT ssize_t
read(int fd, void *buf, size_t n)
{
	struct device *d = device_at(fd);

	return d != NULL ? device_read(d, fd, buf, n) : real_read(fd, buf, n);
}

EXPORT ssize_t
__read_chk(int fd, void *buf, size_t n, size_t room)
{
	if (n > room)
		abort();
	return read(fd, buf, n);
}

EXPORT ssize_t
write(int fd, const void *buf, size_t n)
{
	struct device *d = device_at(fd);

	return d != NULL ? device_write(d, fd, buf, n) : real_write(fd, buf, n);
}

EXPORT int
ioctl(int fd, unsigned long request, ...)
{
	struct device *d = device_at(fd);
	bool done = false;
	va_list ap;
	void *arg;
	int rc = 0;

	va_start(ap, request);
	arg = va_arg(ap, void *);
	va_end(ap);
	if (d != NULL)
		rc = device_ioctl(d, request, arg, &done);
	return done ? rc : real_ioctl(fd, request, arg);
}

EXPORT FILE *
fopen(const char *path, const char *mode)
{
	return sysfs_has(path) ? sysfs_fopen(path, mode)
			       : real_fopen(path, mode);
}

EXPORT FILE *
fopen64(const char *path, const char *mode)
{
	return fopen(path, mode);
}

EXPORT int
stat(const char *path, struct stat *st)
{
	return sysfs_has(path) ? sysfs_stat(path, st) : real_stat(path, st);
}

EXPORT int
stat64(const char *path, struct stat64 *st)
{
	return stat(path, (struct stat *)(void *)st);
}

EXPORT int
lstat(const char *path, struct stat *st)
{
	return sysfs_has(path) ? sysfs_stat(path, st) : real_lstat(path, st);
}

EXPORT int
lstat64(const char *path, struct stat64 *st)
{
	return lstat(path, (struct stat *)(void *)st);
}

EXPORT int
access(const char *path, int mode)
{
	return sysfs_has(path) ? sysfs_access(path, mode)
			       : real_access(path, mode);
}

EXPORT DIR *
opendir(const char *path)
{
	return sysfs_has(path) ? (DIR *)(void *)sysfs_opendir(path)
			       : real_opendir(path);
}

EXPORT struct dirent *
readdir(DIR *dir)
{
	struct sysfs_dir *d = sysfs_dir(dir);

	return d != NULL ? sysfs_readdir(d) : real_readdir(dir);
}

EXPORT struct dirent64 *
readdir64(DIR *dir)
{
	return (struct dirent64 *)(void *)readdir(dir);
}

EXPORT int
closedir(DIR *dir)
{
	struct sysfs_dir *d = sysfs_dir(dir);

	return d != NULL ? sysfs_closedir(d) : real_closedir(dir);
}

EXPORT int
dirfd(DIR *dir)
{
	if (sysfs_dir(dir) != NULL) {
		errno = ENOTSUP;
		return -1;
	}
	return real_dirfd(dir);
}

EXPORT int
scandir(const char *restrict path, struct dirent ***restrict list,
	int (*select)(const struct dirent *),
	int (*compare)(const struct dirent **, const struct dirent **))
{
	return sysfs_has(path) ? sysfs_scandir(path, list, select, compare)
			       : real_scandir(path, list, select, compare);
}

EXPORT int
scandir64(const char *restrict path, struct dirent64 ***restrict list,
	int (*select)(const struct dirent64 *),
	int (*compare)(const struct dirent64 **, const struct dirent64 **))
{
	return scandir(path, (struct dirent ***)(void *)list,
		(real_select *)select, (real_compare *)compare);
}
