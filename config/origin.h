/*
 * origin: where each value of a configuration comes from.
 *
 * One row for every key that there is, in the order of the tables of options:
 * its value in one line and the place in the files that gave it, or that it is
 * the default. Of maps there is a row for each entry that a file gives, since
 * each may come from another file; a map without any is one row. Values of
 * secret keys are not in it.
 */
#ifndef HEDDLE_CONFIG_ORIGIN_H
#define HEDDLE_CONFIG_ORIGIN_H

#include "config/schema.h"
#include "sm/base/arena.h"

struct config_origin {
	const char *key; /* "partitions.storage.pkey" */
	const char *value;
	struct diag_place at; /* file: index of config.file; line 0: default */
};

struct config_origins {
	const struct config_origin *item;
	size_t n;
};

/* The rows of a section that was read into the struct at base; they live in the
 * arena. */
void origin_list(const struct section *k, const void *base, struct arena *a,
	struct config_origins *out);

#endif
