#include "config/setting.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "config/diag.h"
#include "config/yaml.h"
#include "sm/base/buf.h"
#include "sm/base/suggest.h"

static int
refuse_unknown_key(
	const struct section *keys, const char *name, struct reason *why)
{
	struct suggest s = suggest_for(name);

	for (size_t i = 0; i < keys->n; i++)
		suggest_offer(&s, keys->key[i].name);
	return reason_set(why, "unknown key '%s'%s%s%s", name,
		s.best != NULL ? "; did you mean '" : "",
		s.best != NULL ? s.best : "", s.best != NULL ? "'?" : "");
}

/* True for an option, or for a key inside a record of one. */
static bool
is_known(const struct section *keys, const char *name)
{
	for (size_t i = 0; i < keys->n; i++) {
		const struct section_key *k = &keys->key[i];
		size_t n = strlen(k->name);

		if (strncmp(name, k->name, n) != 0)
			continue;
		if (name[n] == '\0' ||
			(name[n] == '.' && k->o->type == SCHEMA_RECORDS))
			return true;
	}
	return false;
}

/* The value as the file would give it. NULL and why. */
static struct yaml_value *
read_value(
	struct arena *a, const char *name, const char *text, struct reason *why)
{
	struct diag_list d;
	struct buf line = {0};
	struct yaml_value *root, *v = NULL;

	buf_printf(&line, "value: %s\n", text);
	diag_begin(&d, name, NULL, 0);
	root = yaml_read(a, line.text, line.n, &d);
	if (strpbrk(text, "\r\n") != NULL)
		(void)reason_set(why, "%s: a value is one line", name);
	else if (diag_count(&d) > 0)
		(void)reason_set(why, "%s: %s", name, d.item[0].message);
	else if (root == NULL || root->kind != YAML_KIND_MAP || root->n != 1)
		(void)reason_set(why, "%s: not a value", name);
	else
		v = root->first;
	diag_free(&d);
	buf_free(&line);
	return v;
}

/* The member with this key, n bytes; added where the map has none. */
static struct yaml_value *
find_or_add_member(
	struct yaml_value *map, const char *key, size_t n, struct arena *a)
{
	struct yaml_value **at = &map->first, *v;
	char *copy;

	if (map->kind != YAML_KIND_MAP) {
		map->kind = YAML_KIND_MAP;
		map->first = NULL;
		map->n = 0;
	}
	for (; *at != NULL; at = &(*at)->next)
		if (strlen((*at)->key) == n && memcmp((*at)->key, key, n) == 0)
			return *at;
	v = arena_alloc(a, sizeof(*v));
	copy = arena_alloc(a, n + 1);
	memcpy(copy, key, n);
	copy[n] = '\0';
	*v = (struct yaml_value){
		.kind = YAML_KIND_MAP, .at = map->at, .key_at = map->at};
	v->key = copy;
	*at = v;
	map->n++;
	return v;
}

int
setting_put(struct yaml_value *root, const char *text,
	const struct section *keys, struct arena *a, struct reason *why)
{
	size_t n = strcspn(text, "="), word;
	char name[2 * SECTION_KEY_MAX];
	struct yaml_value *v, *at = root;

	if (text[n] == '\0' || n == 0 || n >= sizeof(name))
		return reason_set(why, "'%.80s': expected key=value", text);
	(void)snprintf(name, sizeof(name), "%.*s", (int)n, text);
	if (!is_known(keys, name))
		return refuse_unknown_key(keys, name, why);
	v = read_value(a, name, text + n + 1, why);
	if (v == NULL)
		return -1;
	for (const char *rest = name;; rest += word + 1) {
		word = strcspn(rest, ".");
		at = find_or_add_member(at, rest, word, a);
		if (rest[word] == '\0')
			break;
	}
	v->key = at->key;
	v->key_at = at->key_at;
	v->next = at->next;
	*at = *v;
	return 0;
}
