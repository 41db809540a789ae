#include "config/config.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/options.h"
#include "config/suggest.h"
#include "config/value.h"
#include "config/yaml.h"
#include "sm/base/mem.h"

enum { KEY_MAX = 80 };

/* One option of the whole file. */
struct key {
	const struct schema_option *o;
	size_t offset;	      /* of its section in struct config */
	char name[KEY_MAX];   /* "fabric.lmc.hosts" */
	struct diag_place at; /* of its value in the file, line 0: not there */
};

struct keys {
	struct key *key;
	size_t n;
};

/* A file being read. */
struct parsing {
	struct keys keys;
	struct config *c;
	struct schema_env env;
	struct diag_list *d;
};

static struct keys
keys_new(struct arena *a)
{
	const struct options_section *s;
	size_t nsections, i, j, n = 0;
	struct keys k = {NULL, 0};

	s = options_all(&nsections);
	for (i = 0; i < nsections; i++)
		n += s[i].schema.n;
	k.key = arena_array(a, n, sizeof(*k.key));
	for (i = 0; i < nsections; i++) {
		for (j = 0; j < s[i].schema.n; j++) {
			struct key *key = &k.key[k.n++];

			key->o = &s[i].schema.option[j];
			key->offset = s[i].offset;
			(void)snprintf(key->name, sizeof(key->name), "%s.%s",
				s[i].schema.path, key->o->key);
		}
	}
	return k;
}

static void *
section_of(struct config *c, const struct key *k)
{
	return (char *)c + k->offset;
}

static const void *
const_section_of(const struct config *c, const struct key *k)
{
	return (const char *)c + k->offset;
}

static struct key *
key_find(const struct keys *k, const char *name)
{
	size_t i;

	for (i = 0; i < k->n; i++)
		if (strcmp(k->key[i].name, name) == 0)
			return &k->key[i];
	return NULL;
}

/* True when name is a map of keys: "fabric", "fabric.lmc". */
static bool
is_section(const struct keys *k, const char *name)
{
	size_t i, n = strlen(name);

	for (i = 0; i < k->n; i++)
		if (strncmp(k->key[i].name, name, n) == 0 &&
			k->key[i].name[n] == '.')
			return true;
	return false;
}

/* What the user may have meant by an unknown word below prefix. */
static const char *
meant(const struct parsing *p, const char *prefix, const char *word)
{
	struct suggest s = suggest_for(word);
	size_t i, n = strlen(prefix);
	const char *leaf;
	char *sibling;

	for (i = 0; i < p->keys.n; i++) {
		const char *name = p->keys.key[i].name;

		if (strncmp(name, prefix, n) != 0)
			continue;
		sibling = arena_strdup(p->env.arena, name + n);
		sibling[strcspn(sibling, ".")] = '\0';
		suggest_offer(&s, sibling);
	}
	if (s.best != NULL)
		return s.best;
	/* the right word in the wrong place */
	for (i = 0; i < p->keys.n; i++) {
		leaf = strrchr(p->keys.key[i].name, '.') + 1;
		if (strcmp(leaf, word) == 0 ||
			strcmp(p->keys.key[i].name, word) == 0)
			return p->keys.key[i].name;
	}
	return NULL;
}

static void
unknown(struct parsing *p, const struct yaml_value *v, const char *prefix,
	const char *path)
{
	const char *m;

	if (p->d->n == DIAG_MAX) {
		p->d->dropped++;
		return;
	}
	m = meant(p, prefix, v->key);
	if (m != NULL && strcmp(m, v->key) == 0)
		diag_add(p->d, v->key_at, "unknown-key", path,
			"'%s' is not one key; write each word between the "
			"dots on a line of its own, indented",
			v->key);
	else if (m != NULL)
		diag_add(p->d, v->key_at, "unknown-key", path,
			"unknown key '%.*s'; did you mean '%s'?", KEY_MAX,
			v->key, m);
	else
		diag_add(p->d, v->key_at, "unknown-key", path,
			"unknown key '%.*s'", KEY_MAX, v->key);
}

/* Read a map of keys; prefix is "" or "fabric." or "fabric.lmc.". */
static void
read_map(struct parsing *p, const struct yaml_value *map, const char *prefix)
{
	const struct yaml_value *v;
	struct key *k;
	char name[KEY_MAX];
	char below[KEY_MAX + 1];

	for (v = map->first; v != NULL; v = v->next) {
		int n = snprintf(name, sizeof(name), "%s%s", prefix, v->key);
		bool fits =
			n < (int)sizeof(name) && strchr(v->key, '.') == NULL;

		if (v->key[0] == '\0')
			continue; /* reported when the tree was made */
		k = fits ? key_find(&p->keys, name) : NULL;
		if (k != NULL) {
			k->at = v->at;
			(void)schema_load(k->o, v, section_of(p->c, k), &p->env,
				p->d, k->name);
		} else if (!fits || !is_section(&p->keys, name)) {
			unknown(p, v, prefix, name);
		} else if (v->kind == YAML_KIND_MAP) {
			(void)snprintf(below, sizeof(below), "%s.", name);
			read_map(p, v, below);
		} else if (v->kind != YAML_KIND_BAD && !yaml_empty(v)) {
			diag_add(p->d, v->at, "value", name,
				"%s: expected keys and their values", name);
		}
	}
}

/* What no single row can judge. */
static void
check_together(struct parsing *p)
{
	const struct config_lids *lids = &p->c->fabric.lids;
	const struct key *first = key_find(&p->keys, "fabric.lids.first");
	const struct key *last = key_find(&p->keys, "fabric.lids.last");
	const struct key *at = first->at.line > 0 ? first : last;
	struct diag *e;

	if (lids->first <= lids->last)
		return;
	e = diag_add(p->d, at->at, "reversed-range", at->name,
		"fabric.lids.first (%u) is above fabric.lids.last (%u)",
		lids->first, lids->last);
	if (first->at.line > 0 && last->at.line > 0)
		diag_note(p->d, e, last->at, "fabric.lids.last is given here");
}

static struct config *
config_new(const char *const *engines, struct schema_env *env)
{
	struct arena *a = arena_new();
	struct config *c = arena_alloc(a, sizeof(*c));
	const struct options_section *s;
	size_t n, i;

	c->arena = a;
	c->refs = 1;
	*env = (struct schema_env){a, engines};
	s = options_all(&n);
	for (i = 0; i < n; i++)
		schema_defaults(&s[i].schema, (char *)c + s[i].offset, env);
	return c;
}

struct config *
config_default(void)
{
	struct schema_env env;

	return config_new(NULL, &env);
}

/* The last words of the keys whose values must not be shown. */
static const char *const *
secrets(const struct keys *k, struct arena *a)
{
	const char **list = arena_array(a, k->n + 1, sizeof(const char *));
	size_t i, n = 0;

	for (i = 0; i < k->n; i++)
		if (k->key[i].o->secret)
			list[n++] = arena_strdup(
				a, strrchr(k->key[i].name, '.') + 1);
	return list;
}

struct config *
config_parse(const char *file, const char *text, size_t len,
	const char *const *engines, struct diag_list *d)
{
	struct arena *scratch = arena_new();
	struct parsing p = {.d = d, .keys = keys_new(scratch)};
	const struct yaml_value *root;

	diag_begin(d, file, text, len);
	d->secret = secrets(&p.keys, d->arena);
	p.c = config_new(engines, &p.env);
	root = yaml_read(scratch, text, len, d);
	if (root != NULL && root->kind == YAML_KIND_MAP)
		read_map(&p, root, "");
	else if (root != NULL && root->kind != YAML_KIND_BAD)
		diag_add(d, root->at, "value", "",
			"expected keys and their values, such as 'fabric:'");
	if (diag_count(d) == 0)
		check_together(&p);
	diag_end(d);
	arena_free(scratch);
	if (diag_count(d) == 0)
		return p.c;
	config_unref(p.c);
	return NULL;
}

/* Read all of a regular file into *text (free it); its length or -1, errno. */
static ssize_t
slurp(int fd, char **text)
{
	size_t n = 0, cap = YAML_MAX_BYTES + 1;
	struct stat st;
	ssize_t got;

	if (fstat(fd, &st) < 0)
		return -1;
	if (!S_ISREG(st.st_mode)) {
		errno = S_ISDIR(st.st_mode) ? EISDIR : EINVAL;
		return -1;
	}
	/* one byte more than is allowed tells that it is too large */
	*text = mem_alloc(cap);
	while (n < cap) {
		got = read(fd, *text + n, cap - n);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -1;
		if (got == 0)
			break;
		n += (size_t)got;
	}
	return (ssize_t)n;
}

struct config *
config_load(const char *file, const char *const *engines, struct diag_list *d)
{
	/* O_NONBLOCK: a FIFO must not hang a reload before fstat sees it */
	int fd = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct config *c = NULL;
	char *text = NULL;
	ssize_t n = fd < 0 ? -1 : slurp(fd, &text);
	int error = errno;

	if (n >= 0) {
		c = config_parse(file, text, (size_t)n, engines, d);
	} else {
		diag_begin(d, file, NULL, 0);
		diag_add(d, (struct diag_place){0, 0}, "unreadable", "",
			"cannot be read: %s",
			error == EINVAL ? "not a regular file"
					: strerror(error));
		diag_end(d);
	}
	if (fd >= 0)
		(void)close(fd);
	free(text);
	return c;
}

/* Apply one "key=value". */
static int
set_one(struct parsing *p, const char *text, struct reason *why)
{
	size_t n = strcspn(text, "=");
	struct reason what = {""};
	char name[KEY_MAX];
	const char *m;
	struct key *k;

	if (text[n] == '\0' || n == 0 || n >= sizeof(name))
		return reason_set(why, "%s: expected key=value", text);
	(void)snprintf(name, sizeof(name), "%.*s", (int)n, text);
	k = key_find(&p->keys, name);
	if (k == NULL) {
		struct suggest s = suggest_for(name);

		for (size_t i = 0; i < p->keys.n; i++)
			suggest_offer(&s, p->keys.key[i].name);
		m = s.best != NULL ? s.best : meant(p, "", name);
		return reason_set(why, "%s: unknown key '%s'%s%s%s", text, name,
			m != NULL ? "; did you mean '" : "", m != NULL ? m : "",
			m != NULL ? "'?" : "");
	}
	if (schema_set(k->o, text + n + 1, section_of(p->c, k), &p->env,
		    &what) != 0)
		return reason_set(
			why, "%s: %s", k->o->secret ? name : text, what.text);
	return 0;
}

/* The names of a list, which schema_set does not judge. */
static int
known_engines(
	const struct config *c, const char *const *engines, struct reason *why)
{
	const struct schema_names *l = &c->routing.engines;

	for (size_t i = 0; i < l->n; i++) {
		size_t k = 0;

		while (engines[k] != NULL &&
			strcmp(engines[k], l->name[i]) != 0)
			k++;
		if (engines[k] == NULL)
			return reason_set(why,
				"routing.engines: no engine is called '%s'",
				l->name[i]);
	}
	return 0;
}

struct config *
config_with(const struct config *base, const char *const *set, size_t n,
	const char *const *engines, struct reason *why)
{
	struct arena *scratch = arena_new();
	struct parsing p = {.keys = keys_new(scratch)};
	struct diag_list d;
	struct buf text = {0};
	int rc = 0;

	config_print(base, &text);
	p.c = config_parse("settings", text.text, text.n, engines, &d);
	buf_free(&text);
	if (p.c == NULL) { /* what we print can be read back */
		diag_free(&d);
		arena_free(scratch);
		(void)reason_set(why, "the configuration cannot be copied");
		return NULL;
	}
	diag_free(&d);
	p.env = (struct schema_env){p.c->arena, engines};
	for (size_t i = 0; i < n && rc == 0; i++)
		rc = set_one(&p, set[i], why);
	if (rc == 0)
		rc = known_engines(p.c, engines, why);
	if (rc == 0 && p.c->fabric.lids.first > p.c->fabric.lids.last)
		rc = reason_set(why,
			"fabric.lids.first (%u) is above fabric.lids.last (%u)",
			p.c->fabric.lids.first, p.c->fabric.lids.last);
	arena_free(scratch);
	if (rc == 0)
		return p.c;
	config_unref(p.c);
	return NULL;
}

struct config *
config_ref(struct config *c)
{
	if (c != NULL)
		c->refs++;
	return c;
}

void
config_unref(struct config *c)
{
	if (c != NULL && --c->refs == 0)
		arena_free(c->arena); /* c itself lives there */
}

/* Length of the beginning of name, in whole words, that prev shares. */
static size_t
shared_words(const char *name, const char *prev)
{
	size_t i, n = 0;

	for (i = 0; name[i] != '\0' && name[i] == prev[i]; i++)
		if (name[i] == '.')
			n = i + 1;
	return n;
}

/* Print the sections that name opens after prev; the depth of its leaf. */
static int
open_sections(const char *name, const char *prev, struct buf *out)
{
	size_t from = shared_words(name, prev), i, word = 0;
	int depth = 0;

	for (i = 0; name[i] != '\0'; i++) {
		if (name[i] != '.')
			continue;
		if (i >= from && depth == 0 && *prev != '\0')
			buf_printf(out, "\n");
		if (i >= from)
			buf_printf(out, "%*s%.*s:\n", depth * 2, "",
				(int)(i - word), name + word);
		word = i + 1;
		depth++;
	}
	return depth;
}

void
config_print(const struct config *c, struct buf *out)
{
	struct arena *scratch = arena_new();
	struct keys k = keys_new(scratch);
	const char *prev = "";
	struct buf value = {0};
	size_t i;

	for (i = 0; i < k.n; i++) {
		const struct key *key = &k.key[i];
		int depth = open_sections(key->name, prev, out);

		schema_print(key->o, const_section_of(c, key), depth * 2 + 2,
			&value);
		buf_printf(out, "%*s%s:", depth * 2, "",
			strrchr(key->name, '.') + 1);
		/* a list on lines of its own needs its unit above it */
		if (key->o->unit != NULL && value.text[0] == '\n')
			buf_printf(out, " # %s%s", key->o->unit, value.text);
		else if (key->o->unit != NULL)
			buf_printf(out, " %s # %s", value.text, key->o->unit);
		else
			buf_printf(out, "%s%s",
				value.text[0] == '\n' ? "" : " ", value.text);
		buf_printf(out, "\n");
		buf_free(&value);
		prev = key->name;
	}
	arena_free(scratch);
}

static char *
value_text(const struct config *c, const struct key *k)
{
	struct buf b = {0};

	if (k->o->secret)
		return mem_strdup("(secret)");
	schema_print(k->o, const_section_of(c, k), -1, &b);
	return b.text;
}

void
config_diff(const struct config *was, const struct config *is,
	struct config_changes *out)
{
	struct arena *scratch = arena_new();
	struct keys k = keys_new(scratch);
	size_t i, cap = 0;

	*out = (struct config_changes){0};
	for (i = 0; i < k.n; i++) {
		const struct key *key = &k.key[i];

		if (schema_same(key->o, const_section_of(was, key),
			    const_section_of(is, key)))
			continue;
		out->item =
			mem_grow(out->item, out->n, &cap, sizeof(*out->item));
		out->item[out->n++] =
			(struct config_change){.key = mem_strdup(key->name),
				.reload = key->o->reload,
				.was = value_text(was, key),
				.is = value_text(is, key)};
		out->of[key->o->reload]++;
	}
	arena_free(scratch);
}

void
config_changes_free(struct config_changes *c)
{
	size_t i;

	for (i = 0; i < c->n; i++) {
		free(c->item[i].key);
		free(c->item[i].was);
		free(c->item[i].is);
	}
	free(c->item);
	*c = (struct config_changes){0};
}

void
config_budget(const struct config *c, struct buf *out)
{
	const struct config_fabric *f = &c->fabric;
	const struct {
		const char *name;
		uint32_t lmc;
	} class[] = {
		{"host port", f->lmc.hosts},
		{"enhanced switch port 0", f->lmc.switches},
		{"router port", f->lmc.routers},
		{"aggregation node port", f->lmc.aggregation},
	};
	uint64_t taken = 0;
	size_t i;

	buf_printf(out, "LIDs to give out: %u (%u to %u)\n",
		f->lids.last - f->lids.first + 1, f->lids.first, f->lids.last);
	for (i = 0; i < sizeof(class) / sizeof(class[0]); i++)
		buf_printf(out, "each %s: %u (lmc %u)\n", class[i].name,
			1u << class[i].lmc, class[i].lmc);
	for (i = 0; i < f->lmc_override.n; i++)
		taken += UINT64_C(1) << f->lmc_override.entry[i].value;
	if (f->lmc_override.n > 0)
		buf_printf(out, "%zu ports with an lmc of their own: %llu\n",
			f->lmc_override.n, (unsigned long long)taken);
}

/* Append text as mdoc wants it: a line a sentence, none longer than 78. */
static void
sentences(const char *text, struct buf *out)
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

void
config_mdoc(const char *const *engines, struct buf *out)
{
	struct arena *scratch = arena_new();
	struct keys k = keys_new(scratch);
	struct config *c = config_default();
	struct buf range = {0}, def = {0};
	size_t i;

	for (i = 0; i < k.n; i++) {
		const struct schema_option *o = k.key[i].o;

		schema_range(o, engines, &range);
		schema_print(o, const_section_of(c, &k.key[i]), -1, &def);
		buf_printf(out, ".It Ic %s\n", k.key[i].name);
		buf_printf(out, "Type: %s", schema_type_name(o->type));
		if (o->unit != NULL)
			buf_printf(out, ", in %s", o->unit);
		buf_printf(out, ".\n");
		if (range.n > 0)
			buf_printf(out, "Values: %s.\n", range.text);
		buf_printf(out, "Default: %s.\n", def.text);
		buf_printf(out, "On reload: %s.\n.Pp\n",
			schema_reload_name(o->reload));
		sentences(o->help, out);
		buf_free(&range);
		buf_free(&def);
	}
	config_unref(c);
	arena_free(scratch);
}

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

#define HEX_PATTERN "^0[xX][0-9a-fA-F]{1,16}$"
#define GUID_PATTERN                                                           \
	"^(0[xX][0-9a-fA-F]{1,16}|[0-9a-fA-F]{16}|"                            \
	"[0-9a-fA-F]{4}(:[0-9a-fA-F]{4}){3})$"

/* What JSON Schema can say about values of an option. */
static json_t *
type_json(const struct schema_option *o, const char *const *engines)
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
			words_json(o->choices != NULL ? o->choices : engines));
	case SCHEMA_GUIDS:
		return json_pack("{s:s, s:b, s:o}", "type", "array",
			"uniqueItems", 1, "items", text_json(GUID_PATTERN));
	case SCHEMA_GUID_INTS:
		return json_pack("{s:s, s:{s:s}, s:o}", "type", "object",
			"propertyNames", "pattern", GUID_PATTERN,
			"additionalProperties", int_json(o));
	case SCHEMA_PORT:
		return text_json("^(auto|[A-Za-z0-9_-]+/[0-9]+|"
				 "0[xX][0-9a-fA-F]{1,16}|[0-9a-fA-F]{16}|"
				 "[0-9a-fA-F]{4}(:[0-9a-fA-F]{4}){3})$");
	case SCHEMA_STRING:
		return json_pack("{s:s, s:I}", "type", "string", "maxLength",
			(json_int_t)o->max);
	case SCHEMA_PATH:
	default:
		return json_pack("{s:s, s:I, s:s}", "type", "string",
			"maxLength", (json_int_t)o->max, "pattern", "^/");
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
	char word[KEY_MAX];
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

void
config_json_schema(const char *const *engines, struct buf *out)
{
	struct arena *scratch = arena_new();
	struct keys k = keys_new(scratch);
	json_t *root = section_json(), *j;
	char *text;
	size_t i;

	json_object_set_new(root, "$schema",
		json_string("http://json-schema.org/draft-07/schema#"));
	json_object_set_new(root, "title", json_string("heddle.yaml"));
	for (i = 0; i < k.n; i++) {
		const struct schema_option *o = k.key[i].o;

		j = type_json(o, engines);
		json_object_set_new(j, "description",
			json_sprintf("%s Default: %s. On reload: %s.", o->help,
				o->def, schema_reload_name(o->reload)));
		json_object_set_new(
			json_object_get(
				parent_json(root, k.key[i].name), "properties"),
			strrchr(k.key[i].name, '.') + 1, j);
	}
	text = json_dumps(root, JSON_INDENT(2));
	json_decref(root);
	if (text != NULL)
		buf_printf(out, "%s\n", text);
	free(text);
	arena_free(scratch);
}
