#include "sm/policy/roles.h"

#include <stdlib.h>
#include <string.h>

#include "sm/base/mem.h"
#include "sm/base/node_entry.h"
#include "sm/mad/mad_role.h"

/* One list of the configuration, and the role that it gives. */
struct list {
	const struct schema_names *names;
	uint8_t role;
};

enum { LISTS = 3 };

static void
get_lists(const struct config *c, struct list out[LISTS])
{
	const struct config_roles *r = &c->routing.roles;

	out[0] = (struct list){&r->leaf, ROUTE_ROLE_LEAF};
	out[1] = (struct list){&r->spine, ROUTE_ROLE_SPINE};
	out[2] = (struct list){&r->root, ROUTE_ROLE_ROOT};
}

/* Whether a list of switches has one that is no GUID. */
static bool
has_name(const struct schema_names *l)
{
	uint64_t guid;

	for (size_t i = 0; i < l->n; i++)
		if (!node_entry_is_guid(l->name[i], &guid))
			return true;
	return false;
}

/* The same of the lists among an engine's options. */
static bool
own_has_name(const struct schema_values *own)
{
	for (size_t i = 0; i < own->schema->n; i++) {
		const struct schema_option *o = &own->schema->option[i];

		if (o->type == SCHEMA_SWITCHES &&
			has_name((const void *)((const char *)own->value +
						o->offset)))
			return true;
	}
	return false;
}

bool
roles_by_name(const struct config *c)
{
	struct list list[LISTS];

	get_lists(c, list);
	for (int i = 0; i < LISTS; i++)
		if (has_name(list[i].names))
			return true;
	for (size_t i = 0; i < c->nown; i++)
		if (own_has_name(&c->own[i]))
			return true;
	return false;
}

/* The role that the configuration gives to one switch. hit: the entries that
 * match any switch, list after list. */
static struct route_role_of
configured_role(
	const struct config *c, uint64_t guid, const char *name, bool *hit)
{
	struct route_role_of r = {.guid = guid, .role = ROUTE_ROLE_NONE};
	struct list list[LISTS];
	size_t most = 0;

	get_lists(c, list);
	for (int i = 0; i < LISTS; i++)
		for (size_t k = 0; k < list[i].names->n; k++, hit++) {
			const char *entry = list[i].names->name[k];
			size_t w = node_entry_weight(entry, guid, name);

			*hit |= w > 0;
			if (w > 0 && w == most && r.role != list[i].role)
				r.torn = entry;
			if (w <= most)
				continue;
			most = w;
			r.role = list[i].role;
			r.torn = NULL;
		}
	return r;
}

static uint8_t
reported_role(uint8_t kind)
{
	switch (kind) {
	case MAD_ROLE_LEAF:
	case MAD_ROLE_LEAF_ROOT:
		return ROUTE_ROLE_LEAF;
	case MAD_ROLE_ROOT:
		return ROUTE_ROLE_ROOT;
	case MAD_ROLE_INTERMEDIATE:
		return ROUTE_ROLE_SPINE;
	default:
		return ROUTE_ROLE_NONE; /* no place in a tree */
	}
}

static int
by_guid(const void *pa, const void *pb)
{
	const struct route_role_of *a = pa, *b = pb;

	if (a->guid != b->guid)
		return a->guid < b->guid ? -1 : 1;
	return (int)a->told - (int)b->told;
}

/* Entries of the configuration that match no switch here. */
static size_t
add_unmatched(const struct config *c, const bool *hit,
	struct route_role_of *out, size_t n)
{
	struct list list[LISTS];

	get_lists(c, list);
	for (int i = 0; i < LISTS; i++)
		for (size_t k = 0; k < list[i].names->n; k++, hit++) {
			const char *entry = list[i].names->name[k];

			if (*hit)
				continue;
			out[n] = (struct route_role_of){
				.role = list[i].role, .entry = entry};
			if (node_entry_is_guid(entry, &out[n].guid))
				out[n].entry = NULL;
			n++;
		}
	return n;
}

struct route_role_of *
roles_of(const struct config *c, const struct topo *t, size_t *n)
{
	const struct config_roles *r = &c->routing.roles;
	size_t entries = r->leaf.n + r->spine.n + r->root.n;
	bool *hit = mem_zalloc(entries, sizeof(*hit));
	struct route_role_of *out =
		mem_zalloc(2 * (size_t)t->nsw + entries + 1, sizeof(*out));

	*n = 0;
	for (sw_ix s = 0; s < t->nsw; s++) {
		node_ix x = t->sw[s].node;
		struct route_role_of is = configured_role(
			c, t->node[x].guid, topo_desc(t, x), hit);

		if (is.role != ROUTE_ROLE_NONE)
			out[(*n)++] = is;
		is = (struct route_role_of){.guid = t->node[x].guid,
			.role = reported_role(t->node[x].role),
			.told = true};
		if (is.role != ROUTE_ROLE_NONE)
			out[(*n)++] = is;
	}
	*n = add_unmatched(c, hit, out, *n);
	free(hit);
	qsort(out, *n, sizeof(*out), by_guid);
	return out;
}
