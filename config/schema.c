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

/* A GUID from the file with its place, to report one that is listed twice. */
struct placed {
	uint64_t guid;
	uint32_t value;
	struct diag_place at;
};

static void *
field_of(const struct schema_option *o, void *base)
{
	return (char *)base + o->offset;
}

static const void *
const_field_of(const struct schema_option *o, const void *base)
{
	return (const char *)base + o->offset;
}

int
schema_set(const struct schema_option *o, const char *text, void *base,
	const struct schema_env *env, struct reason *why)
{
	return value_set(o, text, field_of(o, base), env, why);
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
		value_type_name(l->o->type), kind_name(v->kind));
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

static void
report_duplicate(const struct loading *l, struct diag_place at,
	struct diag_place other, const char *what)
{
	struct diag *e = diag_add(l->d, at, "duplicate-value", l->path,
		"%s: %s is listed twice", l->path, what);

	diag_note(l->d, e, other, "listed here before");
	if (l->o->secret)
		diag_hide(e);
}

static int
load_names(const struct loading *l, const struct yaml_value *list,
	struct schema_names *field)
{
	const char *const *known =
		l->o->choices != NULL ? l->o->choices : l->env->names;
	const char **name;
	struct diag_place *at;
	const struct yaml_value *v;
	size_t many = 0, i, j, n = 0;
	int rc = 0;

	while (known != NULL && known[many] != NULL)
		many++;
	/* none is listed twice, so known bounds the list */
	name = arena_array(l->env->arena, many, sizeof(const char *));
	at = arena_array(l->env->arena, many, sizeof(*at));
	for (v = list->first; v != NULL; v = v->next) {
		struct schema_option one = {.key = l->o->key,
			.type = SCHEMA_ENUM,
			.choices = known,
			.def = l->o->def};
		struct loading item = {&one, l->env, l->d, l->path};
		uint32_t ix = 0;

		if (known == NULL || load_scalar(&item, v, &ix) < 0) {
			rc = -1;
			continue;
		}
		for (j = 0; j < n && name[j] != known[ix]; j++)
			;
		if (j < n) {
			report_duplicate(l, v->at, at[j], known[ix]);
			rc = -1;
			continue;
		}
		at[n] = v->at;
		name[n++] = known[ix];
	}
	for (i = 0; i < n; i++)
		name[i] = arena_strdup(l->env->arena, name[i]);
	*field = (struct schema_names){name, n};
	return rc;
}

static int
by_guid(const void *a, const void *b)
{
	const struct placed *x = a, *y = b;

	if (x->guid != y->guid)
		return x->guid < y->guid ? -1 : 1;
	return diag_before(x->at, y->at) ? -1 : diag_before(y->at, x->at);
}

/* Sort, and report every GUID that is listed twice. 0 or -1. */
static int
sort_guids(const struct loading *l, struct placed *p, size_t n)
{
	char text[24];
	size_t i;
	int rc = 0;

	qsort(p, n, sizeof(*p), by_guid);
	for (i = 1; i < n; i++) {
		if (p[i].guid != p[i - 1].guid)
			continue;
		(void)snprintf(text, sizeof(text), "0x%016" PRIx64, p[i].guid);
		report_duplicate(
			l, p[i].at, p[i - 1].at, l->o->secret ? "a key" : text);
		rc = -1;
	}
	return rc;
}

static int
load_guids(const struct loading *l, const struct yaml_value *list,
	struct schema_guids *field)
{
	struct schema_option one = {.key = l->o->key,
		.type = l->o->type == SCHEMA_KEYS ? SCHEMA_HEX : SCHEMA_GUID,
		.secret = l->o->secret,
		.def = l->o->def};
	struct loading item = {&one, l->env, l->d, l->path};
	struct placed *p = mem_zalloc(list->n, sizeof(*p));
	uint64_t *guid = arena_array(l->env->arena, list->n, sizeof(*guid));
	const struct yaml_value *v;
	struct reason why;
	size_t i, n = 0;
	int rc = 0;

	for (v = list->first; v != NULL; v = v->next) {
		p[n].at = v->at;
		if (load_scalar(&item, v, &p[n].guid) < 0)
			rc = -1;
		else
			n++;
	}
	for (i = 0; i < n; i++)
		guid[i] = p[i].guid;
	if (sort_guids(l, p, n) < 0)
		rc = -1;
	if (l->o->type == SCHEMA_KEYS && list->n > l->o->max) {
		(void)reason_set(&why, "at most %" PRIu64 " keys", l->o->max);
		rc = report_bad_value(l, list, why.text);
	}
	for (i = 0; i < n && l->o->type != SCHEMA_KEYS; i++)
		guid[i] = p[i].guid;
	free(p);
	*field = (struct schema_guids){guid, n};
	return rc;
}

/* One "GUID: integer". */
static int
load_guid_int(
	const struct loading *l, const struct yaml_value *v, struct placed *p)
{
	struct schema_option one = *l->o;
	struct loading item = {&one, l->env, l->d, l->path};

	if (v->key[0] == '\0')
		return -1; /* already reported */
	p->at = v->key_at;
	if (!value_guid(v->key, &p->guid)) {
		diag_add(l->d, v->key_at, "value", l->path,
			"%s: '%.60s' is not a GUID such as "
			"0x0002c90300a1b2c3",
			l->path, v->key);
		return -1;
	}
	one.type = SCHEMA_INT;
	return load_scalar(&item, v, &p->value);
}

static int
load_guid_ints(const struct loading *l, const struct yaml_value *map,
	struct schema_guid_ints *field)
{
	struct placed *p = mem_zalloc(map->n, sizeof(*p));
	struct schema_guid_int *entry =
		arena_array(l->env->arena, map->n, sizeof(*entry));
	const struct yaml_value *v;
	size_t i, n = 0;
	int rc = 0;

	for (v = map->first; v != NULL; v = v->next) {
		if (load_guid_int(l, v, &p[n]) < 0)
			rc = -1;
		else
			n++;
	}
	if (sort_guids(l, p, n) < 0)
		rc = -1;
	for (i = 0; i < n; i++)
		entry[i] = (struct schema_guid_int){p[i].guid, p[i].value};
	free(p);
	*field = (struct schema_guid_ints){entry, n};
	return rc;
}

static int
load_words(const struct loading *l, const struct yaml_value *map,
	struct schema_words *field)
{
	struct schema_option one = *l->o;
	struct loading item = {&one, l->env, l->d, l->path};
	struct schema_word *entry =
		arena_array(l->env->arena, map->n, sizeof(*entry));
	const struct yaml_value *v;
	size_t n = 0;
	int rc = 0;

	one.type = SCHEMA_ENUM;
	for (v = map->first; v != NULL; v = v->next) {
		if (v->key[0] == '\0' || /* already reported */
			load_scalar(&item, v, &entry[n].value) < 0) {
			rc = -1;
			continue;
		}
		entry[n].text = arena_strdup(l->env->arena, v->key);
		entry[n++].at = v->key_at;
	}
	*field = (struct schema_words){entry, n};
	return rc;
}

/* One record: its options have their defaults already. */
static int
load_record(const struct loading *l, const struct yaml_value *v, void *record)
{
	struct arena *scratch = arena_new();
	struct section k = {.arena = scratch};
	size_t before = diag_count(l->d);
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
	return diag_count(l->d) > before ? -1 : 0;
}

static int
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
	int rc = 0;

	for (v = map->first; v != NULL; v = v->next) {
		if (v->key[0] == '\0')
			continue; /* already reported */
		schema_defaults(l->o->record, record + n * size, l->env);
		if (load_record(l, v, record + n * size) < 0)
			rc = -1;
		name[n] = arena_strdup(a, v->key);
		at[n++] = v->key_at;
	}
	*field = (struct schema_records){name, at, record, n};
	return rc;
}

/* True, after a report, if the text is in the list already. */
static bool
is_listed_already(const struct loading *l, const struct yaml_value *v,
	const char *text, const struct placed *p, const char *const *name,
	size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(name[i], text) == 0) {
			report_duplicate(l, v->at, p[i].at, text);
			return true;
		}
	return false;
}

static int
load_switches(const struct loading *l, const struct yaml_value *list,
	struct schema_names *field)
{
	struct schema_option one = *l->o;
	struct loading item = {&one, l->env, l->d, l->path};
	struct placed *p = mem_zalloc(list->n, sizeof(*p));
	const char **name =
		arena_array(l->env->arena, list->n, sizeof(const char *));
	const struct yaml_value *v;
	size_t n = 0;
	int rc = 0;

	one.type = SCHEMA_SWITCH;
	for (v = list->first; v != NULL; v = v->next) {
		p[n].at = v->at;
		if (load_scalar(&item, v, &name[n]) < 0 ||
			is_listed_already(l, v, name[n], p, name, n))
			rc = -1;
		else
			n++;
	}
	free(p);
	*field = (struct schema_names){name, n};
	return rc;
}

static int
load_texts(const struct loading *l, const struct yaml_value *list,
	struct schema_texts *field)
{
	struct schema_option one = *l->o;
	struct loading item = {&one, l->env, l->d, l->path};
	struct schema_text *entry =
		arena_array(l->env->arena, list->n, sizeof(*entry));
	const struct yaml_value *v;
	size_t n = 0, i;
	int rc = 0;

	one.type = SCHEMA_STRING;
	for (v = list->first; v != NULL; v = v->next) {
		entry[n].at = v->at;
		if (load_scalar(&item, v, &entry[n].text) < 0) {
			rc = -1;
			continue;
		}
		for (i = 0; i < n; i++)
			if (strcmp(entry[i].text, entry[n].text) == 0)
				break;
		if (i < n) {
			report_duplicate(l, v->at, entry[i].at, entry[n].text);
			rc = -1;
			continue;
		}
		n++;
	}
	*field = (struct schema_texts){entry, n};
	return rc;
}

static int
load_devices(const struct loading *l, const struct yaml_value *list,
	struct schema_devices *field)
{
	struct schema_option one = *l->o;
	struct loading item = {&one, l->env, l->d, l->path};
	struct schema_device *entry =
		arena_array(l->env->arena, list->n, sizeof(*entry));
	const struct yaml_value *v;
	size_t n = 0;
	int rc = 0;

	one.type = SCHEMA_DEVICE;
	for (v = list->first; v != NULL; v = v->next) {
		if (load_scalar(&item, v, &entry[n]) < 0)
			rc = -1;
		else
			n++;
	}
	*field = (struct schema_devices){entry, n};
	return rc;
}

static int
load_shapes(const struct loading *l, const struct yaml_value *list,
	struct schema_shapes *field)
{
	struct schema_option one = *l->o;
	struct loading item = {&one, l->env, l->d, l->path};
	struct schema_shape *entry =
		arena_array(l->env->arena, list->n, sizeof(*entry));
	size_t n = 0;
	int rc = 0;

	one.type = SCHEMA_SHAPE;
	for (const struct yaml_value *v = list->first; v != NULL; v = v->next) {
		if (load_scalar(&item, v, &entry[n]) < 0)
			rc = -1;
		else
			n++;
	}
	*field = (struct schema_shapes){entry, n};
	return rc;
}

/* Read v into the field; mistakes go to d under path. 0 or -1. */
static int
load_option(const struct schema_option *o, const struct yaml_value *v,
	void *base, const struct schema_env *env, struct diag_list *d,
	const char *path)
{
	struct loading l = {o, env, d, path};
	void *field = field_of(o, base);

	switch (o->type) {
	case SCHEMA_NAMES:
		if (!is_kind(&l, v, YAML_KIND_LIST))
			return -1;
		return load_names(&l, v, field);
	case SCHEMA_GUIDS:
	case SCHEMA_KEYS:
		if (!is_kind(&l, v, YAML_KIND_LIST))
			return -1;
		return load_guids(&l, v, field);
	case SCHEMA_GUID_INTS:
		if (!is_kind(&l, v, YAML_KIND_MAP))
			return -1;
		return load_guid_ints(&l, v, field);
	case SCHEMA_WORDS:
		if (!is_kind(&l, v, YAML_KIND_MAP))
			return -1;
		return load_words(&l, v, field);
	case SCHEMA_RECORDS:
		if (!is_kind(&l, v, YAML_KIND_MAP))
			return -1;
		return load_records(&l, v, field);
	case SCHEMA_SWITCHES:
		if (!is_kind(&l, v, YAML_KIND_LIST))
			return -1;
		return load_switches(&l, v, field);
	case SCHEMA_TEXTS:
		if (!is_kind(&l, v, YAML_KIND_LIST))
			return -1;
		return load_texts(&l, v, field);
	case SCHEMA_DEVICES:
		if (!is_kind(&l, v, YAML_KIND_LIST))
			return -1;
		return load_devices(&l, v, field);
	case SCHEMA_SHAPES:
		if (!is_kind(&l, v, YAML_KIND_LIST))
			return -1;
		return load_shapes(&l, v, field);
	case SCHEMA_BOOL:
	case SCHEMA_INT:
	case SCHEMA_HEX:
	case SCHEMA_DURATION:
	case SCHEMA_FACTOR:
	case SCHEMA_STRING:
	case SCHEMA_PATH:
	case SCHEMA_ENUM:
	case SCHEMA_GUID:
	case SCHEMA_PORT:
	case SCHEMA_SWITCH:
	case SCHEMA_DEVICE:
	case SCHEMA_SHAPE:
	default:
		return load_scalar(&l, v, field);
	}
}

/* Each record with its keys below its name. */
static void
print_records(const struct schema_option *o, const struct schema_records *v,
	int indent, struct buf *out)
{
	struct arena *scratch = arena_new();
	struct section k = {.arena = scratch, .path = ""};
	struct buf lines = {0};
	size_t i;

	schema_section_add(&k, o->record, 0, o->reload);
	for (i = 0; i < v->n; i++) {
		buf_printf(out, "\n%*s", indent, "");
		value_quote(v->name[i], out);
		buf_printf(out, ":\n");
		schema_section_print(&k,
			(const char *)v->record + i * o->record->size,
			indent + 2, &lines);
		/* the caller ends the last line */
		buf_put(out, lines.text, lines.n - 1);
		buf_free(&lines);
	}
	arena_free(scratch);
}

static void
print_words(const struct schema_option *o, const struct schema_words *v,
	int indent, struct buf *out)
{
	size_t i;

	for (i = 0; i < v->n; i++) {
		buf_printf(out, "\n%*s", indent, "");
		value_quote(v->entry[i].text, out);
		buf_printf(out, ": %s", o->choices[v->entry[i].value]);
	}
}

void
schema_print(const struct schema_option *o, const void *base, int indent,
	struct buf *out)
{
	const void *field = const_field_of(o, base);
	const struct schema_guids *guids = field;
	const struct schema_guid_ints *ints = field;
	const struct schema_words *words = field;
	const struct schema_records *records = field;
	const struct schema_names *switches = field;
	size_t i;

	if (indent >= 0 &&
		(o->type == SCHEMA_GUIDS || o->type == SCHEMA_KEYS) &&
		guids->n > 0) {
		for (i = 0; i < guids->n; i++)
			buf_printf(out, "\n%*s- 0x%016" PRIx64, indent, "",
				guids->guid[i]);
	} else if (indent >= 0 && o->type == SCHEMA_GUID_INTS && ints->n > 0) {
		for (i = 0; i < ints->n; i++)
			buf_printf(out, "\n%*s0x%016" PRIx64 ": %" PRIu32,
				indent, "", ints->entry[i].guid,
				ints->entry[i].value);
	} else if (indent >= 0 && o->type == SCHEMA_WORDS && words->n > 0) {
		print_words(o, words, indent, out);
	} else if (indent >= 0 && o->type == SCHEMA_RECORDS && records->n > 0) {
		print_records(o, records, indent, out);
	} else if (indent >= 0 && o->type == SCHEMA_SWITCHES &&
		   switches->n > 0) {
		for (i = 0; i < switches->n; i++) {
			buf_printf(out, "\n%*s- ", indent, "");
			value_quote(switches->name[i], out);
		}
	} else {
		value_print(o, field, out);
	}
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
	return value_type_name(type);
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

/* The known key that an unknown word below prefix resembles, or NULL. */
static const char *
find_similar_key(const struct reading *r, const char *prefix, const char *word)
{
	struct suggest s = suggest_for(word);
	size_t i, n = strlen(prefix);
	const char *leaf;
	char *sibling;

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
			(void)load_option(k->o, v, (char *)r->base + k->offset,
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
