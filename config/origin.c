#include "config/origin.h"

#include <stdlib.h>

#include "config/value.h"
#include "config/yaml.h"
#include "sm/base/mem.h"

struct listing {
	struct config_origin *item;
	size_t n, cap;
	struct arena *arena;
};

static void
add_row(struct listing *l, const char *key, const struct buf *value,
	struct diag_place at)
{
	l->item = mem_grow(l->item, l->n, &l->cap, sizeof(*l->item));
	l->item[l->n++] = (struct config_origin){arena_strdup(l->arena, key),
		arena_strdup(l->arena, value->text), at};
}

/* A value inside a map, as the file gives it. */
static void
print_given(const struct yaml_value *v, struct buf *out)
{
	const char *before = "";

	if (v->kind == YAML_KIND_MAP) {
		buf_printf(out, "{}");
	} else if (v->kind == YAML_KIND_SCALAR) {
		value_quote(v->text, out);
	} else {
		buf_printf(out, "[");
		for (v = v->first; v != NULL; v = v->next) {
			buf_printf(out, "%s", before);
			value_quote(v->text, out);
			before = ", ";
		}
		buf_printf(out, "]");
	}
}

/* The rows of what a file gives under this name. */
static void
add_given(/* NOLINT(misc-no-recursion): yaml_read has bounded the depth */
	struct listing *l, const char *name, const struct yaml_value *v)
{
	struct buf b = {0};

	if (v->kind != YAML_KIND_MAP || v->first == NULL) {
		print_given(v, &b);
		add_row(l, name, &b, v->at);
		buf_free(&b);
		return;
	}
	for (v = v->first; v != NULL; v = v->next) {
		buf_printf(&b, "%s.", name);
		value_quote(v->key, &b);
		add_given(l, b.text, v);
		buf_free(&b);
	}
}

void
origin_list(const struct section *k, const void *base, struct arena *a,
	struct config_origins *out)
{
	struct listing l = {.arena = a};
	struct config_origin *kept;

	for (size_t i = 0; i < k->n; i++) {
		const struct section_key *key = &k->key[i];
		struct buf b = {0};

		if (key->v != NULL && key->v->kind == YAML_KIND_MAP) {
			add_given(&l, key->name, key->v);
			continue;
		}
		if (key->v != NULL && key->o->secret)
			buf_printf(&b, "(secret)");
		else
			schema_print(
				key->o, schema_section_base(key, base), -1, &b);
		add_row(&l, key->name, &b, key->at);
		buf_free(&b);
	}
	kept = arena_array(a, l.n, sizeof(*kept));
	for (size_t i = 0; i < l.n; i++)
		kept[i] = l.item[i];
	free(l.item);
	*out = (struct config_origins){kept, l.n};
}
