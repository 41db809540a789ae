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
put_json(json_t *o, const char *key, json_t *value)
{
	(void)json_object_set_new(o, key, value);
}

static json_t *
hex_json(uint64_t v, int digits)
{
	char text[24];

	(void)snprintf(
		text, sizeof(text), "0x%0*llx", digits, (unsigned long long)v);
	return json_string(text);
}

static json_t *
mgid_json(const struct mad_gid *g)
{
	char text[INET6_ADDRSTRLEN];
	uint8_t d[16];

	mad_sa_gid_encode(g, d);
	return json_string(inet_ntop(AF_INET6, d, text, sizeof(text)));
}

static json_t *
node_json(const struct topo *t, node_ix n)
{
	json_t *o = json_object();

	put_json(o, "guid", hex_json(t->node[n].guid, 16));
	put_json(o, "name", names_text(topo_desc(t, n)));
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
			return node_json(tree->topo,
				tree->topo->sw[tree->branch[i].sw].node);
	return json_null();
}

static json_t *
summary_json(const struct groups_facts *f, const struct sa_kept_group *k)
{
	const struct mcast_tree *tree = tree_of(f, k);
	json_t *o = json_object();
	json_int_t hear = 0;

	for (size_t i = 0; i < k->n; i++)
		hear += (k->member[i].state &
				(MAD_SA_JOIN_FULL | MAD_SA_JOIN_NON)) != 0;
	put_json(o, "mgid", mgid_json(&k->is.mgid));
	put_json(o, "mlid", hex_json(k->is.mlid, 4));
	put_json(o, "pkey", hex_json(k->is.pkey, 4));
	put_json(o, "members", json_integer((json_int_t)k->n));
	put_json(o, "receivers", json_integer(hear));
	put_json(o, "switches",
		json_integer(tree != NULL ? (json_int_t)tree->n : 0));
	put_json(o, "root", root_of(tree));
	return o;
}

static json_t *
member_json(const struct topo *t, const struct sa_kept_member *m)
{
	static const char *const name[STATES] = {
		"full", "non-member", "send-only", "send-only full"};
	port_ix p = topo_by_port_guid(t, m->owner);
	json_t *o = json_object(), *states = json_array();

	put_json(o, "port_guid", hex_json(m->owner, 16));
	if (m->guid != m->owner)
		put_json(o, "guid", hex_json(m->guid, 16));
	put_json(o, "name",
		p == TOPO_NONE ? json_null()
			       : names_text(topo_desc(t, t->port[p].node)));
	for (unsigned i = 0; i < STATES; i++)
		if ((m->state >> i & 1) != 0)
			(void)json_array_append_new(
				states, json_string(name[i]));
	put_json(o, "states", states);
	put_json(o, "proxy", json_boolean(m->proxy));
	return o;
}

static json_t *
branch_json(const struct topo *t, const struct mcast_branch *b)
{
	json_t *o = node_json(t, t->sw[b->sw].node), *ports = json_array();

	put_json(o, "up",
		b->parent == TOPO_NONE ? json_null() : json_integer(b->up));
	put_json(o, "parent",
		b->parent == TOPO_NONE ? json_null()
				       : node_json(t, t->sw[b->parent].node));
	for (unsigned p = 0; p < 64 * MCAST_WORDS; p++)
		if (mcast_bit(b->mask, p))
			(void)json_array_append_new(
				ports, json_integer((json_int_t)p));
	put_json(o, "ports", ports);
	return o;
}

static json_t *
group_json(const struct groups_facts *f, const struct sa_kept_group *k)
{
	const struct mcast_tree *tree = tree_of(f, k);
	json_t *o = summary_json(f, k), *list = json_array();

	put_json(o, "qkey", hex_json(k->is.qkey, 8));
	put_json(o, "mtu", json_integer(128 << k->is.mtu));
	put_json(o, "rate_code", json_integer(k->is.rate));
	put_json(o, "sl", json_integer(k->is.sl));
	for (size_t i = 0; i < k->n; i++)
		(void)json_array_append_new(
			list, member_json(f->topo, &k->member[i]));
	put_json(o, "member", list);
	list = json_array();
	for (size_t i = 0; tree != NULL && i < tree->n; i++)
		(void)json_array_append_new(
			list, branch_json(tree->topo, &tree->branch[i]));
	put_json(o, "tree", list);
	return o;
}

/* True if which is the MGID or the MLID of k. */
static bool
is_meant(const struct sa_kept_group *k, const char *which)
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
			(void)json_array_append_new(list, summary_json(f, &k));
		else if (is_meant(&k, which))
			(void)json_array_append_new(list, group_json(f, &k));
		free(k.member);
	}
	put_json(r, "groups", list);
	put_json(r, "one", json_boolean(which != NULL));
	if (which == NULL || json_array_size(list) > 0)
		return r;
	json_decref(r);
	(void)reason_set(
		why, "no group '%.60s': expected an MGID or an MLID", which);
	return NULL;
}
