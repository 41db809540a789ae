#include "config/config.h"

#include <assert.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/adaptive_check.h"
#include "config/config_files.h"
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

/* Every option with its whole name: those of the modules behind "routing". */
static struct section
keys_new(struct arena *a, const struct schema_module *const *modules)
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
 * longer than polls are apart: an interval that is given must allow it. With the
 * default one it says the same as without, since config_print gives all.
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

static struct schema_env
make_env(struct arena *a, const struct schema_module *const *modules)
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

static struct config *
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
	*env = make_env(a, modules);
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
	struct parsing p = {.d = d, .keys = keys_new(a, modules)};
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
	struct parsing p = {.d = d, .keys = keys_new(scratch, modules)};
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
	struct parsing p = {.d = &d, .keys = keys_new(scratch, base->modules)};
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
	struct section k = keys_new(scratch, was->modules);
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
	struct section k = keys_new(scratch, c->modules);

	schema_section_print(&k, c, 0, out);
	arena_free(scratch);
}

void
config_publish(const struct config *c, struct buf *out)
{
	struct arena *scratch = arena_new();
	struct section k = keys_new(scratch, c->modules);
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
	struct section k = keys_new(scratch, c->modules);

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
	struct section k = keys_new(scratch, is->modules);
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
	buf_printf(
		out, "On reload: %s.\n.Pp\n", schema_reload_name(key->reload));
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

void
config_mdoc(const struct schema_module *const *modules, struct buf *out)
{
	struct schema_env env;
	struct config *c = config_new(modules, &env);
	struct section k = keys_new(c->arena, modules);

	for (size_t i = 0; i < k.n; i++) {
		const struct schema_option *o = k.key[i].o;

		option_mdoc(&k.key[i], k.key[i].name,
			schema_section_base(&k.key[i], c), env.names, out);
		if (o->type == SCHEMA_RECORDS)
			record_mdoc(&k.key[i], &env, out);
	}
	config_unref(c);
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
	struct section k = keys_new(scratch, modules);
	const struct schema_env env = make_env(scratch, modules);
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
