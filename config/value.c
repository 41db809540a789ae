#include "config/value.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sm/base/clock.h"
#include "sm/base/mem.h"
#include "sm/base/suggest.h"
#include "sm/base/utf8.h"

enum { QUOTE_MAX = 60, DEVICE_MAX = 63, PORT_MAX = 254 };

/* A value being read: the row, the text, where the value and a reason go. */
struct reading {
	const struct schema_option *o;
	const char *text;
	void *field;
	const struct schema_env *env;
	struct reason *why;
};

/* Refuse with "'text' <what>", or "the value <what>" when it is a secret. */
static int
refuse_value(const struct reading *r, const char *what)
{
	if (r->o->secret)
		return reason_set(r->why, "the value %s", what);
	return reason_set(r->why, "'%.*s' %s", QUOTE_MAX, r->text, what);
}

static int
out_of_range(const struct reading *r)
{
	struct buf range = {0};
	int rc;

	value_range(r->o, r->env->names, &range);
	rc = reason_set(r->why, "%.*s is out of range: %s", QUOTE_MAX, r->text,
		range.n > 0 ? range.text : "");
	buf_free(&range);
	return rc;
}

static bool
in_range(const struct schema_option *o, uint64_t v)
{
	return (v >= o->min && v <= o->max) || (v == 0 && o->zero_off);
}

static int
digit_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return 16;
}

/* Read digits of a base at *s, at least one, and step over them. */
static bool
parse_number(const char **s, unsigned base, uint64_t *v)
{
	const char *p = *s;

	*v = 0;
	for (; (unsigned)digit_value(*p) < base; p++) {
		uint64_t d = (unsigned)digit_value(*p);

		if (*v > (UINT64_MAX - d) / base)
			return false;
		*v = *v * base + d;
	}
	if (p == *s)
		return false;
	*s = p;
	return true;
}

static bool
parse_hex(const char *s, uint64_t *v)
{
	if (s[0] != '0' || (s[1] != 'x' && s[1] != 'X'))
		return false;
	s += 2;
	return parse_number(&s, 16, v) && *s == '\0';
}

/* A decimal number, without the leading zeroes that mean octal elsewhere. */
static bool
parse_decimal(const char *s, uint64_t *v)
{
	if (s[0] == '0' && s[1] != '\0')
		return false;
	return parse_number(&s, 10, v) && *s == '\0';
}

bool
value_guid(const char *text, uint64_t *guid)
{
	char plain[17];
	size_t i, n = 0;

	if (parse_hex(text, guid))
		return *guid != 0;
	for (i = 0; text[i] != '\0' && n < 16; i++) {
		if (text[i] == ':' && i % 5 == 4 && text[4] == ':')
			continue;
		if (digit_value(text[i]) == 16)
			return false;
		plain[n++] = text[i];
	}
	if (n != 16 || text[i] != '\0' || (i != 16 && i != 19))
		return false;
	plain[n] = '\0';
	*guid = strtoull(plain, NULL, 16);
	return *guid != 0;
}

static int
set_bool(const struct reading *r)
{
	bool *field = r->field;

	*field = strcmp(r->text, "true") == 0;
	if (!*field && strcmp(r->text, "false") != 0)
		return refuse_value(r, "is neither true nor false");
	return 0;
}

/* The index of text among choices, or -1. */
static int
choice_index(const char *const *choices, const char *text)
{
	int i;

	for (i = 0; choices[i] != NULL; i++)
		if (strcmp(choices[i], text) == 0)
			return i;
	return -1;
}

static bool
is_number(const char *text)
{
	return text[strspn(text, "0123456789.")] == '\0';
}

static int
no_choice(const struct reading *r, const char *const *choices)
{
	struct suggest s = suggest_for(r->text);
	struct buf list = {0};
	size_t i;
	int rc;

	/* a number has no spelling: 16 is no mistake for 10 */
	for (i = 0; choices[i] != NULL && !is_number(r->text); i++)
		suggest_offer(&s, choices[i]);
	if (s.best != NULL)
		return reason_set(r->why,
			"'%.*s' is unknown; did you mean '%s'?", QUOTE_MAX,
			r->text, s.best);
	value_choices(choices, &list);
	rc = reason_set(r->why, "'%.*s' is not %s", QUOTE_MAX, r->text,
		list.n > 0 ? list.text : "known");
	buf_free(&list);
	return rc;
}

static int
set_int(const struct reading *r)
{
	uint32_t *field = r->field;
	uint64_t v;

	if (!parse_hex(r->text, &v) && !parse_decimal(r->text, &v))
		return refuse_value(r, "is not a whole number");
	if (r->o->choices != NULL && choice_index(r->o->choices, r->text) < 0)
		return no_choice(r, r->o->choices);
	if (r->o->choices == NULL && !in_range(r->o, v))
		return out_of_range(r);
	*field = (uint32_t)v;
	return 0;
}

static int
set_hex(const struct reading *r)
{
	uint64_t *field = r->field;

	/* 0 is the same in any base */
	if (strcmp(r->text, "0") == 0)
		*field = 0;
	else if (!parse_hex(r->text, field))
		return refuse_value(
			r, "is not 0x and 1 to 16 hexadecimal digits");
	if (r->o->max != 0 && !in_range(r->o, *field))
		return out_of_range(r);
	return 0;
}

static int
set_duration(const struct reading *r)
{
	struct mono *field = r->field;
	const char *s = r->text;
	uint64_t v;
	size_t i;

	if (strcmp(s, "0") == 0 && in_range(r->o, 0)) {
		field->ns = 0;
		return 0;
	}
	if (!parse_number(&s, 10, &v))
		return refuse_value(
			r, "is not a duration such as 200ms or 10s");
	if (*s == '\0')
		return refuse_value(r, "needs a unit: ms, s, m or h");
	for (i = 0; i < VALUE_UNITS; i++)
		if (strcmp(s, value_units[i].name) == 0)
			break;
	if (i == VALUE_UNITS)
		return refuse_value(
			r, "is not a whole number of ms, s, m or h");
	if (v > (uint64_t)(INT64_MAX / value_units[i].ns) ||
		!in_range(r->o, v * (uint64_t)value_units[i].ns))
		return out_of_range(r);
	field->ns = (int64_t)v * value_units[i].ns;
	return 0;
}

static int
set_factor(const struct reading *r)
{
	static const unsigned scale[] = {1000, 100, 10, 1};
	uint32_t *field = r->field;
	uint64_t whole, part = 0;
	const char *s = r->text, *point;
	bool good = parse_number(&s, 10, &whole);
	size_t places = 0;

	if (good && *s == '.') {
		point = ++s;
		good = parse_number(&s, 10, &part);
		places = (size_t)(s - point);
	}
	if (!good || *s != '\0' || places > 3)
		return refuse_value(r,
			"is not a factor such as 1.25, with at most 3 "
			"decimals");
	if (whole > UINT32_MAX / 1000 - 1 ||
		!in_range(r->o, whole * 1000 + part * scale[places]))
		return out_of_range(r);
	*field = (uint32_t)(whole * 1000 + part * scale[places]);
	return 0;
}

static int
set_string(const struct reading *r)
{
	const char **field = r->field;

	if (r->text[0] == '\0')
		return reason_set(r->why, "must not be empty");
	if (!utf8_clean(r->text))
		return refuse_value(r, "has characters that cannot be printed");
	if (strlen(r->text) > r->o->max)
		return reason_set(r->why,
			"%zu bytes are too long: at most %" PRIu64,
			strlen(r->text), r->o->max);
	*field = arena_strdup(r->env->arena, r->text);
	return 0;
}

static int
set_path(const struct reading *r)
{
	const char **field = r->field;

	if (r->o->zero_off && r->text[0] == '\0') {
		*field = "";
		return 0;
	}
	if (r->text[0] != '/')
		return refuse_value(r, "is not an absolute path");
	return set_string(r);
}

static int
set_enum(const struct reading *r)
{
	uint32_t *field = r->field;
	int i = choice_index(r->o->choices, r->text);

	if (i < 0)
		return no_choice(r, r->o->choices);
	*field = (uint32_t)i;
	return 0;
}

static int
set_guid(const struct reading *r)
{
	uint64_t *field = r->field;

	if (!value_guid(r->text, field))
		return refuse_value(
			r, "is not a GUID such as 0x0002c90300a1b2c3");
	return 0;
}

/* True for DEVICE/PORT, the device as the kernel names it. */
static bool
device_port(const char *text)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz"
				      "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
	size_t n = strspn(text, letters);
	uint64_t port;

	return n > 0 && n <= DEVICE_MAX && text[n] == '/' &&
	       parse_decimal(text + n + 1, &port) && port >= 1 &&
	       port <= PORT_MAX;
}

static int
set_port(const struct reading *r)
{
	const char **field = r->field;
	struct buf canonical = {0};
	uint64_t guid;

	if (value_guid(r->text, &guid))
		buf_printf(&canonical, "0x%016" PRIx64, guid);
	else if (strcmp(r->text, "auto") == 0 || device_port(r->text))
		buf_printf(&canonical, "%s", r->text);
	else
		return refuse_value(r,
			"is not auto, DEVICE/PORT such as mlx5_0/1, "
			"or a port GUID");
	*field = arena_strdup(r->env->arena, canonical.text);
	buf_free(&canonical);
	return 0;
}

static int
set_switch(const struct reading *r)
{
	const char **field = r->field;
	struct buf canonical = {0};
	uint64_t guid;

	if (!value_guid(r->text, &guid))
		return set_string(r);
	buf_printf(&canonical, "0x%016" PRIx64, guid);
	*field = arena_strdup(r->env->arena, canonical.text);
	buf_free(&canonical);
	return 0;
}

static int
set_device(const struct reading *r)
{
	struct schema_device *field = r->field;
	const char *s = r->text;
	uint64_t vendor = 0, device = UINT32_MAX;
	bool good = s[0] == '0' && s[1] == 'x';

	s += good ? 2 : 0;
	good = good && parse_number(&s, 16, &vendor) && vendor <= 0xffffff;
	if (good && *s == ':') {
		good = s[1] == '0' && s[2] == 'x';
		s += good ? 3 : 0;
		good = good && parse_number(&s, 16, &device) &&
		       device <= 0xffff;
	}
	if (!good || *s != '\0')
		return refuse_value(r, "is not VENDOR or VENDOR:DEVICE such as "
				       "0x2c9:0xd2f0");
	*field = (struct schema_device){(uint32_t)vendor, (uint32_t)device};
	return 0;
}

static int
set_shape(const struct reading *r)
{
	struct schema_shape *field = r->field;
	size_t n = strcspn(r->text, " ");
	char *name = arena_strdup(r->env->arena, r->text);
	const char *size = r->text + n + strspn(r->text + n, " ");
	struct reading word = *r;
	uint64_t v;

	if (!parse_decimal(size, &v))
		return refuse_value(
			r, "is not a shape and a size, as in ring 8");
	name[n] = '\0';
	word.text = name;
	word.field = &field->shape;
	if (set_enum(&word) < 0)
		return -1;
	word.text = size;
	if (!in_range(r->o, v))
		return out_of_range(&word);
	field->size = (uint32_t)v;
	return 0;
}

typedef int set_fn(const struct reading *r);

static set_fn set_list, set_map;

static set_fn *const setters[] = {
	[SCHEMA_BOOL] = set_bool,
	[SCHEMA_INT] = set_int,
	[SCHEMA_HEX] = set_hex,
	[SCHEMA_DURATION] = set_duration,
	[SCHEMA_FACTOR] = set_factor,
	[SCHEMA_STRING] = set_string,
	[SCHEMA_PATH] = set_path,
	[SCHEMA_ENUM] = set_enum,
	[SCHEMA_GUID] = set_guid,
	[SCHEMA_PORT] = set_port,
	[SCHEMA_NAMES] = set_list,
	[SCHEMA_GUIDS] = set_list,
	[SCHEMA_KEYS] = set_list, /* its default only */
	[SCHEMA_GUID_INTS] = set_map,
	[SCHEMA_SWITCH] = set_switch,
	[SCHEMA_SWITCHES] = set_list,
	[SCHEMA_DEVICE] = set_device,
	[SCHEMA_DEVICES] = set_list,
	[SCHEMA_SHAPE] = set_shape,
	[SCHEMA_SHAPES] = set_list,
	[SCHEMA_WORDS] = set_map,
	[SCHEMA_TEXTS] = set_list,
	[SCHEMA_RECORDS] = set_map,
};

int
value_by_guid(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Sort n GUIDs, and keep each of them once: how many are left. */
static size_t
sort_guids(uint64_t *guid, size_t n)
{
	size_t kept = 0;

	qsort(guid, n, sizeof(*guid), value_by_guid);
	for (size_t i = 0; i < n; i++)
		if (i == 0 || guid[i] != guid[i - 1])
			guid[kept++] = guid[i];
	return kept;
}

/* "[a, b]", whose names are not judged. */
static int
set_list(const struct reading *r)
{
	const struct value_type *t = value_type(r->o->type);
	struct reading item = *r;
	size_t len = strlen(r->text);
	struct value_list list = {0};
	char *entry, *s, *save = NULL;

	if (len < 2 || r->text[0] != '[' || r->text[len - 1] != ']')
		return refuse_value(r, "is not a list such as [a, b]");
	s = arena_strdup(r->env->arena, r->text + 1);
	s[len - 2] = '\0';
	list.entry = entry = arena_array(r->env->arena, len / 2, t->entry);
	for (s = strtok_r(s, ",", &save); s != NULL;
		s = strtok_r(NULL, ",", &save)) {
		item.text = s + strspn(s, " ");
		item.field = entry + list.n * t->entry;
		if (r->o->type == SCHEMA_NAMES)
			*(const char **)item.field = item.text;
		else if (setters[t->item](&item) < 0)
			return -1;
		list.n++;
	}
	if (r->o->type == SCHEMA_GUIDS)
		list.n = sort_guids((uint64_t *)(void *)entry, list.n);
	memcpy(r->field, &list, sizeof(list));
	return 0;
}

/* The empty map, the only one that a default can be. */
static int
set_map(const struct reading *r)
{
	bool records = r->o->type == SCHEMA_RECORDS;

	if (strcmp(r->text, "{}") != 0)
		return refuse_value(r, "is not {}");
	memset(r->field, 0,
		records ? sizeof(struct schema_records)
			: sizeof(struct value_list));
	return 0;
}

int
value_set(const struct schema_option *o, const char *text, void *field,
	const struct schema_env *env, struct reason *why)
{
	struct reading r = {o, text, field, env, why};

	return setters[o->type](&r);
}
