/*
 * config_files: the files of one configuration, in memory.
 *
 * FILE and the drop-ins of the directory FILE.d: every name in it that ends in
 * ".yaml" and does not begin with a dot, in the order of their bytes, so that
 * "10-site.yaml" comes before "20-host.yaml". What cannot be read keeps its
 * place with the reason, to be reported beside the mistakes in the others.
 */
#ifndef HEDDLE_CONFIG_CONFIG_FILES_H
#define HEDDLE_CONFIG_CONFIG_FILES_H

#include <stdbool.h>
#include <stddef.h>

#include "sm/base/reason.h"

enum { CONFIG_FILES_MAX = 100 }; /* drop-ins */

struct config_file {
	char *name;
	char *text; /* NULL: of a file that is not there, or not read */
	size_t len;
	bool open;	   /* every user can read it */
	bool absent;	   /* it is not there, and need not be */
	struct reason why; /* why it cannot be read, or "" */
};

struct config_files {
	struct config_file *item; /* the first is FILE */
	size_t n, cap;
};

/* Read them; must_exist: FILE has to be there. Free with config_files_free. */
void config_files_read(
	struct config_files *all, const char *file, bool must_exist);

void config_files_free(struct config_files *all);

#endif
