/*
 * MCMemberRecord (IBA 15.2.5.17): ports join groups and leave them. Set joins,
 * and makes the group if there is none; Delete leaves; Get lists groups and,
 * for trusted requesters, their members.
 *
 * A join that contradicts its group is refused: another partition, another
 * Q_Key, an MTU or a rate that the group or the port does not have. Service
 * level, traffic class, flow label, hop limit and packet lifetime are set by
 * the group and learned by the joiner: applications ask for the values that
 * their socket was set to.
 */
#include <string.h>

#include "sm/base/be.h"
#include "sm/sa/sa_priv.h"
#include "sm/view/view_slvl.h"

enum {
	SIZE = 56,
	MULTICAST = 0xff,
	FLAGS = 0xe, /* of an MGID: reserved */
	MAX_LIFE = 0x3f,
	MTU_MIN = 1,
	MTU_MAX = 5,
	RATE_MAX = 25, /* 1600 Gb/s: the fastest rate */
	LINK_SCOPE = 2,
	KEEPS = MAD_SA_JOIN_FULL | MAD_SA_JOIN_SEND_FULL,
	JOIN = MAD_SA_MEMBER_MGID | MAD_SA_MEMBER_GID | MAD_SA_MEMBER_STATE,
	CREATE = MAD_SA_MEMBER_GID | MAD_SA_MEMBER_STATE | MAD_SA_MEMBER_QKEY |
		 MAD_SA_MEMBER_TCLASS | MAD_SA_MEMBER_PKEY |
		 MAD_SA_MEMBER_FLOW | MAD_SA_MEMBER_SL,
};

/* A decoded request to join or leave. */
struct request {
	struct mad_sa_member want;
	struct sa_end end; /* of the membership */
	uint8_t mtu, rate; /* the most that the port can take */
	uint16_t pkey;	   /* as the port has it */
};

static bool
has_components(const struct sa_query *q, uint64_t parts)
{
	return (q->h.mask & parts) == parts;
}

/* Decode a request to join or leave, and check that the requester may make it;
 * 0 or a status. */
static uint16_t
read_request(const struct sa_query *q, struct request *r)
{
	const struct topo *t = q->view->topo;
	const struct topo_port *p;
	uint16_t status;

	mad_sa_member_decode(q->want, &r->want);
	if (!has_components(q, MAD_SA_MEMBER_GID | MAD_SA_MEMBER_STATE))
		return MAD_SA_INSUF_COMPS;
	if (r->want.state == 0)
		return MAD_SA_REQ_INVALID;
	status = sa_ends_by_gid(q, &r->want.gid, &r->end);
	if (status != 0)
		return status;
	if (r->end.port != q->from && !q->trusted)
		return MAD_SA_DENIED;
	p = &t->port[r->end.port];
	r->mtu = sa_path_mtu_of(t, p);
	/* port 0 of a switch has no link that could be slow */
	r->rate = t->node[p->node].type == TOPO_SWITCH ? RATE_MAX
						       : sa_path_rate_of(p);
	return 0;
}

/* True if the port is in the partition, and the port or the group is a full
 * member of it. */
static bool
may_talk(const struct sa_query *q, struct request *r, uint16_t pkey)
{
	r->pkey = view_partition_has(q->view, r->end.port, r->end.port, pkey);
	return r->pkey != 0 && ((r->pkey | pkey) & PKEY_FULL) != 0;
}

/* ---- MTU, rate, lifetime: a selector and a code ---- */

static bool
has_limits(const struct sa_query *q, const struct mad_sa_member *w,
	const struct mad_sa_member *g)
{
	if (has_components(q, MAD_SA_MEMBER_MTU_SEL | MAD_SA_MEMBER_MTU) &&
		!sa_path_fits(w->mtu_sel, (int)g->mtu - (int)w->mtu))
		return false;
	if (has_components(q, MAD_SA_MEMBER_RATE_SEL | MAD_SA_MEMBER_RATE) &&
		!sa_path_fits(
			w->rate_sel, sa_path_rate_compare(g->rate, w->rate)))
		return false;
	return true;
}

/* The MTU of a new group: as asked for, never above that of its first member's
 * port; 0: impossible. */
static uint8_t
new_mtu(const struct sa_query *q, const struct request *r)
{
	const struct mad_sa_member *w = &r->want;

	if (!has_components(q, MAD_SA_MEMBER_MTU_SEL | MAD_SA_MEMBER_MTU))
		return r->mtu;
	if (w->mtu_sel != MAD_SA_BEST && (w->mtu < MTU_MIN || w->mtu > MTU_MAX))
		return 0;
	return sa_path_select_mtu(w->mtu_sel, w->mtu, r->mtu);
}

static uint8_t
new_rate(const struct sa_query *q, const struct request *r)
{
	const struct mad_sa_member *w = &r->want;

	if (!has_components(q, MAD_SA_MEMBER_RATE_SEL | MAD_SA_MEMBER_RATE))
		return r->rate;
	if (w->rate_sel != MAD_SA_BEST && !sa_path_rate_valid(w->rate))
		return 0;
	return sa_path_select_rate(w->rate_sel, w->rate, r->rate);
}

static bool
new_life(const struct sa_query *q, const struct mad_sa_member *w, uint8_t *life)
{
	*life = q->sa->par.packet_life;
	if (!has_components(q, MAD_SA_MEMBER_LIFE_SEL | MAD_SA_MEMBER_LIFE))
		return true;
	if (w->life_sel == MAD_SA_EXACTLY)
		*life = w->life;
	else if (w->life_sel == MAD_SA_GREATER && *life <= w->life)
		*life = (uint8_t)(w->life + 1);
	else if (w->life_sel == MAD_SA_LESS && *life >= w->life)
		*life = (uint8_t)(w->life - 1);
	return *life <= MAX_LIFE;
}

/* ---- making a group ---- */

static bool
valid_mgid(const struct mad_gid *g)
{
	unsigned scope = g->prefix >> 48 & 0xf;

	return g->prefix >> 56 == MULTICAST && (g->prefix >> 52 & FLAGS) == 0 &&
	       scope != 0 && scope != 0xf;
}

/* Make the group of a join; NULL and *status: it cannot be made. */
static struct sa_group *
make_group(struct sa_query *q, struct request *r, uint16_t *status)
{
	struct mad_sa_member is = r->want;
	bool named = has_components(q, MAD_SA_MEMBER_MGID) &&
		     (is.mgid.prefix | is.mgid.guid) != 0;
	struct sa_group *g;

	*status = MAD_SA_REQ_INVALID;
	if ((is.state & KEEPS) == 0 || (named && !valid_mgid(&is.mgid)))
		return NULL;
	if (!has_components(q, CREATE)) {
		*status = MAD_SA_INSUF_COMPS;
		return NULL;
	}
	is.scope = named ? is.mgid.prefix >> 48 & 0xf
		   : has_components(q, MAD_SA_MEMBER_SCOPE) ? is.scope
							    : LINK_SCOPE;
	is.mtu = new_mtu(q, r);
	is.rate = new_rate(q, r);
	if (is.mtu == 0 || is.rate == 0 || is.scope == 0 || is.scope == 0xf ||
		!new_life(q, &r->want, &is.life) || !may_talk(q, r, is.pkey) ||
		!view_slvl_has_trees(q->view, is.sl))
		return NULL;
	if (!named)
		is.mgid = sa_groups_mgid(q->sa, is.scope);
	if (!has_components(q, MAD_SA_MEMBER_HOPS))
		is.hop_limit = is.scope == LINK_SCOPE ? 0 : 0xff;
	g = sa_groups_add(q->sa, &is);
	*status = g != NULL ? 0 : MAD_SA_NO_RESOURCES;
	return g;
}

/* ---- joining one ---- */

static uint16_t
may_join(const struct sa_query *q, struct request *r, const struct sa_group *g)
{
	const struct mad_sa_member *w = &r->want, *is = &g->is;

	if (has_components(q, MAD_SA_MEMBER_PKEY) &&
		(((w->pkey ^ is->pkey) & (unsigned)~PKEY_FULL & 0xffff) != 0 ||
			((w->pkey | is->pkey) & PKEY_FULL) == 0))
		return MAD_SA_REQ_INVALID;
	if ((has_components(q, MAD_SA_MEMBER_QKEY) && w->qkey != is->qkey) ||
		(has_components(q, MAD_SA_MEMBER_MLID) &&
			w->mlid != is->mlid) ||
		(has_components(q, MAD_SA_MEMBER_SCOPE) &&
			w->scope != is->scope) ||
		!has_limits(q, w, is))
		return MAD_SA_REQ_INVALID;
	if (r->mtu < is->mtu || sa_path_rate_compare(r->rate, is->rate) < 0 ||
		!may_talk(q, r, is->pkey))
		return MAD_SA_REQ_INVALID;
	return 0;
}

/* Write the record of a membership. */
static void
encode_member(const struct sa_group *g, const struct sa_joined *m, uint8_t *rec)
{
	struct mad_sa_member is = g->is;

	is.mtu_sel = is.rate_sel = is.life_sel = MAD_SA_EXACTLY;
	is.gid = m != NULL ? m->gid : (struct mad_gid){0};
	is.state = m != NULL ? m->state : 0;
	is.proxy = m != NULL && m->proxy;
	mad_sa_member_encode(&is, rec);
}

static uint16_t
member_set(struct sa_query *q)
{
	struct sa *sa = q->sa;
	struct request r;
	struct sa_group *g = NULL;
	struct sa_joined *m = NULL, want;
	uint16_t status = read_request(q, &r);

	if (status != 0)
		return status;
	if (has_components(q, MAD_SA_MEMBER_MGID))
		g = sa_groups_find(sa, &r.want.mgid);
	if (g != NULL)
		m = sa_groups_member(g, r.end.guid);
	want = (struct sa_joined){
		.gid = {sa->par.prefix, r.end.guid},
		.owner = q->view->topo->port[r.end.port].guid,
		.state = r.want.state,
		.proxy = r.end.port != q->from,
	};
	if (m == NULL && sa_groups_of(sa, want.owner) >= sa->par.groups)
		return MAD_SA_NO_RESOURCES;
	if (g != NULL)
		status = may_join(q, &r, g);
	else
		g = make_group(q, &r, &status);
	if (status != 0)
		return status;
	m = sa_groups_join(sa, g, &want);
	encode_member(g, m, q->want);
	return sa_groups_wait(q, m) ? SA_LATER : 0;
}

static uint16_t
member_delete(struct sa_query *q)
{
	struct request r;
	struct sa_group *g;
	struct sa_joined *m;
	uint16_t status = read_request(q, &r);
	struct sa_joined left;

	if (status != 0)
		return status;
	if (!has_components(q, JOIN))
		return MAD_SA_INSUF_COMPS;
	g = sa_groups_find(q->sa, &r.want.mgid);
	m = g != NULL ? sa_groups_member(g, r.end.guid) : NULL;
	if (m == NULL || (m->state & r.want.state) == 0)
		return MAD_SA_REQ_INVALID;
	left = *m;
	left.state &= (uint8_t)~r.want.state;
	encode_member(g, &left, q->want);
	sa_groups_leave(q->sa, g, m, r.want.state);
	return 0;
}

/* ---- queries ---- */

static const struct sa_part parts[] = {
	{0, 0, 128},   /* MGID */
	{1, 128, 128}, /* PortGID */
	{2, 256, 32},  /* Q_Key */
	{3, 288, 16},  /* MLID */
	{6, 312, 8},   /* TClass */
	{7, 320, 16},  /* P_Key */
	{12, 352, 4},  /* SL */
	{13, 356, 20}, /* FlowLabel */
	{14, 376, 8},  /* HopLimit */
	{15, 384, 4},  /* Scope */
	{16, 388, 4},  /* JoinState */
	{17, 392, 1}   /* ProxyJoin */
};

/*
 * The number of candidates of a group: trusted requesters see every member,
 * others see the group, and their own membership when they ask for it. A group
 * without members is one candidate too.
 */
static size_t
count_candidates(const struct sa_query *q, const struct sa_group *g)
{
	return q->trusted && g->n > 0 ? g->n : 1;
}

static uint16_t
member_begin(struct sa_query *q)
{
	struct mad_gid mgid = mad_sa_gid_decode(q->want);
	const struct sa_group *g;

	*sa_groups_place(q->sa) = (struct sa_place){0};
	for (size_t i = 0; i < sa_groups_count(q->sa); i++)
		q->end += count_candidates(q, sa_groups_at(q->sa, i));
	if (!has_components(q, MAD_SA_MEMBER_MGID))
		return 0;
	g = sa_groups_find(q->sa, &mgid);
	if (g == NULL) {
		q->end = 0;
		return 0;
	}
	for (size_t i = 0; i < g->at; i++)
		q->at += count_candidates(q, sa_groups_at(q->sa, i));
	q->end = q->at + count_candidates(q, g);
	return 0;
}

/*
 * Candidate ix: a group, and the index of a member. Nothing changes between two
 * calls of one query, and ix only grows, so the search goes on where the last
 * one ended.
 */
static const struct sa_group *
find_candidate(const struct sa_query *q, uint64_t ix, size_t *member)
{
	struct sa_place *at = sa_groups_place(q->sa);
	const struct sa_group *g;

	for (;;) {
		g = sa_groups_at(q->sa, at->group);
		if (ix - at->first < count_candidates(q, g))
			break;
		at->first += count_candidates(q, g);
		at->group++;
	}
	*member = (size_t)(ix - at->first);
	return g;
}

static bool
member_record(const struct sa_query *q, uint64_t ix, uint8_t *rec)
{
	size_t k;
	const struct sa_group *g = find_candidate(q, ix, &k);
	const struct sa_joined *m = NULL;
	struct mad_sa_member want;

	mad_sa_member_decode(q->want, &want);
	if (!q->trusted &&
		view_partition_has(q->view, q->from, q->from, g->is.pkey) == 0)
		return false;
	if (!has_limits(q, &want, &g->is))
		return false;
	if (q->trusted && k < g->n)
		m = &g->member[k];
	else if (has_components(q, MAD_SA_MEMBER_GID) &&
		 want.gid.guid == q->view->topo->port[q->from].guid)
		m = sa_groups_member(g, want.gid.guid);
	encode_member(g, m, rec);
	return true;
}

const struct sa_kind sa_member_kind = {
	.attr = MAD_SA_MEMBER,
	.size = SIZE,
	.part = parts,
	.nparts = sizeof(parts) / sizeof(parts[0]),
	.begin = member_begin,
	.record = member_record,
	.set = member_set,
	.del = member_delete,
	.whole = true,
};
