/*
 * section: options by name. A section is a list of options with their names
 * ("fabric.lmc.hosts") and the struct that holds their values: the whole file,
 * or one record of a map of records ("partitions.storage"). Reads maps of keys
 * with exact errors, prints them so that they read back the same.
 */
#ifndef HEDDLE_CONFIG_SECTION_H
#define HEDDLE_CONFIG_SECTION_H

#include <stddef.h>

#include "config/diag.h"
#include "config/schema.h"
#include "sm/base/arena.h"
#include "sm/base/buf.h"

struct yaml_value;

enum { SECTION_KEY_MAX = 80 };

struct section_key {
	const struct schema_option *o;
	size_t offset; /* of the schema's struct in the section's */
	char name[SECTION_KEY_MAX];
	struct diag_place at; /* of its value in the file, line 0: not there */
	const struct yaml_value *v; /* that value, NULL: not there */
};

struct section {
	struct arena *arena; /* for the keys */
	struct section_key *key;
	size_t n;
	const char *path; /* for messages: "" or "partitions.storage." */
};

/* Add the options of s, whose struct is at offset, under s->path. */
void section_add(struct section *k, const struct schema *s, size_t offset);

/* The key of this name, or NULL. */
struct section_key *section_find(const struct section *k, const char *name);

/* The last word of a key's name. */
const char *section_leaf(const char *name);

/* The struct that holds its value, inside the struct at base. */
const void *section_base(const struct section_key *key, const void *base);

/* Read a map of keys into the struct at base; mistakes go to d. */
void section_read(struct section *k, const struct yaml_value *map, void *base,
	const struct schema_env *env, struct diag_list *d);

/* Append every key of the struct at base as YAML, indent spaces in. */
void section_print(
	const struct section *k, const void *base, int indent, struct buf *out);

/* Append "{key: value, ...}" with dots in the keys: for messages. */
void section_print_line(
	const struct section *k, const void *base, struct buf *out);

#endif
