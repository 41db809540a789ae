/*
 * sysfs: the files below /sys/class/infiniband, /sys/class/infiniband_mad and
 * /dev/infiniband of the simulator. Nothing is cached: every open asks, so that
 * a program reads the present state of its port, and no file is left behind.
 */
#ifndef HEDDLE_TESTS_SIM_PRELOAD_SYSFS_H
#define HEDDLE_TESTS_SIM_PRELOAD_SYSFS_H

#include <dirent.h>
#include <stdbool.h>
#include <sys/stat.h>

#include "tests/sim/preload/real.h"

struct sysfs_dir;

/* True if this path is the simulator's; false for NULL. */
bool sysfs_has(const char *path);

/* These do the same as libc's, for the simulator's paths. */
int sysfs_open(const char *path, int flags);
FILE *sysfs_fopen(const char *path, const char *mode);
int sysfs_stat(const char *path, struct stat *st);
int sysfs_access(const char *path, int mode);
struct sysfs_dir *sysfs_opendir(const char *path);
int sysfs_scandir(const char *path, struct dirent ***list, real_select *select,
	real_compare *compare);

/* The sysfs_dir that sysfs_opendir returned, or NULL if dir is another one. */
struct sysfs_dir *sysfs_dir(const void *dir);
struct dirent *sysfs_readdir(struct sysfs_dir *d);
int sysfs_closedir(struct sysfs_dir *d);

#endif
