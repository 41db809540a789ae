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

/* A new JSON integer. */
static inline json_t *
json_util_u64(uint64_t v)
{
	return json_integer((json_int_t)v);
}

static inline json_t *
json_util_same(json_t *v)
{
	return v;
}

static inline json_t *
json_util_bool(bool v)
{
	return json_boolean(v);
}

/*
 * A member of an object, by the type of its value: an integer, a bool (a
 * comparison is an int: json_boolean), a double, a text that is UTF-8, or JSON,
 * which is taken over. In which order values are made is not certain.
 */
#define M(key, value)                                                          \
	(key), _Generic((value), bool: json_util_bool, double: json_real,      \
		json_t *: json_util_same, const char *: json_string,           \
		char *: json_string, int: json_integer, long: json_integer,    \
		long long: json_integer, default: json_util_u64)(value)

/* Put members into o, each an M or a key and JSON; or into a new object. */
json_t *json_util_members(json_t *o, ...) __attribute__((sentinel));
#define json_util_put(o, ...)                                                  \
	((void)json_util_members((o), __VA_ARGS__, (const char *)NULL))
#define json_util_object(...)                                                  \
	json_util_members(json_object(), __VA_ARGS__, (const char *)NULL)

/* Append a value, which is taken over, or a new object. */
static inline void
json_util_add(json_t *list, json_t *v)
{
	(void)json_array_append_new(list, v);
}
#define json_util_append(list, ...)                                            \
	json_util_add((list), json_util_object(__VA_ARGS__))

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
