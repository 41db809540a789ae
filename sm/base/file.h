/* file: directories that the daemon needs and may have to make. */
#ifndef HEDDLE_SM_BASE_FILE_H
#define HEDDLE_SM_BASE_FILE_H

#include "sm/base/reason.h"

/*
 * Make directory dir and its missing parents, mode 0755 less the umask. 0 when
 * it exists, -1 with why (NULL allowed).
 */
int file_make_dirs(const char *dir, struct reason *why);

/* The same for the directory that file is in. */
int file_make_parent(const char *file, struct reason *why);

#endif
