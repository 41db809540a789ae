#include "config/schema.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/diag.h"
#include "config/value.h"
#include "config/yaml.h"
#include "sm/base/mem.h"
#include "sm/base/suggest.h"

/* Sections hold records, which hold sections: as deep as the option tables. */
/* NOLINTBEGIN(misc-no-recursion) */

/* A value being read from the tree. */
struct loading {
	const struct schema_option *o;
	const struct schema_env *env;
	struct diag_list *d;
	const char *path;
};

/* An entry from the file with its place, to report one that is listed twice. */
struct placed {
	const char *text;
	struct diag_place at;
};

int
schema_set(const struct schema_option *o, const char *text, void *base,
	const struct schema_env *env, struct reason *why)
{
	return value_set(o, text, (char *)base + o->offset, env, why);
}

const char *
schema_default(const struct schema_option *o, const struct schema_env *env)
{
	return o->def != NULL ? o->def : env->preferred;
}

void
schema_defaults(
	const struct schema *s, void *base, const struct schema_env *env)
{
	struct reason why = {""};
	size_t i;

	for (i = 0; i < s->n; i++) {
		const struct schema_option *o = &s->option[i];
		int rc = schema_set(o, schema_default(o, env), base, env, &why);

		assert(rc == 0); /* a wrong default is our mistake */
		(void)rc;
	}
}

static int
report_bad_value(
	const struct loading *l, const struct yaml_value *v, const char *what)
{
	struct diag *e = diag_add(
		l->d, v->at, "value", l->path, "%s: %s", l->path, what);

	if (l->o->secret)
		diag_hide(e);
	return -1;
}

static const char *
kind_name(enum yaml_kind kind)
{
	switch (kind) {
	case YAML_KIND_LIST:
		return "a list";
	case YAML_KIND_MAP:
		return "a map";
	case YAML_KIND_SCALAR:
	case YAML_KIND_BAD:
	default:
		return "a single value";
	}
}

/* True when v is of the kind wanted; otherwise the mistake is reported. */
static bool
is_kind(const struct loading *l, const struct yaml_value *v,
	enum yaml_kind kind)
{
	struct reason why;

	if (v->kind == YAML_KIND_BAD)
		return false;
	if (yaml_empty(v)) {
		(void)reason_set(&why,
			"no value; leave the key out for its default, %s",
			schema_default(l->o, l->env));
		(void)report_bad_value(l, v, why.text);
		return false;
	}
	if (v->kind == kind)
		return true;
	(void)reason_set(&why, "expected %s (%s), found %s", kind_name(kind),
		value_type(l->o->type)->name, kind_name(v->kind));
	(void)report_bad_value(l, v, why.text);
	return false;
}

static int
load_scalar(const struct loading *l, const struct yaml_value *v, void *field)
{
	struct reason why;

	if (!is_kind(l, v, YAML_KIND_SCALAR))
		return -1;
	if (value_set(l->o, v->text, field, l->env, &why) < 0)
		return report_bad_value(l, v, why.text);
	return 0;
}

/* One of a list of names, which choices[] has. */
static int
load_name(const struct loading *l, const struct yaml_value *v, void *entry)
{
	const char **name = entry;
	uint32_t ix = 0;

	if (l->o->choices == NULL || load_scalar(l, v, &ix) < 0)
		return -1;
	*name = arena_strdup(l->env->arena, l->o->choices[ix]);
	return 0;
}

static int
load_text(const struct loading *l, const struct yaml_value *v, void *entry)
{
	struct schema_text *t = entry;

	t->at = v->at;
	return load_scalar(l, v, &t->text);
}

/* One "GUID: integer". */
static int
load_guid_int(const struct loading *l, const struct yaml_value *v, void *entry)
{
	struct schema_guid_int *i = entry;

	if (!value_guid(v->key, &i->guid)) {
		diag_add(l->d, v->key_at, "value", l->path,
			"%s: '%.60s' is not a GUID such as "
			"0x0002c90300a1b2c3",
			l->path, v->key);
		return -1;
	}
	return load_scalar(l, v, &i->value);
}

static int
load_word(const struct loading *l, const struct yaml_value *v, void *entry)
{
	struct schema_word *w = entry;

	w->text = arena_strdup(l->env->arena, v->key);
	w->at = v->key_at;
	return load_scalar(l, v, &w->value);
}

/* How lists and maps are read: an entry of them, and what all must be. */
static const struct entries {
	int (*load)(const struct loading *l, const struct yaml_value *v,
		void *entry);
	bool texts;  /* an entry begins with a text, none twice */
	bool guids;  /* it begins with a GUID or a key, none twice */
	bool sorted; /* by these GUIDs */
} kinds[] = {
	[SCHEMA_NAMES] = {.load = load_name, .texts = true},
	[SCHEMA_GUIDS] = {.load = load_scalar, .guids = true, .sorted = true},
	[SCHEMA_KEYS] = {.load = load_scalar, .guids = true},
	[SCHEMA_GUID_INTS] = {.load = load_guid_int,
		.guids = true,
		.sorted = true},
	[SCHEMA_SWITCHES] = {.load = load_scalar, .texts = true},
	[SCHEMA_DEVICES] = {.load = load_scalar},
	[SCHEMA_SHAPES] = {.load = load_scalar},
	[SCHEMA_WORDS] = {.load = load_word}, /* the file has no key twice */
	[SCHEMA_TEXTS] = {.load = load_text, .texts = true},
};

static int
by_text(const void *a, const void *b)
{
	const struct placed *x = a, *y = b;
	int c = strcmp(x->text, y->text);

	if (c != 0)
		return c;
	return diag_before(x->at, y->at) ? -1 : diag_before(y->at, x->at);
}

/* Report every entry that is listed twice. */
static void
check_duplicates(const struct loading *l, struct placed *p, size_t n)
{
	struct diag *e;

	qsort(p, n, sizeof(*p), by_text);
	for (size_t i = 1; i < n; i++) {
		if (strcmp(p[i].text, p[i - 1].text) != 0)
			continue;
		e = diag_add(l->d, p[i].at, "duplicate-value", l->path,
			"%s: %s is listed twice", l->path,
			l->o->secret ? "a key" : p[i].text);
		diag_note(l->d, e, p[i - 1].at, "listed here before");
		if (l->o->secret)
			diag_hide(e);
	}
}

/* The text by which an entry differs from the others. */
static const char *
entry_text(const struct loading *l, const void *entry)
{
	char text[24];

	if (kinds[l->o->type].texts)
		return *(const char *const *)entry;
	(void)snprintf(
		text, sizeof(text), "0x%016" PRIx64, *(const uint64_t *)entry);
	return arena_strdup(l->env->arena, text);
}

static void
load_entries(const struct loading *l, const struct yaml_value *all, void *field)
{
	const struct value_type *t = value_type(l->o->type);
	const struct entries *kind = &kinds[l->o->type];
	struct schema_option one = *l->o;
	struct loading item = {&one, l->env, l->d, l->path};
	char *entry = arena_array(l->env->arena, all->n, t->entry);
	struct placed *p = mem_zalloc(all->n, sizeof(*p));
	struct value_list list = {entry, 0};

	one.type = t->item;
	if (l->o->type == SCHEMA_KEYS)
		one.max = 0; /* that of a list of keys is their number */
	if (l->o->type == SCHEMA_NAMES && one.choices == NULL)
		one.choices = l->env->names;
	for (const struct yaml_value *v = all->first; v != NULL; v = v->next) {
		void *e = entry + list.n * t->entry;

		if ((t->map && v->key[0] == '\0') || /* already reported */
			kind->load(&item, v, e) < 0)
			continue;
		if (kind->texts || kind->guids)
			p[list.n] = (struct placed){
				entry_text(l, e), t->map ? v->key_at : v->at};
		list.n++;
	}
	if (kind->texts || kind->guids)
		check_duplicates(l, p, list.n);
	if (kind->sorted)
		qsort(entry, list.n, t->entry, value_by_guid);
	free(p);
	memcpy(field, &list, sizeof(list));
}

static void
load_keys(const struct loading *l, const struct yaml_value *list, void *field)
{
	struct reason why;

	load_entries(l, list, field);
	if (list->n <= l->o->max)
		return;
	(void)reason_set(&why, "at most %" PRIu64 " keys", l->o->max);
	(void)report_bad_value(l, list, why.text);
}

/* One record: its options have their defaults already. */
static void
load_record(const struct loading *l, const struct yaml_value *v, void *record)
{
	struct arena *scratch = arena_new();
	struct section k = {.arena = scratch};
	char path[2 * SECTION_KEY_MAX];

	(void)snprintf(path, sizeof(path), "%.80s.%.60s.", l->path, v->key);
	k.path = path;
	schema_section_add(&k, l->o->record, 0, l->o->reload);
	if (v->kind == YAML_KIND_MAP)
		schema_section_read(&k, v, record, l->env, l->d);
	else if (v->kind != YAML_KIND_BAD && !yaml_empty(v))
		diag_add(l->d, v->at, "value", l->path,
			"%s.%.60s: expected keys and their values", l->path,
			v->key);
	arena_free(scratch);
}

static void
load_records(const struct loading *l, const struct yaml_value *map,
	struct schema_records *field)
{
	struct arena *a = l->env->arena;
	const size_t size = l->o->record->size;
	const char **name = arena_array(a, map->n, sizeof(*name));
	struct diag_place *at = arena_array(a, map->n, sizeof(*at));
	char *record = arena_array(a, map->n, size);
	const struct yaml_value *v;
	size_t n = 0;

	for (v = map->first; v != NULL; v = v->next) {
		if (v->key[0] == '\0')
			continue; /* already reported */
		schema_defaults(l->o->record, record + n * size, l->env);
		load_record(l, v, record + n * size);
		name[n] = arena_strdup(a, v->key);
		at[n++] = v->key_at;
	}
	*field = (struct schema_records){name, at, record, n};
}

static void
load_option(const struct schema_option *o, const struct yaml_value *v,
	void *base, const struct schema_env *env, struct diag_list *d,
	const char *path)
{
	const struct value_type *t = value_type(o->type);
	struct loading l = {o, env, d, path};
	void *field = (char *)base + o->offset;
	bool many = o->type == SCHEMA_RECORDS || t->entry > 0;

	if (!many)
		(void)load_scalar(&l, v, field);
	else if (!is_kind(&l, v, t->map ? YAML_KIND_MAP : YAML_KIND_LIST))
		return;
	else if (o->type == SCHEMA_RECORDS)
		load_records(&l, v, field);
	else if (o->type == SCHEMA_KEYS)
		load_keys(&l, v, field);
	else
		load_entries(&l, v, field);
}

void
schema_print(const struct schema_option *o, const void *base, int indent,
	struct buf *out)
{
	value_print(o, (const char *)base + o->offset, indent, out);
}

bool
schema_same(const struct schema_option *o, const void *a, const void *b)
{
	struct buf x = {0}, y = {0};
	bool same;

	schema_print(o, a, -1, &x);
	schema_print(o, b, -1, &y);
	same = x.n == y.n && (x.n == 0 || memcmp(x.text, y.text, x.n) == 0);
	buf_free(&x);
	buf_free(&y);
	return same;
}

void
schema_range(const struct schema_option *o, const char *const *names,
	struct buf *out)
{
	value_range(o, names, out);
}

const char *
schema_type_name(enum schema_type type)
{
	return value_type(type)->name;
}

const char *
schema_reload_name(enum schema_reload reload)
{
	static const char *const name[] = {
		[SCHEMA_LIVE] = "live",
		[SCHEMA_REROUTE] = "reroute",
		[SCHEMA_RESWEEP] = "resweep",
		[SCHEMA_RESTART] = "restart",
	};

	return name[reload];
}

/* ---- sections ---- */

/* A map being read. */
struct reading {
	struct section *k;
	void *base;
	const struct schema_env *env;
	struct diag_list *d;
};

void
schema_section_add(struct section *k, const struct schema *s, size_t offset,
	enum schema_reload reload)
{
	struct section_key *key =
		arena_array(k->arena, k->n + s->n, sizeof(*key));
	size_t i;

	if (k->n > 0)
		memcpy(key, k->key, k->n * sizeof(*key));
	k->key = key;
	for (i = 0; i < s->n; i++) {
		key = &k->key[k->n++];
		key->o = &s->option[i];
		key->reload = key->o->reload != SCHEMA_AS_OTHERS
				      ? key->o->reload
				      : reload;
		key->offset = offset;
		(void)snprintf(key->name, sizeof(key->name), "%s%s%s", s->path,
			s->path[0] != '\0' ? "." : "", key->o->key);
	}
}

struct section_key *
schema_section_find(const struct section *k, const char *name)
{
	size_t i;

	for (i = 0; i < k->n; i++)
		if (strcmp(k->key[i].name, name) == 0)
			return &k->key[i];
	return NULL;
}

const void *
schema_section_base(const struct section_key *key, const void *base)
{
	return (const char *)base + key->offset;
}

/* True if a list of words with spaces between them has this one. */
static bool
has_word(const char *list, const char *word)
{
	size_t n = strlen(word), at;

	for (; *list != '\0'; list += at + (list[at] != '\0')) {
		at = strcspn(list, " ");
		if (at == n && strncmp(list, word, n) == 0)
			return true;
	}
	return false;
}

/* The first key for this option of OpenSM, or NULL. */
static const struct section_key *
find_opensm_key(const struct section *k, const char *theirs)
{
	for (size_t i = 0; i < k->n; i++) {
		const char *names = k->key[i].o->opensm;

		if (names != NULL && has_word(names, theirs))
			return &k->key[i];
	}
	return NULL;
}

const char *
schema_section_leaf(const char *name)
{
	const char *dot = strrchr(name, '.');

	return dot != NULL ? dot + 1 : name;
}

/* True when name is a map of keys: "fabric", "fabric.lmc". */
static bool
is_section(const struct section *k, const char *name)
{
	size_t i, n = strlen(name);

	for (i = 0; i < k->n; i++)
		if (strncmp(k->key[i].name, name, n) == 0 &&
			k->key[i].name[n] == '.')
			return true;
	return false;
}

/* The known key that an unknown word below prefix resembles, or that stands for
 * this option of OpenSM, or NULL. */
static const char *
find_similar_key(const struct reading *r, const char *prefix, const char *word)
{
	struct suggest s = suggest_for(word);
	size_t i, n = strlen(prefix);
	const struct section_key *meant =
		n == 0 ? find_opensm_key(r->k, word) : NULL;
	const char *leaf;
	char *sibling;

	if (meant != NULL)
		return meant->name;
	for (i = 0; i < r->k->n; i++) {
		const char *name = r->k->key[i].name;

		if (strncmp(name, prefix, n) != 0)
			continue;
		sibling = arena_strdup(r->env->arena, name + n);
		sibling[strcspn(sibling, ".")] = '\0';
		suggest_offer(&s, sibling);
	}
	if (s.best != NULL)
		return s.best;
	/* the right word in the wrong place */
	for (i = 0; i < r->k->n; i++) {
		leaf = schema_section_leaf(r->k->key[i].name);
		if (strcmp(leaf, word) == 0 ||
			strcmp(r->k->key[i].name, word) == 0)
			return r->k->key[i].name;
	}
	return NULL;
}

static void
report_unknown_key(struct reading *r, const struct yaml_value *v,
	const char *prefix, const char *path)
{
	const char *m;

	if (r->d->n == DIAG_MAX) {
		r->d->dropped++;
		return;
	}
	m = find_similar_key(r, prefix, v->key);
	if (m != NULL && strcmp(m, v->key) == 0)
		diag_add(r->d, v->key_at, "unknown-key", path,
			"'%s' is not one key; write each word between the "
			"dots on a line of its own, indented",
			v->key);
	else if (m != NULL)
		diag_add(r->d, v->key_at, "unknown-key", path,
			"unknown key '%.*s'; did you mean '%s'?",
			SECTION_KEY_MAX, v->key, m);
	else
		diag_add(r->d, v->key_at, "unknown-key", path,
			"unknown key '%.*s'", SECTION_KEY_MAX, v->key);
}

/*
 * Read a map of keys; prefix is "" or "fabric." or "fabric.lmc.". yaml_read has
 * bounded the depth.
 */
static void
read_map(/* NOLINT(misc-no-recursion) */
	struct reading *r, const struct yaml_value *map, const char *prefix)
{
	const struct yaml_value *v;
	struct section_key *k;
	char name[SECTION_KEY_MAX];
	char below[SECTION_KEY_MAX + 1];
	char path[2 * SECTION_KEY_MAX + 64];

	for (v = map->first; v != NULL; v = v->next) {
		int n = snprintf(name, sizeof(name), "%s%s", prefix, v->key);
		bool fits =
			n < (int)sizeof(name) && strchr(v->key, '.') == NULL;

		if (v->key[0] == '\0')
			continue; /* reported when the tree was made */
		(void)snprintf(path, sizeof(path), "%s%s", r->k->path, name);
		k = fits ? schema_section_find(r->k, name) : NULL;
		if (k != NULL) {
			k->at = v->at;
			k->v = v;
			load_option(k->o, v, (char *)r->base + k->offset,
				r->env, r->d, path);
		} else if (!fits || !is_section(r->k, name)) {
			report_unknown_key(r, v, prefix, path);
		} else if (v->kind == YAML_KIND_MAP) {
			(void)snprintf(below, sizeof(below), "%s.", name);
			read_map(r, v, below);
		} else if (v->kind != YAML_KIND_BAD && !yaml_empty(v)) {
			diag_add(r->d, v->at, "value", path,
				"%s: expected keys and their values", path);
		}
	}
}

void
schema_section_read(struct section *k, const struct yaml_value *map, void *base,
	const struct schema_env *env, struct diag_list *d)
{
	struct reading r = {k, base, env, d};

	read_map(&r, map, "");
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

/*
 * Print the headings of the sections that name opens after prev. Returns the
 * depth of its leaf.
 */
static int
open_sections(const char *name, const char *prev, int indent, struct buf *out)
{
	size_t from = shared_words(name, prev), i, word = 0;
	int depth = 0;

	for (i = 0; name[i] != '\0'; i++) {
		if (name[i] != '.')
			continue;
		if (i >= from && depth + indent == 0 && *prev != '\0')
			buf_printf(out, "\n");
		if (i >= from)
			buf_printf(out, "%*s%.*s:\n", indent + depth * 2, "",
				(int)(i - word), name + word);
		word = i + 1;
		depth++;
	}
	return depth;
}

/* Append one key and its value at this indentation. */
static void
print_key(const struct section_key *key, const void *base, int indent,
	struct buf *out)
{
	struct buf value = {0};

	schema_print(
		key->o, schema_section_base(key, base), indent + 2, &value);
	buf_printf(out, "%*s%s:", indent, "", schema_section_leaf(key->name));
	/* a list on lines of its own needs its unit above it */
	if (key->o->unit != NULL && value.text[0] == '\n')
		buf_printf(out, " # %s%s", key->o->unit, value.text);
	else if (key->o->unit != NULL)
		buf_printf(out, " %s # %s", value.text, key->o->unit);
	else
		buf_printf(out, "%s%s", value.text[0] == '\n' ? "" : " ",
			value.text);
	buf_printf(out, "\n");
	buf_free(&value);
}

void
schema_section_print(
	const struct section *k, const void *base, int indent, struct buf *out)
{
	const char *prev = "";
	size_t i;

	for (i = 0; i < k->n; i++) {
		const struct section_key *key = &k->key[i];
		int depth = open_sections(key->name, prev, indent, out);

		/* a key without a section is set off like one */
		if (depth + indent == 0 && *prev != '\0')
			buf_printf(out, "\n");
		print_key(key, base, indent + depth * 2, out);
		prev = key->name;
	}
}

void
schema_section_print_line(
	const struct section *k, const void *base, struct buf *out)
{
	size_t i;

	buf_put(out, "{", 1);
	for (i = 0; i < k->n; i++) {
		buf_printf(out, "%s%s: ", i > 0 ? ", " : "", k->key[i].name);
		schema_print(k->key[i].o, schema_section_base(&k->key[i], base),
			-1, out);
	}
	buf_put(out, "}", 1);
}
/* NOLINTEND(misc-no-recursion) */
