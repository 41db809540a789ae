#include "sm/report/groups_json.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "distribution/push/mft.h"
#include "sm/mad/mad_sa.h"
#include "sm/report/names.h"

enum { STATES = 4 };

static void
put(json_t *o, const char *key, json_t *value)
{
	(void)json_object_set_new(o, key, value);
}

static json_t *
hex(uint64_t v, int digits)
{
	char text[24];

	(void)snprintf(
		text, sizeof(text), "0x%0*llx", digits, (unsigned long long)v);
	return json_string(text);
}

static json_t *
mgid(const struct mad_gid *g)
{
	char text[INET6_ADDRSTRLEN];
	uint8_t d[16];

	mad_sa_gid_encode(g, d);
	return json_string(inet_ntop(AF_INET6, d, text, sizeof(text)));
}

static json_t *
node(const struct topo *t, node_ix n)
{
	json_t *o = json_object();

	put(o, "guid", hex(t->node[n].guid, 16));
	put(o, "name", names_text(topo_desc(t, n)));
	return o;
}

/* The tree of a group, if there is one yet. */
static const struct mcast_tree *
tree_of(const struct groups_facts *f, const struct sa_kept_group *k)
{
	return f->tree[k->is.mlid - MFT_MLID];
}

static json_t *
root_of(const struct mcast_tree *tree)
{
	for (size_t i = 0; tree != NULL && i < tree->n; i++)
		if (tree->branch[i].parent == TOPO_NONE)
			return node(tree->topo,
				tree->topo->sw[tree->branch[i].sw].node);
	return json_null();
}

static json_t *
short_of(const struct groups_facts *f, const struct sa_kept_group *k)
{
	const struct mcast_tree *tree = tree_of(f, k);
	json_t *o = json_object();
	json_int_t hear = 0;

	for (size_t i = 0; i < k->n; i++)
		hear += (k->member[i].state &
				(MAD_SA_JOIN_FULL | MAD_SA_JOIN_NON)) != 0;
	put(o, "mgid", mgid(&k->is.mgid));
	put(o, "mlid", hex(k->is.mlid, 4));
	put(o, "pkey", hex(k->is.pkey, 4));
	put(o, "members", json_integer((json_int_t)k->n));
	put(o, "receivers", json_integer(hear));
	put(o, "switches",
		json_integer(tree != NULL ? (json_int_t)tree->n : 0));
	put(o, "root", root_of(tree));
	return o;
}

static json_t *
member(const struct topo *t, const struct sa_kept_member *m)
{
	static const char *const name[STATES] = {
		"full", "non-member", "send-only", "send-only full"};
	port_ix p = topo_by_port_guid(t, m->owner);
	json_t *o = json_object(), *states = json_array();

	put(o, "port_guid", hex(m->owner, 16));
	if (m->guid != m->owner)
		put(o, "guid", hex(m->guid, 16));
	put(o, "name",
		p == TOPO_NONE ? json_null()
			       : names_text(topo_desc(t, t->port[p].node)));
	for (unsigned i = 0; i < STATES; i++)
		if ((m->state >> i & 1) != 0)
			(void)json_array_append_new(
				states, json_string(name[i]));
	put(o, "states", states);
	put(o, "proxy", json_boolean(m->proxy));
	return o;
}

static json_t *
branch(const struct topo *t, const struct mcast_branch *b)
{
	json_t *o = node(t, t->sw[b->sw].node), *ports = json_array();

	put(o, "up",
		b->parent == TOPO_NONE ? json_null() : json_integer(b->up));
	put(o, "parent",
		b->parent == TOPO_NONE ? json_null()
				       : node(t, t->sw[b->parent].node));
	for (unsigned p = 0; p < 64 * MCAST_WORDS; p++)
		if (mcast_bit(b->mask, p))
			(void)json_array_append_new(
				ports, json_integer((json_int_t)p));
	put(o, "ports", ports);
	return o;
}

static json_t *
whole_of(const struct groups_facts *f, const struct sa_kept_group *k)
{
	const struct mcast_tree *tree = tree_of(f, k);
	json_t *o = short_of(f, k), *list = json_array();

	put(o, "qkey", hex(k->is.qkey, 8));
	put(o, "mtu", json_integer(128 << k->is.mtu));
	put(o, "rate_code", json_integer(k->is.rate));
	put(o, "sl", json_integer(k->is.sl));
	for (size_t i = 0; i < k->n; i++)
		(void)json_array_append_new(
			list, member(f->topo, &k->member[i]));
	put(o, "member", list);
	list = json_array();
	for (size_t i = 0; tree != NULL && i < tree->n; i++)
		(void)json_array_append_new(
			list, branch(tree->topo, &tree->branch[i]));
	put(o, "tree", list);
	return o;
}

/* Is it the one that is meant? */
static bool
meant(const struct sa_kept_group *k, const char *which)
{
	struct mad_gid g;
	uint8_t d[16];
	char *end;

	if (inet_pton(AF_INET6, which, d) == 1) {
		g = mad_sa_gid_decode(d);
		return g.prefix == k->is.mgid.prefix &&
		       g.guid == k->is.mgid.guid;
	}
	return strtoul(which, &end, 0) == k->is.mlid && *end == '\0';
}

json_t *
groups_json(const struct groups_facts *f, const char *which, struct reason *why)
{
	json_t *r = json_object(), *list = json_array();
	struct sa_stats n;

	sa_stats(f->sa, &n);
	for (uint32_t i = 0; i < n.groups; i++) {
		struct sa_kept_group k;

		sa_group_keep(f->sa, i, &k);
		if (which == NULL)
			(void)json_array_append_new(list, short_of(f, &k));
		else if (meant(&k, which))
			(void)json_array_append_new(list, whole_of(f, &k));
		free(k.member);
	}
	put(r, "groups", list);
	put(r, "one", json_boolean(which != NULL));
	if (which == NULL || json_array_size(list) > 0)
		return r;
	json_decref(r);
	(void)reason_set(
		why, "no group '%.60s': give its MGID or its MLID", which);
	return NULL;
}
