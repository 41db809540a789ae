/*
 * json_util: writing and reading members of JSON objects. Results are made by
 * the daemon and shown by heddlectl, which may be of another version: a missing
 * member reads as 0, false or "".
 */
#ifndef HEDDLE_SM_REPORT_JSON_UTIL_H
#define HEDDLE_SM_REPORT_JSON_UTIL_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Add v to o, which takes over the reference. */
static inline void
json_util_put(json_t *o, const char *key, json_t *v)
{
	(void)json_object_set_new(o, key, v);
}

/* A new JSON integer. */
static inline json_t *
json_util_u64(uint64_t v)
{
	return json_integer((json_int_t)v);
}

static inline const char *
json_util_text(const json_t *o, const char *key)
{
	const char *s = json_string_value(json_object_get(o, key));

	return s != NULL ? s : "";
}

/* True if it has a text there that is not empty. */
static inline bool
json_util_has_text(const json_t *o, const char *key)
{
	return *json_util_text(o, key) != '\0';
}

static inline long long
json_util_num(const json_t *o, const char *key)
{
	return json_integer_value(json_object_get(o, key));
}

static inline double
json_util_real(const json_t *o, const char *key)
{
	return json_number_value(json_object_get(o, key));
}

static inline bool
json_util_yes(const json_t *o, const char *key)
{
	return json_is_true(json_object_get(o, key));
}

#endif
