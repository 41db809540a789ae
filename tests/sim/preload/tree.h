/*
 * tree: the files below /sys/class/infiniband, /sys/class/infiniband_mad and
 * /dev/infiniband of the simulator. Nothing is cached: every open asks, so that
 * a program reads the present state of its port, and no file is left behind.
 */
#ifndef HEDDLE_TESTS_SIM_PRELOAD_TREE_H
#define HEDDLE_TESTS_SIM_PRELOAD_TREE_H

#include <dirent.h>
#include <stdbool.h>
#include <sys/stat.h>

#include "tests/sim/preload/real.h"

struct tree_dir;

/* True if this path is the simulator's; false for NULL. */
bool tree_ours(const char *path);

/* These do the same as libc's, for the simulator's paths. */
int tree_open(const char *path, int flags);
FILE *tree_fopen(const char *path, const char *mode);
int tree_stat(const char *path, struct stat *st);
int tree_access(const char *path, int mode);
struct tree_dir *tree_opendir(const char *path);
int tree_scandir(const char *path, struct dirent ***list, real_select *select,
	real_compare *compare);

/* The tree_dir that tree_opendir returned, or NULL if dir is another one. */
struct tree_dir *tree_dir(const void *dir);
struct dirent *tree_readdir(struct tree_dir *d);
int tree_closedir(struct tree_dir *d);

#endif
