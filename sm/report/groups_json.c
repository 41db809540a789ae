#include "sm/report/groups_json.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "distribution/push/mft.h"
#include "sm/mad/mad_sa.h"
#include "sm/report/json_util.h"
#include "sm/report/names.h"

enum { STATES = 4 };

static json_t *
mgid_json(const struct mad_gid *g)
{
	char text[INET6_ADDRSTRLEN];
	uint8_t d[16];

	mad_sa_gid_encode(g, d);
	return json_string(inet_ntop(AF_INET6, d, text, sizeof(text)));
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
			return names_node(tree->topo,
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
	json_util_put(o, M("mgid", mgid_json(&k->is.mgid)),
		M("mlid", json_sprintf("0x%04x", k->is.mlid)),
		M("pkey", json_sprintf("0x%04x", k->is.pkey)),
		M("members", k->n), M("receivers", hear),
		M("switches", tree != NULL ? (json_int_t)tree->n : 0),
		M("root", root_of(tree)));
	return o;
}

static json_t *
member_json(const struct topo *t, const struct sa_kept_member *m)
{
	static const char *const name[STATES] = {
		"full", "non-member", "send-only", "send-only full"};
	port_ix p = topo_by_port_guid(t, m->owner);
	json_t *o = json_object(), *states = json_array();

	json_util_put(o, M("port_guid", names_guid(m->owner)));
	if (m->guid != m->owner)
		json_util_put(o, M("guid", names_guid(m->guid)));
	json_util_put(o, M("name", p == TOPO_NONE ? json_null()
						  : names_text(topo_desc(t,
							    t->port[p].node))));
	for (unsigned i = 0; i < STATES; i++)
		if ((m->state >> i & 1) != 0)
			json_util_add(states, json_string(name[i]));
	json_util_put(o, M("states", states), M("proxy", m->proxy));
	return o;
}

static json_t *
branch_json(const struct topo *t, const struct mcast_branch *b)
{
	json_t *o = names_node(t, t->sw[b->sw].node), *ports = json_array();

	json_util_put(o,
		M("up", b->parent == TOPO_NONE ? json_null()
					       : json_integer(b->up)),
		M("parent", b->parent == TOPO_NONE
				    ? json_null()
				    : names_node(t, t->sw[b->parent].node)));
	for (unsigned p = 0; p < 64 * MCAST_WORDS; p++)
		if (mcast_bit(b->mask, p))
			json_util_add(ports, json_integer((json_int_t)p));
	json_util_put(o, M("ports", ports));
	return o;
}

static json_t *
group_json(const struct groups_facts *f, const struct sa_kept_group *k)
{
	const struct mcast_tree *tree = tree_of(f, k);
	json_t *o = summary_json(f, k), *list = json_array();

	json_util_put(o, M("qkey", json_sprintf("0x%08x", k->is.qkey)),
		M("mtu", 128 << k->is.mtu), M("rate_code", k->is.rate),
		M("sl", k->is.sl));
	for (size_t i = 0; i < k->n; i++)
		json_util_add(list, member_json(f->topo, &k->member[i]));
	json_util_put(o, M("member", list));
	list = json_array();
	for (size_t i = 0; tree != NULL && i < tree->n; i++)
		json_util_add(list, branch_json(tree->topo, &tree->branch[i]));
	json_util_put(o, M("tree", list));
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
			json_util_add(list, summary_json(f, &k));
		else if (is_meant(&k, which))
			json_util_add(list, group_json(f, &k));
		free(k.member);
	}
	json_util_put(
		r, M("groups", list), M("one", json_boolean(which != NULL)));
	if (which == NULL || json_array_size(list) > 0)
		return r;
	json_decref(r);
	(void)reason_set(
		why, "no group '%.60s': expected an MGID or an MLID", which);
	return NULL;
}
