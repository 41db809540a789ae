/*
 * value: one option's value as text and as memory. The types of schema.h, each
 * a pair of functions: read a text into the field, print the field so that it
 * reads back the same. Used inside config/ only; other folders go through
 * schema.h.
 */
#ifndef HEDDLE_CONFIG_VALUE_H
#define HEDDLE_CONFIG_VALUE_H

#include "config/schema.h"

/* Units of durations, the shortest first. */
enum { VALUE_UNITS = 4 };
extern const struct value_unit {
	const char *name;
	int64_t ns;
} value_units[VALUE_UNITS];

/* schema_set, with the field itself instead of the struct it is in. */
int value_set(const struct schema_option *o, const char *text, void *field,
	const struct schema_env *env, struct reason *why);

/* Any list or map of schema.h but struct schema_records. */
struct value_list {
	const void *entry;
	size_t n;
};

/* A type: how a value of it is printed, or, of a list or map, an entry. */
struct value_type {
	const char *name; /* what a person calls it: "list of GUIDs" */
	void (*print)(const struct schema_option *o, const void *field,
		struct buf *out); /* NULL: SCHEMA_RECORDS */
	enum schema_type item;	  /* of an entry's value */
	size_t entry;		  /* bytes of an entry; 0: a single value */
	bool lines;		  /* an entry a line, where there is room */
	bool map;
};
const struct value_type *value_type(enum schema_type type);

/* The order of entries that begin with a GUID, for qsort. */
int value_by_guid(const void *a, const void *b);

/* schema_print of a field. */
void value_print(const struct schema_option *o, const void *field, int indent,
	struct buf *out);

/* Append "a, b or c". */
void value_choices(const char *const *choices, struct buf *out);

/* schema_range. */
void value_range(const struct schema_option *o, const char *const *names,
	struct buf *out);

/* Append s, in double quotes unless it is made of harmless characters. */
void value_quote(const char *s, struct buf *out);

/*
 * Read a GUID: "0x" and 1 to 16 digits, 16 digits, or 4 groups of 4 with
 * colons. False when it is none, or 0.
 */
bool value_guid(const char *text, uint64_t *guid);

#endif
