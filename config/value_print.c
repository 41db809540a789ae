#include <inttypes.h>
#include <string.h>

#include "config/value.h"
#include "sm/base/clock.h"

const struct value_unit value_units[VALUE_UNITS] = {
	{"ms", 1000000},
	{"s", 1000000000},
	{"m", 60 * INT64_C(1000000000)},
	{"h", 3600 * INT64_C(1000000000)},
};

void
value_choices(const char *const *choices, struct buf *out)
{
	size_t i;

	for (i = 0; choices[i] != NULL; i++)
		buf_printf(out, "%s%s",
			i == 0			 ? ""
			: choices[i + 1] == NULL ? " or "
						 : ", ",
			choices[i]);
}

static void
print_bool(const struct schema_option *o, const void *field, struct buf *out)
{
	(void)o;
	buf_printf(out, "%s", *(const bool *)field ? "true" : "false");
}

static void
print_int(const struct schema_option *o, const void *field, struct buf *out)
{
	(void)o;
	buf_printf(out, "%" PRIu32, *(const uint32_t *)field);
}

/* As many digits as the highest value has; 16 without a limit. */
static int
hex_digits(const struct schema_option *o)
{
	uint64_t v = o->max;
	int n = 0;

	for (; v != 0; v >>= 4)
		n++;
	return n > 0 ? n : 16;
}

static void
hex_print(uint64_t v, struct buf *out)
{
	buf_printf(out, "0x%" PRIx64, v);
}

static void
print_hex(const struct schema_option *o, const void *field, struct buf *out)
{
	buf_printf(
		out, "0x%0*" PRIx64, hex_digits(o), *(const uint64_t *)field);
}

static void
duration_print(int64_t ns, struct buf *out)
{
	size_t i = VALUE_UNITS;

	while (--i > 0)
		if (ns != 0 && ns % value_units[i].ns == 0)
			break;
	if (ns == 0)
		buf_printf(out, "0s");
	else
		buf_printf(out, "%" PRId64 "%s", ns / value_units[i].ns,
			value_units[i].name);
}

static void
print_duration(
	const struct schema_option *o, const void *field, struct buf *out)
{
	(void)o;
	duration_print(((const struct mono *)field)->ns, out);
}

static void
factor_print(uint64_t v, struct buf *out)
{
	unsigned part = (unsigned)(v % 1000), width = 3;

	while (width > 1 && part % 10 == 0) {
		part /= 10;
		width--;
	}
	buf_printf(out, "%" PRIu64 ".%0*u", v / 1000, (int)width, part);
}

static void
print_factor(const struct schema_option *o, const void *field, struct buf *out)
{
	(void)o;
	factor_print(*(const uint32_t *)field, out);
}

static void
print_string(const struct schema_option *o, const void *field, struct buf *out)
{
	(void)o;
	value_quote(*(const char *const *)field, out);
}

static void
print_enum(const struct schema_option *o, const void *field, struct buf *out)
{
	buf_printf(out, "%s", o->choices[*(const uint32_t *)field]);
}

static void
print_guid(const struct schema_option *o, const void *field, struct buf *out)
{
	(void)o;
	buf_printf(out, "0x%016" PRIx64, *(const uint64_t *)field);
}

static void
print_guid_int(
	const struct schema_option *o, const void *field, struct buf *out)
{
	const struct schema_guid_int *v = field;

	(void)o;
	buf_printf(out, "0x%016" PRIx64 ": %" PRIu32, v->guid, v->value);
}

static void
print_device(const struct schema_option *o, const void *field, struct buf *out)
{
	const struct schema_device *v = field;

	(void)o;
	buf_printf(out, "0x%06" PRIx32, v->vendor);
	if (v->device != UINT32_MAX)
		buf_printf(out, ":0x%04" PRIx32, v->device);
}

static void
print_shape(const struct schema_option *o, const void *field, struct buf *out)
{
	const struct schema_shape *v = field;

	buf_printf(out, "%s %" PRIu32, o->choices[v->shape], v->size);
}

static void
print_word(const struct schema_option *o, const void *field, struct buf *out)
{
	const struct schema_word *v = field;

	value_quote(v->text, out);
	buf_printf(out, ": %s", o->choices[v->value]);
}

static const struct value_type types[] = {
	[SCHEMA_BOOL] = {"true or false", .print = print_bool},
	[SCHEMA_INT] = {"integer", .print = print_int},
	[SCHEMA_HEX] = {"hexadecimal number", .print = print_hex},
	[SCHEMA_DURATION] = {"duration", .print = print_duration},
	[SCHEMA_FACTOR] = {"factor", .print = print_factor},
	[SCHEMA_STRING] = {"string", .print = print_string},
	[SCHEMA_PATH] = {"path", .print = print_string},
	[SCHEMA_ENUM] = {"word", .print = print_enum},
	[SCHEMA_GUID] = {"GUID", .print = print_guid},
	[SCHEMA_PORT] = {"port", .print = print_string},
	[SCHEMA_NAMES] = {"list of names", .print = print_string,
		.item = SCHEMA_ENUM, .entry = sizeof(const char *)},
	[SCHEMA_GUIDS] = {"list of GUIDs", .print = print_guid,
		.item = SCHEMA_GUID, .entry = sizeof(uint64_t), .lines = true},
	[SCHEMA_KEYS] = {"list of keys", .print = print_guid,
		.item = SCHEMA_HEX, .entry = sizeof(uint64_t), .lines = true},
	[SCHEMA_GUID_INTS] = {"map of GUIDs to integers",
		.print = print_guid_int, .item = SCHEMA_INT,
		.entry = sizeof(struct schema_guid_int), .lines = true,
		.map = true},
	[SCHEMA_SWITCH] = {"switch", .print = print_string},
	[SCHEMA_SWITCHES] = {"list of switches", .print = print_string,
		.item = SCHEMA_SWITCH, .entry = sizeof(const char *),
		.lines = true},
	[SCHEMA_DEVICE] = {"kind of device", .print = print_device},
	[SCHEMA_DEVICES] = {"list of kinds of devices", .print = print_device,
		.item = SCHEMA_DEVICE, .entry = sizeof(struct schema_device)},
	[SCHEMA_SHAPE] = {"shape and size", .print = print_shape},
	[SCHEMA_SHAPES] = {"list of shapes and sizes", .print = print_shape,
		.item = SCHEMA_SHAPE, .entry = sizeof(struct schema_shape)},
	[SCHEMA_WORDS] = {"map of texts to words", .print = print_word,
		.item = SCHEMA_ENUM, .entry = sizeof(struct schema_word),
		.lines = true, .map = true},
	[SCHEMA_TEXTS] = {"list of texts", .print = print_string,
		.item = SCHEMA_STRING, .entry = sizeof(struct schema_text)},
	[SCHEMA_RECORDS] = {"map of names to keys and values", .print = NULL,
		.lines = true, .map = true},
};

const struct value_type *
value_type(enum schema_type type)
{
	return &types[type];
}

/* Append what stands before entry i, which has a line of its own where indent
 * is not below 0. */
static void
begin_entry(const struct value_type *t, size_t i, int indent, struct buf *out)
{
	if (indent >= 0)
		buf_printf(out, "\n%*s%s", indent, "", t->map ? "" : "- ");
	else if (i > 0)
		buf_printf(out, ", ");
}

static void
print_records(const struct schema_option *o, const struct schema_records *v,
	int indent, struct buf *out)
{
	struct section k = {.arena = arena_new(), .path = ""};

	schema_section_add(&k, o->record, 0, o->reload);
	for (size_t i = 0; i < v->n; i++) {
		const void *record =
			(const char *)v->record + i * o->record->size;

		begin_entry(&types[o->type], i, indent, out);
		value_quote(v->name[i], out);
		buf_printf(out, indent >= 0 ? ":\n" : ": ");
		if (indent < 0) {
			schema_section_print_line(&k, record, out);
			continue;
		}
		schema_section_print(&k, record, indent + 2, out);
		out->text[--out->n] = '\0'; /* its last line end */
	}
	arena_free(k.arena);
}

static void
print_entries(const struct schema_option *o, const struct value_list *v,
	int indent, struct buf *out)
{
	const struct value_type *t = &types[o->type];

	for (size_t i = 0; i < v->n; i++) {
		begin_entry(t, i, indent, out);
		t->print(o, (const char *)v->entry + i * t->entry, out);
	}
}

void
value_print(const struct schema_option *o, const void *field, int indent,
	struct buf *out)
{
	const struct value_type *t = &types[o->type];
	const struct schema_records *records =
		o->type == SCHEMA_RECORDS ? field : NULL;
	struct value_list list = {0};
	bool lines;

	if (records == NULL && t->entry == 0) {
		t->print(o, field, out);
		return;
	}
	if (records == NULL)
		memcpy(&list, field, sizeof(list));
	lines = t->lines && indent >= 0 &&
		(records != NULL ? records->n : list.n) > 0;
	if (!lines)
		buf_put(out, t->map ? "{" : "[", 1);
	if (records != NULL)
		print_records(o, records, lines ? indent : -1, out);
	else
		print_entries(o, &list, lines ? indent : -1, out);
	if (!lines)
		buf_put(out, t->map ? "}" : "]", 1);
}

void
value_quote(const char *s, struct buf *out)
{
	static const char safe[] = "abcdefghijklmnopqrstuvwxyz"
				   "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_/.";

	/* all strings are read as text, so few need quotes */
	if (s[0] != '\0' && s[strspn(s, safe)] == '\0') {
		buf_printf(out, "%s", s);
		return;
	}
	buf_put(out, "\"", 1);
	for (; *s != '\0'; s++) {
		if (*s == '"' || *s == '\\')
			buf_put(out, "\\", 1);
		buf_put(out, s, 1);
	}
	buf_put(out, "\"", 1);
}

static void
limits_print(const struct schema_option *o,
	void (*print)(uint64_t v, struct buf *out), struct buf *out)
{
	if (o->zero_off)
		buf_printf(out, "0 (off) or ");
	print(o->min, out);
	buf_printf(out, " to ");
	print(o->max, out);
}

static void
plain_print(uint64_t v, struct buf *out)
{
	buf_printf(out, "%" PRIu64, v);
}

static void
ns_print(uint64_t v, struct buf *out)
{
	duration_print((int64_t)v, out);
}

void
value_range(const struct schema_option *o, const char *const *names,
	struct buf *out)
{
	if (o->choices != NULL)
		names = o->choices;
	switch (o->type) {
	case SCHEMA_INT:
	case SCHEMA_GUID_INTS:
		if (o->choices != NULL)
			value_choices(names, out);
		else
			limits_print(o, plain_print, out);
		break;
	case SCHEMA_DURATION:
		limits_print(o, ns_print, out);
		break;
	case SCHEMA_FACTOR:
		limits_print(o, factor_print, out);
		break;
	case SCHEMA_STRING:
	case SCHEMA_PATH:
		buf_printf(out, "at most %" PRIu64 " bytes", o->max);
		break;
	case SCHEMA_ENUM:
	case SCHEMA_WORDS:
	case SCHEMA_NAMES:
		if (names != NULL)
			value_choices(names, out);
		break;
	case SCHEMA_SWITCH:
	case SCHEMA_SWITCHES:
		buf_printf(out, "switch GUIDs, names or patterns");
		break;
	case SCHEMA_DEVICE:
	case SCHEMA_DEVICES:
		buf_printf(out, "VENDOR or VENDOR:DEVICE, hexadecimal");
		break;
	case SCHEMA_SHAPE:
	case SCHEMA_SHAPES:
		value_choices(o->choices, out);
		buf_printf(out, ", and ");
		limits_print(o, plain_print, out);
		break;
	case SCHEMA_PORT:
		buf_printf(out, "auto, DEVICE/PORT or a port GUID");
		break;
	case SCHEMA_HEX:
		if (o->max != 0)
			limits_print(o, hex_print, out);
		break;
	case SCHEMA_KEYS:
		buf_printf(out, "at most %" PRIu64, o->max);
		break;
	case SCHEMA_BOOL:
	case SCHEMA_GUID:
	case SCHEMA_GUIDS:
	case SCHEMA_TEXTS:
	case SCHEMA_RECORDS:
	default:
		break;
	}
}
