#include "config/section.h"

#include <stdio.h>
#include <string.h>

#include "config/suggest.h"
#include "config/yaml.h"

/* A map being read. */
struct reading {
	struct section *k;
	void *base;
	const struct schema_env *env;
	struct diag_list *d;
};

void
section_add(struct section *k, const struct schema *s, size_t offset)
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
		key->offset = offset;
		(void)snprintf(key->name, sizeof(key->name), "%s%s%s", s->path,
			s->path[0] != '\0' ? "." : "", key->o->key);
	}
}

struct section_key *
section_find(const struct section *k, const char *name)
{
	size_t i;

	for (i = 0; i < k->n; i++)
		if (strcmp(k->key[i].name, name) == 0)
			return &k->key[i];
	return NULL;
}

const void *
section_base(const struct section_key *key, const void *base)
{
	return (const char *)base + key->offset;
}

const char *
section_leaf(const char *name)
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

/* What the user may have meant by an unknown word below prefix. */
static const char *
meant(const struct reading *r, const char *prefix, const char *word)
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
		leaf = section_leaf(r->k->key[i].name);
		if (strcmp(leaf, word) == 0 ||
			strcmp(r->k->key[i].name, word) == 0)
			return r->k->key[i].name;
	}
	return NULL;
}

static void
unknown(struct reading *r, const struct yaml_value *v, const char *prefix,
	const char *path)
{
	const char *m;

	if (r->d->n == DIAG_MAX) {
		r->d->dropped++;
		return;
	}
	m = meant(r, prefix, v->key);
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
 * Read a map of keys; prefix is "" or "fabric." or "fabric.lmc.". The reader
 * of YAML has bounded the depth.
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
		k = fits ? section_find(r->k, name) : NULL;
		if (k != NULL) {
			k->at = v->at;
			k->v = v;
			(void)schema_load(k->o, v, (char *)r->base + k->offset,
				r->env, r->d, path);
		} else if (!fits || !is_section(r->k, name)) {
			unknown(r, v, prefix, path);
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
section_read(struct section *k, const struct yaml_value *map, void *base,
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

/* Print the sections that name opens after prev; the depth of its leaf. */
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

	schema_print(key->o, section_base(key, base), indent + 2, &value);
	buf_printf(out, "%*s%s:", indent, "", section_leaf(key->name));
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
section_print(
	const struct section *k, const void *base, int indent, struct buf *out)
{
	const char *prev = "";
	size_t i;

	for (i = 0; i < k->n; i++) {
		const struct section_key *key = &k->key[i];
		int depth = open_sections(key->name, prev, indent, out);

		/* a key without a section stands apart like one */
		if (depth + indent == 0 && *prev != '\0')
			buf_printf(out, "\n");
		print_key(key, base, indent + depth * 2, out);
		prev = key->name;
	}
}

void
section_print_line(const struct section *k, const void *base, struct buf *out)
{
	size_t i;

	buf_put(out, "{", 1);
	for (i = 0; i < k->n; i++) {
		buf_printf(out, "%s%s: ", i > 0 ? ", " : "", k->key[i].name);
		schema_print(
			k->key[i].o, section_base(&k->key[i], base), -1, out);
	}
	buf_put(out, "}", 1);
}
