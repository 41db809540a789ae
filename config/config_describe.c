#include "config/config_describe.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/config.h"
#include "config/config_priv.h"

/* ---- the manual ---- */

/* Append text as mdoc source: one line per sentence, none longer than 78. */
static void
print_mdoc_sentences(const char *text, struct buf *out)
{
	enum { WIDTH = 78 };
	size_t col = 0, n;

	for (; *text != '\0'; text += n, col += n) {
		if (*text == ' ') {
			n = 1 + strcspn(text + 1, " ");
			if (text[-1] == '.' || col + n > WIDTH) {
				buf_put(out, "\n", 1);
				text++;
				n--;
				col = 0;
			}
		} else {
			n = strcspn(text, " ");
		}
		buf_put(out, text, n);
	}
	buf_put(out, "\n", 1);
}

/* The names of OpenSM's options, with commas between them. */
static void
print_opensm(const char *names, struct buf *out)
{
	struct buf text = {0};

	buf_printf(&text, "OpenSM: ");
	for (; *names != '\0'; names++)
		buf_printf(&text, *names == ' ' ? ", " : "%c", *names);
	buf_printf(&text, ".");
	print_mdoc_sentences(text.text, out);
	buf_free(&text);
}

/* One option, with its default from the struct at base. */
static void
option_mdoc(const struct section_key *key, const char *name, const void *base,
	const char *const *names, struct buf *out)
{
	const struct schema_option *o = key->o;
	struct buf range = {0}, def = {0}, values = {0};

	schema_range(o, names, &range);
	schema_print(o, base, -1, &def);
	buf_printf(out, ".It Ic %s\n", name);
	buf_printf(out, "Type: %s", schema_type_name(o->type));
	if (o->unit != NULL)
		buf_printf(out, ", in %s", o->unit);
	buf_printf(out, ".\n");
	if (range.n > 0) {
		buf_printf(&values, "Values: %s.", range.text);
		print_mdoc_sentences(values.text, out);
	}
	buf_printf(out, "Default: %s.\n", def.text);
	buf_printf(out, "On reload: %s.\n", schema_reload_name(key->reload));
	if (o->opensm != NULL)
		print_opensm(o->opensm, out);
	buf_printf(out, ".Pp\n");
	print_mdoc_sentences(o->help, out);
	buf_free(&range);
	buf_free(&values);
	buf_free(&def);
}

/* The options that each record of an option has. */
static void
record_mdoc(const struct section_key *of, const struct schema_env *env,
	struct buf *out)
{
	const struct schema_option *o = of->o;
	void *record = arena_alloc(env->arena, o->record->size);
	struct section k = {.arena = env->arena, .path = ""};
	char path[2 * SECTION_KEY_MAX];

	schema_defaults(o->record, record, env);
	schema_section_add(&k, o->record, 0, of->reload);
	for (size_t i = 0; i < k.n; i++) {
		(void)snprintf(path, sizeof(path), "%s.NAME.%s", of->name,
			k.key[i].name);
		option_mdoc(&k.key[i], path, record, env->names, out);
	}
}

/* What the keys that begin with a word are for, behind that word. */
static const char *
title_of(const char *word, size_t n)
{
	static const struct {
		const char *word, *title;
	} titles[] = {
		{"fabric", "the subnet: its port, LIDs, keys and names"},
		{"routing", "how paths are computed"},
		{"discovery", "what switches are asked for"},
		{"distribution", "how tables are written under traffic"},
		{"sweep", "how changes are noticed"},
		{"health", "which links are bad"},
		{"smp", "management packets"},
		{"standby", "a manager that is not master"},
		{"link", "parameters of ports"},
		{"sa", "subnet administration"},
		{"partitions", "which ports may talk"},
		{"qos", "how traffic shares links"},
		{"state", "what outlives a restart"},
		{"record", "recordings to be replayed"},
		{"control", "the socket of heddlectl"},
		{"log", "the log"},
	};

	for (size_t i = 0; i < sizeof(titles) / sizeof(titles[0]); i++)
		if (strlen(titles[i].word) == n &&
			strncmp(titles[i].word, word, n) == 0)
			return titles[i].title;
	return "";
}

/* End the list of one section, unless before is NULL, and begin the next. */
static void
section_mdoc(const char *before, const char *name, struct buf *out)
{
	size_t n = strcspn(name, ".");

	if (before != NULL && strncmp(before, name, n) == 0 &&
		(before[n] == '.' || before[n] == '\0'))
		return;
	if (before != NULL)
		buf_printf(out, ".El\n");
	buf_printf(out, ".Ss %.*s: %s\n.Bl -tag -width Ds\n", (int)n, name,
		title_of(name, n));
}

void
config_mdoc(const struct schema_module *const *modules, struct buf *out)
{
	struct schema_env env;
	struct config *c = config_new(modules, &env);
	struct section k = config_keys(c->arena, modules);

	for (size_t i = 0; i < k.n; i++) {
		const struct schema_option *o = k.key[i].o;

		section_mdoc(
			i > 0 ? k.key[i - 1].name : NULL, k.key[i].name, out);
		option_mdoc(&k.key[i], k.key[i].name,
			schema_section_base(&k.key[i], c), env.names, out);
		if (o->type == SCHEMA_RECORDS)
			record_mdoc(&k.key[i], &env, out);
	}
	buf_printf(out, ".El\n");
	config_unref(c);
}

/* ---- the JSON Schema ---- */

static json_t *
words_json(const char *const *word)
{
	json_t *j = json_array();

	for (; word != NULL && *word != NULL; word++)
		json_array_append_new(j, json_string(*word));
	return j;
}

/* Editors see unquoted GUIDs and hexadecimal numbers as integers. */
static json_t *
text_json(const char *pattern)
{
	return json_pack("{s:[s,s], s:s}", "type", "string", "integer",
		"pattern", pattern);
}

static json_t *
int_json(const struct schema_option *o)
{
	json_t *values;
	size_t i;

	if (o->choices == NULL)
		return json_pack("{s:s, s:I, s:I}", "type", "integer",
			"minimum", (json_int_t)o->min, "maximum",
			(json_int_t)o->max);
	values = json_array();
	for (i = 0; o->choices[i] != NULL; i++)
		json_array_append_new(
			values, json_integer(strtoll(o->choices[i], NULL, 0)));
	return json_pack("{s:o}", "enum", values);
}

#define HEX_PATTERN "^0([xX][0-9a-fA-F]{1,16})?$"
#define GUID_PATTERN                                                           \
	"^(0[xX][0-9a-fA-F]{1,16}|[0-9a-fA-F]{16}|"                            \
	"[0-9a-fA-F]{4}(:[0-9a-fA-F]{4}){3})$"

/* "ring 8" */
static json_t *
shape_json(const struct schema_option *o)
{
	struct buf pattern = {0};
	json_t *j;

	buf_printf(&pattern, "^(");
	for (size_t i = 0; o->choices[i] != NULL; i++)
		buf_printf(&pattern, "%s%s", i > 0 ? "|" : "", o->choices[i]);
	buf_printf(&pattern, ") +[0-9]+$");
	j = text_json(pattern.text);
	buf_free(&pattern);
	return j;
}

/* What JSON Schema can say about values of an option. */
static json_t *
type_json(const struct schema_option *o, const char *const *names)
{
	switch (o->type) {
	case SCHEMA_BOOL:
		return json_pack("{s:s}", "type", "boolean");
	case SCHEMA_INT:
		return int_json(o);
	case SCHEMA_HEX:
		return text_json(HEX_PATTERN);
	case SCHEMA_GUID:
		return text_json(GUID_PATTERN);
	case SCHEMA_DURATION:
		return text_json("^(0|[0-9]+(ms|s|m|h))$");
	case SCHEMA_FACTOR:
		return json_pack("{s:s, s:f, s:f}", "type", "number", "minimum",
			(double)o->min / 1000, "maximum",
			(double)o->max / 1000);
	case SCHEMA_ENUM:
		return json_pack("{s:o}", "enum", words_json(o->choices));
	case SCHEMA_NAMES:
		return json_pack("{s:s, s:b, s:{s:o}}", "type", "array",
			"uniqueItems", 1, "items", "enum",
			words_json(o->choices != NULL ? o->choices : names));
	case SCHEMA_GUIDS:
		return json_pack("{s:s, s:b, s:o}", "type", "array",
			"uniqueItems", 1, "items", text_json(GUID_PATTERN));
	case SCHEMA_KEYS:
		return json_pack("{s:s, s:b, s:I, s:o}", "type", "array",
			"uniqueItems", 1, "maxItems", (json_int_t)o->max,
			"items", text_json(HEX_PATTERN));
	case SCHEMA_GUID_INTS:
		return json_pack("{s:s, s:{s:s}, s:o}", "type", "object",
			"propertyNames", "pattern", GUID_PATTERN,
			"additionalProperties", int_json(o));
	case SCHEMA_WORDS:
		return json_pack("{s:s, s:{s:o}}", "type", "object",
			"additionalProperties", "enum", words_json(o->choices));
	case SCHEMA_SWITCHES:
	case SCHEMA_TEXTS:
		return json_pack("{s:s, s:b, s:{s:[s,s]}}", "type", "array",
			"uniqueItems", 1, "items", "type", "string", "integer");
	case SCHEMA_DEVICES:
		return json_pack("{s:s, s:o}", "type", "array", "items",
			text_json("^0x[0-9a-fA-F]{1,6}"
				  "(:0x[0-9a-fA-F]{1,4})?$"));
	case SCHEMA_SHAPES:
		return json_pack(
			"{s:s, s:o}", "type", "array", "items", shape_json(o));
	case SCHEMA_SHAPE:
		return shape_json(o);
	case SCHEMA_DEVICE:
		return text_json("^0x[0-9a-fA-F]{1,6}(:0x[0-9a-fA-F]{1,4})?$");
	case SCHEMA_PORT:
		return text_json("^(auto|[A-Za-z0-9_-]+/[0-9]+|"
				 "0[xX][0-9a-fA-F]{1,16}|[0-9a-fA-F]{16}|"
				 "[0-9a-fA-F]{4}(:[0-9a-fA-F]{4}){3})$");
	case SCHEMA_STRING:
	case SCHEMA_SWITCH:
		return json_pack("{s:s, s:I}", "type", "string", "maxLength",
			(json_int_t)o->max);
	case SCHEMA_RECORDS: /* record_json does it */
	case SCHEMA_PATH:
	default:
		return json_pack("{s:s, s:I, s:s}", "type", "string",
			"maxLength", (json_int_t)o->max, "pattern",
			o->zero_off ? "^(/|$)" : "^/");
	}
}

static json_t *
section_json(void)
{
	return json_pack("{s:[s,s], s:b, s:{}}", "type", "object", "null",
		"additionalProperties", 0, "properties");
}

/* The section under root that holds the key name, made when it is missing. */
static json_t *
parent_json(json_t *root, const char *name)
{
	const char *dot;
	char word[SECTION_KEY_MAX];
	json_t *all, *next;

	for (; (dot = strchr(name, '.')) != NULL; name = dot + 1) {
		(void)snprintf(
			word, sizeof(word), "%.*s", (int)(dot - name), name);
		all = json_object_get(root, "properties");
		next = json_object_get(all, word);
		if (next == NULL) {
			next = section_json();
			json_object_set_new(all, word, next);
		}
		root = next;
	}
	return root;
}

/* Put the schema j of one option, with its description, into root. */
static void
put_json(json_t *root, const struct section_key *key,
	const struct schema_env *env, json_t *j)
{
	const struct schema_option *o = key->o;

	json_object_set_new(j, "description",
		json_sprintf("%s Default: %s. On reload: %s.", o->help,
			schema_default(o, env),
			schema_reload_name(key->reload)));
	json_object_set_new(
		json_object_get(parent_json(root, key->name), "properties"),
		schema_section_leaf(key->name), j);
}

static json_t *
record_json(const struct section_key *of, const struct schema_env *env)
{
	struct section k = {.arena = arena_new(), .path = ""};
	json_t *one = section_json();
	size_t i;

	schema_section_add(&k, of->o->record, 0, of->reload);
	for (i = 0; i < k.n; i++)
		put_json(
			one, &k.key[i], env, type_json(k.key[i].o, env->names));
	arena_free(k.arena);
	return json_pack(
		"{s:s, s:o}", "type", "object", "additionalProperties", one);
}

void
config_json_schema(const struct schema_module *const *modules, struct buf *out)
{
	struct arena *scratch = arena_new();
	struct section k = config_keys(scratch, modules);
	const struct schema_env env = config_env(scratch, modules);
	json_t *root = section_json();
	char *text;
	size_t i;

	json_object_set_new(root, "$schema",
		json_string("http://json-schema.org/draft-07/schema#"));
	json_object_set_new(root, "title", json_string("heddle.yaml"));
	for (i = 0; i < k.n; i++)
		put_json(root, &k.key[i], &env,
			k.key[i].o->type == SCHEMA_RECORDS
				? record_json(&k.key[i], &env)
				: type_json(k.key[i].o, env.names));
	text = json_dumps(root, JSON_INDENT(2));
	json_decref(root);
	if (text != NULL)
		buf_printf(out, "%s\n", text);
	free(text);
	arena_free(scratch);
}
