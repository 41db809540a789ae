/*
 * tree: the files below /sys/class/infiniband, /sys/class/infiniband_mad and
 * /dev/infiniband as the simulator has them. Nothing is kept: every open asks,
 * so that a program reads what its port is now, and nothing is left behind.
 */
#ifndef HEDDLE_TESTS_SIM_PRELOAD_TREE_H
#define HEDDLE_TESTS_SIM_PRELOAD_TREE_H

#include <dirent.h>
#include <stdbool.h>
#include <sys/stat.h>

#include "tests/sim/preload/real.h"

struct tree_dir;

/* Is this path the simulator's? NULL is not. */
bool tree_ours(const char *path);

/* These do what libc's do, for paths that are ours. */
int tree_open(const char *path, int flags);
FILE *tree_fopen(const char *path, const char *mode);
int tree_stat(const char *path, struct stat *st);
int tree_access(const char *path, int mode);
struct tree_dir *tree_opendir(const char *path);
int tree_scandir(const char *path, struct dirent ***list, real_select *select,
	real_compare *compare);

/* Is this what tree_opendir gave? Then it, otherwise NULL. */
struct tree_dir *tree_dir(const void *dir);
struct dirent *tree_readdir(struct tree_dir *d);
int tree_closedir(struct tree_dir *d);

#endif
