#include "config/config.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/adaptive_check.h"
#include "config/config_files.h"
#include "config/config_priv.h"
#include "config/option_table.h"
#include "config/partition_options.h"
#include "config/qos_options.h"
#include "config/setting.h"
#include "config/value.h"
#include "config/yaml.h"
#include "sm/base/mem.h"

/* A file, or several together, being read. */
struct parsing {
	struct section keys;
	struct config *c;
	struct schema_env env;
	struct diag_list *d;
};

/* Where the options of a module begin in the memory of a configuration: behind
 * struct config and those of the modules before. */
static size_t
place_module(const struct schema_module *const *modules, size_t i)
{
	enum { ALIGN = 16 };
	size_t at = sizeof(struct config);

	for (size_t k = 0; k <= i; k++) {
		at = (at + ALIGN - 1) / ALIGN * ALIGN;
		if (k < i && modules[k]->options != NULL)
			at += modules[k]->options->size;
	}
	return at;
}

static size_t
count_modules(const struct schema_module *const *modules)
{
	size_t n = 0;

	while (modules != NULL && modules[n] != NULL)
		n++;
	return n;
}

struct section
config_keys(struct arena *a, const struct schema_module *const *modules)
{
	const struct options_section *s;
	size_t n, count = count_modules(modules);
	struct section k = {.arena = a, .path = ""};

	s = options_all(&n);
	for (size_t i = 0; i < n; i++) {
		schema_section_add(&k, s[i].schema, s[i].offset, s[i].reload);
		if (strcmp(s[i].schema->path, "routing") != 0)
			continue;
		for (size_t m = 0; m < count; m++)
			if (modules[m]->options != NULL)
				schema_section_add(&k, modules[m]->options,
					place_module(modules, m),
					SCHEMA_REROUTE);
	}
	return k;
}

/* True if both are the same switch GUID, name or pattern. */
static bool
same_switch(const char *a, const char *b)
{
	uint64_t x, y;

	if (value_guid(a, &x) && value_guid(b, &y))
		return x == y;
	return strcmp(a, b) == 0;
}

/* Report the switches that are in both lists. */
static void
check_roles(struct parsing *p, const struct section_key *a,
	const struct section_key *b)
{
	const struct yaml_value *v, *w;

	for (v = a->v != NULL ? a->v->first : NULL; v != NULL; v = v->next)
		for (w = b->v != NULL ? b->v->first : NULL; w != NULL;
			w = w->next)
			if (same_switch(v->text, w->text))
				diag_note(p->d,
					diag_add(p->d, w->at, "two-roles",
						b->name,
						"%s: '%.64s' has another role "
						"already",
						b->name, w->text),
					v->at, "it is given here");
}

static void
check_method(struct parsing *p)
{
	const struct config_distribution *d = &p->c->distribution;
	const struct section_key *key =
		schema_section_find(&p->keys, "distribution.method");

	if (d->method == CONFIG_METHOD_DYNAMIC && !d->allow_unsafe)
		diag_add(p->d, key->at, "unsafe", key->name,
			"distribution.method: dynamic can deadlock the fabric "
			"while tables are written; it needs "
			"distribution.allow_unsafe: true");
}

static bool
is_default(const struct parsing *p, const struct section_key *key)
{
	struct buf value = {0};
	bool same;

	schema_print(key->o, schema_section_base(key, p->c), -1, &value);
	same = strcmp(value.text, schema_default(key->o, &p->env)) == 0;
	buf_free(&value);
	return same;
}

/*
 * An answer to a poll is waited for as long as that to any first try, but not
 * longer than polls are apart: an interval that is given must allow it. With
 * the default one it says the same as without, since config_print gives all.
 */
static void
check_polls(struct parsing *p)
{
	const struct config *c = p->c;
	const struct section_key *poll =
		schema_section_find(&p->keys, "standby.poll_interval");
	const struct section_key *wait =
		schema_section_find(&p->keys, "smp.timeout");
	struct diag *e;

	if (poll->at.line == 0 ||
		!mono_before(c->standby.poll_interval, c->smp.timeout) ||
		is_default(p, poll))
		return;
	e = diag_add(p->d, poll->at, "impossible-poll", poll->name,
		"standby.poll_interval (%g ms) is below smp.timeout (%g ms): a "
		"poll would be over before its answer is",
		mono_seconds(c->standby.poll_interval) * 1e3,
		mono_seconds(c->smp.timeout) * 1e3);
	if (wait->at.line > 0)
		diag_note(p->d, e, wait->at, "smp.timeout is given here");
}

/* A module's option that has the name of another one would hide it. */
static void
check_declared(struct parsing *p)
{
	const struct section_key *key = p->keys.key;

	for (size_t i = 0; i < p->keys.n; i++)
		if (schema_section_find(&p->keys, key[i].name) != &key[i])
			diag_add(p->d, key[i].at, "declared-twice", key[i].name,
				"%s is declared by two modules", key[i].name);
}

/* Rules between options, which no single row can judge. */
static void
check_together(struct parsing *p)
{
	static const char *const role[] = {"routing.roles.leaf",
		"routing.roles.spine", "routing.roles.root"};
	const struct config_lids *lids = &p->c->fabric.lids;
	const struct section_key *first =
		schema_section_find(&p->keys, "fabric.lids.first");
	const struct section_key *last =
		schema_section_find(&p->keys, "fabric.lids.last");
	const struct section_key *at = first->at.line > 0 ? first : last;
	struct diag *e;

	for (size_t i = 0; i < 3; i++)
		for (size_t j = i + 1; j < 3; j++)
			check_roles(p, schema_section_find(&p->keys, role[i]),
				schema_section_find(&p->keys, role[j]));
	check_method(p);
	check_polls(p);
	if (lids->first <= lids->last)
		return;
	e = diag_add(p->d, at->at, "reversed-range", at->name,
		"fabric.lids.first (%u) is above fabric.lids.last (%u)",
		lids->first, lids->last);
	if (first->at.line > 0 && last->at.line > 0)
		diag_note(p->d, e, last->at, "fabric.lids.last is given here");
}

static const char **
list_names(struct arena *a, const struct schema_module *const *modules)
{
	size_t n = count_modules(modules);
	const char **name = arena_array(a, n + 1, sizeof(*name));

	for (size_t i = 0; i < n; i++)
		name[i] = modules[i]->name;
	return modules != NULL ? name : NULL;
}

/* The names of the preferred modules, as a list. */
static const char *
list_preferred(struct arena *a, const struct schema_module *const *modules)
{
	struct buf text = {0};
	const char *before = "[", *list;

	for (size_t i = 0; i < count_modules(modules); i++)
		if (modules[i]->preferred) {
			buf_printf(&text, "%s%s", before, modules[i]->name);
			before = ", ";
		}
	buf_printf(&text, "%s]", text.n == 0 ? "[" : "");
	list = arena_strdup(a, text.text);
	buf_free(&text);
	return list;
}

struct schema_env
config_env(struct arena *a, const struct schema_module *const *modules)
{
	return (struct schema_env){
		a, list_names(a, modules), list_preferred(a, modules)};
}

static void
set_module_defaults(struct config *c, const struct schema_env *env)
{
	size_t n = count_modules(c->modules);

	c->own = arena_array(c->arena, n, sizeof(*c->own));
	for (size_t i = 0; i < n; i++) {
		const struct schema *s = c->modules[i]->options;
		char *value = (char *)c + place_module(c->modules, i);

		if (s == NULL)
			continue;
		schema_defaults(s, value, env);
		c->own[c->nown++] = (struct schema_values){s, value};
	}
}

struct config *
config_new(const struct schema_module *const *modules, struct schema_env *env)
{
	struct arena *a = arena_new();
	size_t bytes = place_module(modules, count_modules(modules));
	struct config *c = memset(arena_alloc(a, bytes), 0, bytes);
	const struct options_section *s;
	size_t n, i;

	c->arena = a;
	c->refs = 1;
	c->modules = modules;
	*env = config_env(a, modules);
	s = options_all(&n);
	for (i = 0; i < n; i++)
		schema_defaults(s[i].schema, (char *)c + s[i].offset, env);
	set_module_defaults(c, env);
	return c;
}

struct config *
config_default(const struct schema_module *const *modules)
{
	struct schema_env env;

	return config_new(modules, &env);
}

/* The last words of the keys with values that must not be shown. */
static const char *const *
list_secret_words(const struct section *k, struct arena *a)
{
	const char **list = arena_array(a, k->n + 1, sizeof(const char *));
	size_t i, n = 0;

	for (i = 0; i < k->n; i++)
		if (k->key[i].o->secret)
			list[n++] = arena_strdup(
				a, schema_section_leaf(k->key[i].name));
	return list;
}

/* Each subnet has one entry, and at least one router. */
static void
check_prefix_routes(const struct schema_records *all, struct diag_list *d)
{
	const struct config_prefix_route *r = all->record;

	for (size_t i = 0; i < all->n; i++) {
		size_t k = 0;

		if (r[i].routers.n == 0)
			diag_add(d, all->at[i], "missing-key", all->name[i],
				"sa.prefix_routes.%.60s: no routers",
				all->name[i]);
		while (k < i && r[k].prefix != r[i].prefix)
			k++;
		if (k < i)
			diag_add(d, all->at[i], "duplicate-value", all->name[i],
				"sa.prefix_routes.%.60s: prefix 0x%016llx is "
				"already given by sa.prefix_routes.%.60s",
				all->name[i], (unsigned long long)r[i].prefix,
				all->name[k]);
	}
}

/* Read the tree of a file into p->c; root NULL: the mistake is reported
 * already. */
static void
read_keys(struct parsing *p, const struct yaml_value *root)
{
	if (root != NULL && root->kind == YAML_KIND_MAP)
		schema_section_read(&p->keys, root, p->c, &p->env, p->d);
	else if (root != NULL && root->kind != YAML_KIND_BAD)
		diag_add(p->d, root->at, "value", "",
			"expected keys and their values, such as 'fabric:'");
}

/* The same, and judge it as a whole. */
static void
read_tree(struct parsing *p, const struct yaml_value *root)
{
	read_keys(p, root);
	if (diag_count(p->d) > 0)
		return;
	check_declared(p);
	check_together(p);
	partition_check(&p->c->partitions, p->d);
	check_prefix_routes(&p->c->sa.prefix_routes, p->d);
	qos_check(p->c, p->d);
	adaptive_check(p->c, &p->keys, p->d);
}

/* Keys up to 1 are those with which managers come: OpenSM's sm_key and sa_key
 * are 1, and 0 is none. */
static bool
is_key_secret(const struct section_key *key, const struct config *c)
{
	const char *base = schema_section_base(key, c);
	const void *field = base + key->o->offset;
	const struct schema_guids *list = field;

	if (!key->o->secret)
		return false;
	if (key->o->type != SCHEMA_KEYS)
		return *(const uint64_t *)field > 1;
	return list->n > 0 && list->guid[list->n - 1] > 1; /* they are sorted */
}

/* Step to the next secret option, from *i on, whose key is a secret. */
static bool
next_secret(const struct section *k, const struct config *c, size_t *i)
{
	while (*i < k->n && !is_key_secret(&k->key[*i], c))
		++*i;
	return *i < k->n;
}

/* A key that every user can read protects nothing. */
static void
refuse_open_secrets(struct parsing *p, const struct config_file *f)
{
	size_t i = 0;

	if (f->open && next_secret(&p->keys, p->c, &i))
		(void)diag_add(p->d,
			(struct diag_place){0, 0, diag_source_now(p->d)},
			"readable", p->keys.key[i].name,
			"every user can read this file, and %s is secret: "
			"chmod o= %.200s",
			p->keys.key[i].name, f->name);
}

/*
 * The tree of one file, which is judged by itself as far as that can be done:
 * what another file replaces has no mistakes either. NULL after one.
 */
static struct yaml_value *
read_file(const struct config_file *f,
	const struct schema_module *const *modules, struct arena *a,
	struct diag_list *d)
{
	struct parsing p = {.d = d, .keys = config_keys(a, modules)};
	size_t before = diag_count(d);
	struct yaml_value *root;

	if (f->why.text[0] != '\0') {
		diag_add(d, (struct diag_place){0, 0, diag_source_now(d)},
			"unreadable", "", "%s", f->why.text);
		return NULL;
	}
	p.c = config_new(modules, &p.env);
	root = yaml_read(a, f->text != NULL ? f->text : "", f->len, d);
	read_keys(&p, root);
	if (diag_count(d) == before)
		refuse_open_secrets(&p, f);
	config_unref(p.c);
	return diag_count(d) == before ? root : NULL;
}

/* Keep the names of the files that there are, and what comes from where. */
static void
keep_origins(struct parsing *p, const struct config_files *all)
{
	const char **name = arena_array(p->c->arena, all->n, sizeof(*name));

	for (size_t i = 0; i < all->n; i++)
		name[i] = arena_strdup(p->c->arena, all->item[i].name);
	p->c->file = name;
	p->c->nfiles = all->n == 1 && all->item[0].absent ? 0 : all->n;
	origin_list(&p->keys, p->c, p->c->arena, &p->c->origins);
}

/* The configuration of these files, the later on top of the earlier. */
static struct config *
parse_files(const struct config_files *all,
	const struct schema_module *const *modules, struct diag_list *d)
{
	struct arena *scratch = arena_new();
	struct parsing p = {.d = d, .keys = config_keys(scratch, modules)};
	struct yaml_value *root = NULL, *over;

	for (size_t i = 0; i < all->n; i++) {
		const struct config_file *f = &all->item[i];

		if (i > 0) {
			diag_next(d, f->name, f->text, f->len);
		} else {
			diag_begin(d, f->name, f->text, f->len);
			d->secret = list_secret_words(&p.keys, d->arena);
		}
		over = read_file(f, modules, scratch, d);
		if (root == NULL)
			root = over;
		else if (over != NULL)
			yaml_merge(root, over);
	}
	p.c = config_new(modules, &p.env);
	if (diag_count(d) == 0)
		read_tree(&p, root);
	if (diag_count(d) == 0)
		keep_origins(&p, all);
	diag_end(d);
	arena_free(scratch);
	if (diag_count(d) == 0)
		return p.c;
	config_unref(p.c);
	return NULL;
}

struct config *
config_parse(const char *file, const char *text, size_t len,
	const struct schema_module *const *modules, struct diag_list *d)
{
	char *name = mem_strdup(file), *copy = mem_dup(text, len);
	struct config_file one = {.name = name, .text = copy, .len = len};
	const struct config_files all = {&one, 1, 1};
	struct config *c = parse_files(&all, modules, d);

	free(name);
	free(copy);
	return c;
}

struct config *
config_load(const char *file, bool must_exist,
	const struct schema_module *const *modules, struct diag_list *d)
{
	struct config_files all;
	struct config *c;

	config_files_read(&all, file, must_exist);
	c = parse_files(&all, modules, d);
	config_files_free(&all);
	return c;
}

/* The first mistake as a reason. */
static void
first_mistake(const struct diag_list *d, struct reason *why)
{
	(void)reason_set(why, "%s",
		d->n > 0 ? d->item[0].message : "this cannot be read");
}

struct config *
config_with(const struct config *base, const char *const *set, size_t n,
	struct reason *why)
{
	struct arena *scratch = arena_new();
	struct diag_list d;
	struct parsing p = {
		.d = &d, .keys = config_keys(scratch, base->modules)};
	struct buf text = {0};
	struct yaml_value *root;
	int rc = 0;

	config_print(base, &text);
	diag_begin(&d, "settings", NULL, 0);
	root = yaml_read(scratch, text.text, text.n, &d);
	buf_free(&text);
	for (size_t i = 0; i < n && root != NULL && rc == 0; i++)
		rc = setting_put(root, set[i], &p.keys, scratch, why);
	p.c = config_new(base->modules, &p.env);
	if (rc == 0)
		read_tree(&p, root);
	if (rc == 0 && diag_count(&d) > 0)
		first_mistake(&d, why);
	if (rc != 0 || diag_count(&d) > 0) {
		config_unref(p.c);
		p.c = NULL;
	}
	diag_free(&d);
	arena_free(scratch);
	return p.c;
}

/* was, with the secrets of is, masked if mask is not NULL; otherwise with its
 * options that take a restart, too. */
static struct config *
take_over_options(const struct config *was, const struct config *is,
	config_masker *mask, void *cookie, struct reason *why)
{
	struct arena *scratch = arena_new();
	struct section k = config_keys(scratch, was->modules);
	const char **set = arena_array(scratch, k.n, sizeof(*set));
	struct config *c;
	size_t n = 0;

	for (size_t i = 0; i < k.n; i++) {
		const struct section_key *key = &k.key[i];
		struct buf value = {0}, b = {0};

		if (!key->o->secret &&
			(mask != NULL || key->reload != SCHEMA_RESTART))
			continue;
		schema_print(key->o, schema_section_base(key, is), -1, &value);
		buf_printf(&b, "%s=", key->name);
		if (mask != NULL)
			mask(cookie, value.text, &b);
		else
			buf_put(&b, value.text, value.n);
		set[n++] = arena_strdup(scratch, b.text);
		buf_free(&value);
		buf_free(&b);
	}
	c = config_with(was, set, n, why);
	arena_free(scratch);
	return c;
}

struct config *
config_keep(
	const struct config *was, const struct config *is, struct reason *why)
{
	return take_over_options(was, is, NULL, NULL, why);
}

struct config *
config_mask(const struct config *c, config_masker *mask, void *cookie,
	struct reason *why)
{
	return take_over_options(c, c, mask, cookie, why);
}

struct config *
config_ref(struct config *c)
{
	if (c != NULL)
		__atomic_add_fetch(&c->refs, 1, __ATOMIC_RELAXED);
	return c;
}

void
config_unref(struct config *c)
{
	if (c != NULL && __atomic_sub_fetch(&c->refs, 1, __ATOMIC_ACQ_REL) == 0)
		arena_free(c->arena); /* c itself lives there */
}

void
config_print(const struct config *c, struct buf *out)
{
	struct arena *scratch = arena_new();
	struct section k = config_keys(scratch, c->modules);

	schema_section_print(&k, c, 0, out);
	arena_free(scratch);
}

void
config_publish(const struct config *c, struct buf *out)
{
	struct arena *scratch = arena_new();
	struct section k = config_keys(scratch, c->modules);
	size_t n = 0;

	for (size_t i = 0; i < k.n; i++)
		if (!k.key[i].o->secret)
			k.key[n++] = k.key[i];
	k.n = n;
	schema_section_print(&k, c, 0, out);
	arena_free(scratch);
}

void
config_show(const struct config *c, struct buf *out)
{
	struct arena *scratch = arena_new();
	struct section k = config_keys(scratch, c->modules);

	config_publish(c, out);
	for (size_t i = 0; next_secret(&k, c, &i); i++)
		buf_printf(out, "# %s is set, and not shown\n", k.key[i].name);
	arena_free(scratch);
}

static char *
value_text(const struct config *c, const struct section_key *k)
{
	struct buf b = {0};

	if (k->o->secret)
		return mem_strdup("(secret)");
	schema_print(k->o, schema_section_base(k, c), -1, &b);
	return b.text;
}

void
config_diff(const struct config *was, const struct config *is,
	struct config_changes *out)
{
	struct arena *scratch = arena_new();
	struct section k = config_keys(scratch, is->modules);
	size_t i, cap = 0;

	assert(was->modules == is->modules);
	*out = (struct config_changes){0};
	for (i = 0; i < k.n; i++) {
		const struct section_key *key = &k.key[i];

		if (schema_same(key->o, schema_section_base(key, was),
			    schema_section_base(key, is)))
			continue;
		out->item =
			mem_grow(out->item, out->n, &cap, sizeof(*out->item));
		out->item[out->n++] =
			(struct config_change){.key = mem_strdup(key->name),
				.reload = key->reload,
				.secret = key->o->secret,
				.was = value_text(was, key),
				.is = value_text(is, key)};
		out->of[key->reload]++;
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
