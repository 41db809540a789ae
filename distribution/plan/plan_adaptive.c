/*
 * Adaptive routing in a plan: groups and entries of switches that choose among
 * ports, in the steps of distribution/tables/adaptive_groups.h. Where it is on,
 * entries change in the same stage as the forwarding table that has the same
 * ports; a switch where it is off gets its tables when no forwarding table
 * changes.
 *
 * It is switched off first, and its packets drain, where it cannot be said what
 * the switch forwards by (a write without an answer, or of which a copy may
 * still arrive; defaults that are not those of the forwarding table), and
 * everywhere where the change is not one in which old and new paths obey one
 * order of switches.
 *
 * Groups that a switch was found with after a restart stay in force where they
 * are those that the routes want, and no forwarding table changes: then they
 * are proven with the routes. Any others are of an unknown order: off.
 */
#include <stdlib.h>
#include <string.h>

#include "distribution/device/adaptive_can.h"
#include "distribution/plan/adaptive_mixture.h"
#include "distribution/plan/plan_priv.h"
#include "distribution/tables/adaptive_groups.h"
#include "sm/base/bitset.h"
#include "sm/base/hash.h"
#include "sm/base/map.h"
#include "sm/base/mem.h"

enum {
	SPARE_SLOTS = 63, /* below GroupTop, for changes: a mask */
	LFT_SIXTEENS = LFT_BLOCK / MAD_AR_ENTRIES,
};

/* A step of a phase to come; it has the kind. */
struct plan_later {
	struct plan_step step;
	unsigned stage; /* of PLAN_LFT */
};

struct plan_adaptive_state {
	const struct plan_adaptive *want;
	const struct route_sets *sets;	  /* NULL: none may choose */
	bool careful;			  /* forwarding tables change */
	bool off;			  /* ... so that all are switched off */
	struct adaptive_mixture *mixture; /* to be judged, or NULL */
	bool drain; /* after ports are lost, before forwarding tables change */
	uint32_t *pos; /* [nsw] places in the order of switches, or NULL */
	bool *written; /* [nsw] its forwarding table changes */
	bool *doubted; /* [nsw] copies of Sets may change what it chooses by */
	uint32_t nlids;
	sw_ix *target; /* [nlids] switch of a LID that may have a choice, or
			  TOPO_NONE */
	struct plan_later *later;
	size_t n, cap;
	uint32_t *order;    /* [n] of later: as they are to be sent */
	struct map payload; /* hash of its bytes -> number in the plan */
	/* of the switch at hand, [nlids] or [groups] */
	uint8_t *port;
	uint16_t *set;
	struct mad_ar_entry *held;
	struct mad_ar_group *slot;
	uint16_t nslots;
};

/* ---- steps ---- */

/* The number of a payload of these bytes. Neighbouring switches have many equal
 * blocks: there is one of each content. */
static uint32_t
share_payload(struct plan_maker *m, const uint8_t data[MAD_DATA])
{
	struct map *known = &m->adaptive->payload;
	uint64_t hash = fnv_more(FNV_START, data, MAD_DATA);
	uint32_t i;

	/* another content with this hash: the next key */
	for (; map_get(known, hash, &i); hash++)
		if (memcmp(m->p->payload[i], data, MAD_DATA) == 0)
			return i;
	memcpy(plan_add_payload(m, &i), data, MAD_DATA);
	map_put(known, hash, i);
	return i;
}

static void
add_later(struct plan_maker *m, enum plan_kind kind, sw_ix s,
	enum device_attr attr, uint32_t block, const uint8_t data[MAD_DATA])
{
	struct plan_adaptive_state *a = m->adaptive;

	a->later = mem_grow(a->later, a->n, &a->cap, sizeof(*a->later));
	a->later[a->n++] = (struct plan_later){
		.step = {
			.port = m->t->node[m->t->sw[s].node].first_port,
			.attr = (uint8_t)attr,
			.kind = (uint8_t)kind,
			.block = block,
			.payload = data != NULL ? share_payload(m, data) : 0,
		}};
}

/*
 * The order in which steps of a phase are sent: block after block, each of all
 * switches. Equal blocks that are acknowledged together share their memory in
 * the device store, and no switch gets all of its blocks at once. The last
 * block comes first: the store has room for all from then on.
 */
static void
order_steps(struct plan_adaptive_state *a)
{
	uint32_t *at, most = 0;

	for (size_t i = 0; i < a->n; i++)
		if (a->later[i].step.block > most)
			most = a->later[i].step.block;
	at = mem_zalloc(most + 2, sizeof(*at));
	a->order = mem_alloc((a->n + 1) * sizeof(*a->order));
	for (size_t i = 0; i < a->n; i++)
		at[most - a->later[i].step.block + 1]++;
	for (uint32_t b = 1; b <= most; b++)
		at[b] += at[b - 1];
	for (size_t i = 0; i < a->n; i++)
		a->order[at[most - a->later[i].step.block]++] = (uint32_t)i;
	free(at);
}

/* The settings before entries change, where it chooses already: a service level
 * is let in when no entry lets more packets of it choose than it shall. */
static struct adaptive_settings
settings_before(const struct plan_maker *m, const struct adaptive_can *can)
{
	struct adaptive_settings s = m->adaptive->want->settings;
	struct mad_ar_info is;

	(void)mad_ar_info_decode(can->info, &is, NULL);
	if (can->is_on && is.by_sl_enabled)
		s.sls &= is.sl_mask;
	return s;
}

/* Whether service levels are to be let in then. */
static bool
lets_in(const struct plan_maker *m, const struct adaptive_can *can)
{
	return settings_before(m, can).sls != m->adaptive->want->settings.sls;
}

static void
add_info(struct plan_maker *m, enum plan_kind kind, sw_ix s,
	const struct adaptive_can *can, const struct adaptive_info_want *want,
	bool anyway)
{
	struct adaptive_settings settings =
		kind == PLAN_ADAPTIVE_ON ? m->adaptive->want->settings
					 : settings_before(m, can);
	uint8_t data[MAD_DATA];

	adaptive_info_make(can->info, &settings, want, data);
	if (anyway || adaptive_info_lacks(NULL, 0, 0, can->info, data) != 0)
		add_later(m, kind, s, DEVICE_AR_INFO, 0, data);
}

/* The GroupTop that it has; 0 where it claims one that is none of its groups:
 * no Set repeats that. */
static uint16_t
top_of(const struct adaptive_can *can)
{
	struct mad_ar_info is;

	(void)mad_ar_info_decode(can->info, &is, NULL);
	return is.group_top < is.group_cap ? is.group_top : 0;
}

static void
add_off(struct plan_maker *m, sw_ix s, const struct adaptive_can *can)
{
	struct mad_ar_info is;

	(void)mad_ar_info_decode(can->info, &is, NULL);
	add_info(m, PLAN_ADAPTIVE_OFF, s, can,
		&(struct adaptive_info_want){
			false, is.sub_groups_active, top_of(can)},
		true);
}

/* ---- what a switch holds ---- */

static uint64_t
guid_of(const struct plan_maker *m, sw_ix s)
{
	return m->t->node[m->t->sw[s].node].guid;
}

/* The blocks of an attribute of a switch, one after the other. */
struct known {
	const struct device_store *hw;
	enum device_attr attr;
	const lft_ref *block;
	uint32_t n;
};

static struct known
known_blocks(const struct plan_maker *m, sw_ix s, enum device_attr attr)
{
	struct known k = {.hw = m->hw, .attr = attr};

	k.block = device_blocks(
		m->hw, device_at_switch(guid_of(m, s), attr), &k.n);
	return k;
}

/* NULL: unknown. */
static const uint8_t *
known_bytes(const struct known *k, uint32_t block)
{
	return block >= k->n || k->block[block] == DEVICE_UNKNOWN
		       ? NULL
		       : device_value(k->hw, k->attr, k->block[block]);
}

/*
 * Read the entries of 16 LIDs; false: what they are is not known, or their
 * defaults are not those of the forwarding table, 16 LIDs of which are lft.
 * What was never written, and discards, is no entry yet.
 */
static bool
load_entries(struct mad_ar_entry *e, const uint8_t *is, const uint8_t *lft)
{
	bool known = lft != NULL;

	if (is != NULL)
		mad_ar_lft_decode(is, e);
	for (unsigned i = 0; i < MAD_AR_ENTRIES; i++) {
		if (is == NULL)
			e[i] = (struct mad_ar_entry){
				.state = MAD_AR_STATIC, .port = LFT_DROP};
		known = known && lft[i] == e[i].port;
	}
	return known;
}

/* The entries of all LIDs; above its top a switch discards. */
static bool
load_all_entries(struct plan_maker *m, sw_ix s)
{
	static const lft_ref none = LFT_EMPTY;
	struct plan_adaptive_state *a = m->adaptive;
	struct known entries = known_blocks(m, s, DEVICE_AR_LFT),
		     lft = known_blocks(m, s, DEVICE_LFT);
	uint32_t top = m->t->sw[s].lft_top / LFT_BLOCK;
	bool known = true;

	for (uint32_t b = 0; b < a->nlids / MAD_AR_ENTRIES; b++) {
		uint32_t at = b / LFT_SIXTEENS;
		const uint8_t *ports = known_bytes(&lft, at);

		if (ports == NULL && at > top)
			ports = device_value(m->hw, DEVICE_LFT, none);
		if (ports != NULL)
			ports += (size_t)(b % LFT_SIXTEENS) * MAD_AR_ENTRIES;
		known &= load_entries(a->held + (size_t)b * MAD_AR_ENTRIES,
			known_bytes(&entries, b), ports);
	}
	return known;
}

/* The slots up to the last that is known; false: an entry names another one,
 * or one that is not known. */
static bool
load_slots(struct plan_maker *m, sw_ix s, uint16_t groups)
{
	struct plan_adaptive_state *a = m->adaptive;
	struct known slots = known_blocks(m, s, DEVICE_AR_GROUP);
	bool known = true;

	a->nslots = slots.n < groups ? (uint16_t)slots.n : groups;
	a->slot = mem_resize(a->slot, a->nslots + 1U, sizeof(*a->slot));
	for (uint32_t k = 0; k < a->nslots; k++) {
		const uint8_t *is = known_bytes(&slots, k);

		memset(&a->slot[k], 0, sizeof(a->slot[k]));
		if (is != NULL)
			mad_ar_group_decode(is, &a->slot[k]);
	}
	for (uint32_t l = 0; l < a->nlids; l++) {
		const struct mad_ar_entry *e = &a->held[l];

		known &= e->state == MAD_AR_STATIC ||
			 (e->group < a->nslots &&
				 slots.block[e->group] != DEVICE_UNKNOWN);
	}
	return known;
}

/* All that the switch holds; false: not all of it is known. */
static bool
load_held(struct plan_maker *m, sw_ix s, uint16_t groups)
{
	bool known = load_all_entries(m, s);

	return load_slots(m, s, groups) && known;
}

/* ---- what it shall hold ---- */

static void
load_routes(struct plan_maker *m, sw_ix s)
{
	struct plan_adaptive_state *a = m->adaptive;

	for (uint32_t b = 0; b < a->nlids / LFT_BLOCK; b++)
		memcpy(a->port + (size_t)b * LFT_BLOCK,
			routes_block(m->p->routes, s, b), LFT_BLOCK);
	for (uint32_t l = 0; l < a->nlids; l++)
		a->set[l] =
			a->target[l] == TOPO_NONE
				? 0
				: route_sets_index(a->sets, s, a->target[l]);
}

static void
find_linked(const struct topo *t, sw_ix s, uint64_t out[ROUTE_SET_WORDS])
{
	const struct topo_node *n = &t->node[t->sw[s].node];

	memset(out, 0, ROUTE_SET_WORDS * sizeof(*out));
	for (unsigned p = 1; p <= n->nports; p++)
		if (t->port[n->first_port + p].peer != TOPO_NONE)
			bitset_add(out, p);
}

/* The ports that lead up, where nothing is asked of the mixture: old and new
 * routes obey the order then. */
static void
find_up(const struct plan_maker *m, sw_ix s, uint64_t out[ROUTE_SET_WORDS])
{
	const struct plan_adaptive_state *a = m->adaptive;
	const struct topo_switch *sw = &m->t->sw[s];

	memset(out, 0, ROUTE_SET_WORDS * sizeof(*out));
	if (a->pos == NULL || a->mixture != NULL)
		return;
	for (uint32_t i = sw->adj; i < sw->adj + sw->nadj; i++)
		if (a->pos[m->t->adj[i].peer] < a->pos[s])
			bitset_add(out, m->t->adj[i].out);
}

/* Slots that differ between two steps. */
static void
add_slots(struct plan_maker *m, enum plan_kind kind, sw_ix s,
	const struct adaptive_groups *g, enum adaptive_step to)
{
	for (uint32_t k = 0; k < g->nslots; k++) {
		const struct mad_ar_group *is = &g->slot[to - 1][k],
					  *want = &g->slot[to][k];
		uint8_t data[MAD_DATA];

		if (memcmp(is, want, sizeof(*is)) == 0)
			continue;
		mad_ar_group_encode(want, data);
		add_later(m, kind, s, DEVICE_AR_GROUP, k, data);
	}
}

/* Entries in blocks that differ from `is`, or are unknown where is is NULL. */
static void
add_entries(struct plan_maker *m, enum plan_kind kind, sw_ix s,
	const struct mad_ar_entry *is, const struct mad_ar_entry *want)
{
	const size_t block_size = MAD_AR_ENTRIES * sizeof(*want);
	struct known entries = known_blocks(m, s, DEVICE_AR_LFT);

	for (uint32_t b = 0; b < m->adaptive->nlids / MAD_AR_ENTRIES; b++) {
		const uint8_t *known = known_bytes(&entries, b);
		uint32_t l = b * MAD_AR_ENTRIES;
		uint8_t was[MAD_DATA], data[MAD_DATA];

		/* NOLINTNEXTLINE: what differs in padding is compared below */
		if (is != NULL && memcmp(is + l, want + l, block_size) == 0)
			continue;
		mad_ar_lft_encode(want + l, data);
		if (is != NULL) {
			mad_ar_lft_encode(is + l, was);
			known = was;
		}
		if (known == NULL || memcmp(known, data, MAD_DATA) != 0)
			add_later(m, kind, s, DEVICE_AR_LFT, b, data);
	}
}

/* The entries of 64 LIDs when their forwarding table is this image: those that
 * have their new port are as they shall be. */
static void
enter_image(const struct plan_adaptive_state *a, uint32_t block,
	const uint8_t *image, const struct adaptive_groups *g,
	struct mad_ar_entry *out)
{
	for (uint32_t i = 0; i < LFT_BLOCK; i++) {
		uint32_t l = block * LFT_BLOCK + i;

		if (image[i] == a->port[l])
			out[l] = g->entry[l];
		else if (image[i] == a->held[l].port)
			out[l] = g->early[l];
		else
			out[l] = (struct mad_ar_entry){
				.state = MAD_AR_STATIC, .port = image[i]};
	}
}

/* Entries change with the forwarding table, in the same stages; `is` is what
 * they are before, and after the last. */
static void
add_stages_of(struct plan_maker *m, sw_ix s, const struct adaptive_groups *g,
	struct mad_ar_entry *is)
{
	struct plan_adaptive_state *a = m->adaptive;
	const struct transition_result *x = m->p->change;
	struct mad_ar_entry *next = mem_dup(is, a->nlids * sizeof(*next));

	for (size_t i = x->nquenches; i < x->nwrites; i++) {
		const struct lft_write *w = &x->write[i];
		size_t from = a->n;

		if (w->sw != s || w->block >= a->nlids / LFT_BLOCK)
			continue;
		enter_image(a, w->block, lft_bytes(x->pool, w->image), g, next);
		add_entries(m, PLAN_LFT, s, is, next);
		for (; from < a->n; from++)
			a->later[from].stage = w->stage;
		memcpy(is, next, a->nlids * sizeof(*is));
	}
	free(next);
}

/* GroupTop, with some slots to spare: each change of it is a Set. */
static uint16_t
find_top(const struct adaptive_can *can, uint16_t used)
{
	uint16_t top = used | SPARE_SLOTS;

	return top < can->choice.groups ? top
					: (uint16_t)(can->choice.groups - 1);
}

/* The steps of a switch, from groups that are made. */
static void
add_switch(struct plan_maker *m, sw_ix s, const struct adaptive_can *can,
	struct adaptive_groups *g)
{
	size_t before = m->adaptive->n;
	struct adaptive_info_want want = {
		can->is_on, (uint8_t)(can->sub_groups > 0), 0};

	if (m->adaptive->sets->default_first && can->sub_groups > 1)
		want.sub_groups = MAD_AR_SUB_GROUPS;
	want.top = find_top(can, g->top);
	if (can->is_on && top_of(can) > want.top)
		want.top = top_of(can);
	add_slots(m, PLAN_ADAPTIVE_FILL, s, g, ADAPTIVE_FILL);
	add_info(m, PLAN_ADAPTIVE_TOP, s, can, &want, false);
	add_slots(m, PLAN_ADAPTIVE_SHRINK, s, g, ADAPTIVE_SHRINK);
	if (can->is_on)
		add_entries(m, PLAN_ADAPTIVE_SHRINK, s, NULL, g->early);
	if (can->is_on && m->adaptive->written[s])
		add_stages_of(m, s, g, g->early);
	add_entries(m, PLAN_ADAPTIVE_MOVE, s, can->is_on ? g->early : NULL,
		g->entry);
	add_slots(m, PLAN_ADAPTIVE_GROW, s, g, ADAPTIVE_GROW);
	m->p->adaptive.moved |= can->is_on && m->adaptive->n > before;
	want.enabled = true;
	if (can->is_on && !m->adaptive->written[s] && !lets_in(m, can))
		return;
	/* it may switch itself off when its forwarding table is written */
	if (can->is_on && m->adaptive->written[s] && !can->stays_on)
		add_later(m, PLAN_ADAPTIVE_READ, s, DEVICE_AR_INFO, 0, NULL);
	add_info(m, PLAN_ADAPTIVE_ON, s, can, &want, true);
}

/*
 * Whether a packet that left s for this LID by a port that it may use no more
 * can go up behind it, although it came down: no order covers that.
 */
static bool
goes_up_again(const struct plan_maker *m, sw_ix s, uint16_t lid, unsigned port)
{
	const struct plan_adaptive_state *a = m->adaptive;
	const struct topo_node *n = &m->t->node[m->t->sw[s].node];
	port_ix peer = m->t->port[n->first_port + port].peer;
	sw_ix u, v;

	if (peer == TOPO_NONE ||
		m->t->node[m->t->port[peer].node].type != TOPO_SWITCH)
		return false;
	if (a->pos == NULL)
		return true;
	u = m->t->node[m->t->port[peer].node].sw;
	v = routes_next_switch(m->p->routes, u, lid);
	/* back over its own link it is discarded, and waits for nothing */
	if (v == s && routes_port(m->p->routes, u, lid) == m->t->port[peer].num)
		return false;
	return a->pos[u] > a->pos[s] && v != TOPO_NONE && a->pos[v] < a->pos[u];
}

/* Whether a LID may use the port when tables change. */
static bool
keeps_port(const struct mad_ar_entry *early, const struct adaptive_groups *g,
	unsigned port)
{
	return early->port == port ||
	       (early->state != MAD_AR_STATIC &&
		       adaptive_group_has(
			       &g->slot[ADAPTIVE_SHRINK][early->group], port));
}

/* The same of all ports that LIDs lose before forwarding tables change. */
static bool
loses_ports_above(
	const struct plan_maker *m, sw_ix s, const struct adaptive_groups *g)
{
	const struct plan_adaptive_state *a = m->adaptive;

	for (uint32_t l = 0; l < a->nlids; l++) {
		const struct mad_ar_entry *e = &a->held[l];
		const struct mad_ar_group *was, *is;

		if (e->state == MAD_AR_STATIC)
			continue;
		was = &g->slot[ADAPTIVE_HELD][e->group];
		is = &g->slot[ADAPTIVE_SHRINK][e->group];
		if (g->early[l].state == e->state &&
			g->early[l].group == e->group &&
			memcmp(was, is, sizeof(*was)) == 0)
			continue;
		for (unsigned p = 1; p < ROUTE_SET_WORDS * 64; p++)
			if (adaptive_group_has(was, p) &&
				!keeps_port(&g->early[l], g, p) &&
				goes_up_again(m, s, (uint16_t)l, p))
				return true;
	}
	return false;
}

static void
make_groups(struct plan_maker *m, sw_ix s, const struct adaptive_can *can,
	struct adaptive_groups *out)
{
	struct plan_adaptive_state *a = m->adaptive;
	bool escapes = a->sets->can[s].kind == ROUTE_ESCAPES;
	struct adaptive_groups_job job = {
		.cap = can->choice.groups,
		.default_first = a->sets->default_first &&
				 can->sub_groups > 1 && !escapes,
		.escapes = escapes,
		.in_force = can->is_on,
		.careful = a->careful,
		.state = a->want->settings.ageing_us > 0 ? MAD_AR_BOUNDED
							 : MAD_AR_FREE,
		.nlids = a->nlids,
		.port = a->port,
		.set = a->set,
		.sets = a->sets->row[s] != NULL ? a->sets->row[s]->set : NULL,
		.nsets = a->sets->row[s] != NULL ? a->sets->row[s]->n : 0,
		.held = a->held,
		.slot = a->slot,
		.nslots = a->nslots,
	};

	find_linked(m->t, s, job.linked);
	find_up(m, s, job.up);
	load_routes(m, s);
	adaptive_groups_make(&job, out);
	if (can->is_on && a->mixture != NULL)
		adaptive_mixture_add(a->mixture, s, &job, out, a->target);
	else if (can->is_on && a->careful)
		a->drain = a->drain || loses_ports_above(m, s, out);
}

/* Whether the sub-groups in use are those that the groups need. */
static bool
has_sub_groups(const struct plan_maker *m, const struct adaptive_can *can)
{
	struct mad_ar_info is;

	(void)mad_ar_info_decode(can->info, &is, NULL);
	return (is.sub_groups_active > 1) ==
	       (m->adaptive->sets->default_first && can->sub_groups > 1);
}

/* Whether it has to be switched off before anything is made for it. */
static bool
must_be_off(struct plan_maker *m, sw_ix s, const struct adaptive_can *can)
{
	const struct plan_adaptive_state *a = m->adaptive;

	return can->choice.kind == ROUTE_FIXED || a->sets == NULL || a->off ||
	       ((can->is_found || a->doubted[s]) && a->careful) ||
	       !has_sub_groups(m, can) || !load_held(m, s, can->choice.groups);
}

/* The steps of a switch, made anew; one that was found with anything else is
 * switched off in their place. */
static void
make_switch(struct plan_maker *m, sw_ix s, const struct adaptive_can *can)
{
	struct plan_adaptive_counts *c = &m->p->adaptive;
	size_t before = m->adaptive->n;
	struct adaptive_groups g;

	make_groups(m, s, can, &g);
	if (can->is_on || g.chosen > 0)
		add_switch(m, s, can, &g);
	if (can->is_found && m->adaptive->n > before) {
		m->adaptive->n = before;
		add_off(m, s, can);
		c->left = true;
	}
	c->left |= !g.complete;
	c->no_room += g.no_room;
	adaptive_groups_free(&g);
}

static void
plan_switch(struct plan_maker *m, sw_ix s)
{
	struct plan_adaptive_state *a = m->adaptive;
	struct plan_adaptive_counts *c = &m->p->adaptive;
	struct adaptive_can can;
	bool may;

	if ((m->t->node[m->t->sw[s].node].flags & TN_QUARANTINED) != 0)
		return;
	adaptive_can_of(m->hw, m->t, s, m->adaptive->want->by_sl, &can);
	may = a->sets != NULL && can.choice.kind != ROUTE_FIXED;
	c->left |= may && !can.is_on && a->careful && a->sets->row[s] != NULL;
	if (!can.is_on && (!may || a->careful || a->sets->row[s] == NULL))
		return;
	if (can.is_on && must_be_off(m, s, &can)) {
		add_off(m, s, &can);
		c->left |= may;
		return;
	}
	if (!can.is_on)
		(void)load_held(m, s, can.choice.groups);
	make_switch(m, s, &can);
}

/* The live switch of each LID that may have a choice: LIDs of compute hosts,
 * but this manager's own; by LID, those that are the base LID plus an odd
 * number.
 */
static void
find_targets(struct plan_maker *m)
{
	struct plan_adaptive_state *a = m->adaptive;
	const struct topo *t = m->t;
	uint32_t first = a->want->by_lid ? 1 : 0;

	for (uint32_t l = 0; l < a->nlids; l++)
		a->target[l] = TOPO_NONE;
	for (sw_ix s = 0; s < t->nsw; s++)
		for (uint32_t i = 0; topo_sw_live(t, s) && i < t->sw[s].nend;
			i++) {
			const struct topo_end *e = &t->end[t->sw[s].end + i];
			const struct topo_port *p = &t->port[e->port];

			if (!e->host || e->port == t->sm_port)
				continue;
			for (uint32_t l = p->lid + first;
				l < p->lid + (1U << p->lmc) && l < a->nlids;
				l += 1 + first)
				a->target[l] = s;
		}
}

static void
note_doubts(const struct plan_maker *m, bool *doubted)
{
	size_t n;
	const struct device_doubt *d = device_doubts(m->hw, &n);

	for (size_t i = 0; i < n; i++) {
		node_ix node = topo_by_node_guid(m->t, d[i].at.guid);

		if (node != TOPO_NONE && m->t->node[node].sw != TOPO_NONE &&
			(d[i].at.attr == DEVICE_AR_LFT ||
				d[i].at.attr == DEVICE_AR_GROUP))
			doubted[m->t->node[node].sw] = true;
	}
}

/* What is known of the change, and room for a switch. */
static struct plan_adaptive_state *
new_state(struct plan_maker *m, const struct plan_adaptive *want)
{
	const struct transition_result *x = m->p->change;
	const struct routes *r = m->p->routes;
	struct plan_adaptive_state *a = mem_zalloc(1, sizeof(*a));

	a->want = want;
	if (want->enabled && r->sets != NULL && r->sets->why[0] == '\0')
		a->sets = r->sets;
	a->careful = x->nwrites > 0;
	a->nlids = r->nblocks * LFT_BLOCK;
	a->target = mem_zalloc(a->nlids, sizeof(*a->target));
	a->port = mem_zalloc(a->nlids, sizeof(*a->port));
	a->set = mem_zalloc(a->nlids, sizeof(*a->set));
	a->held = mem_zalloc(a->nlids, sizeof(*a->held));
	a->written = mem_zalloc(m->t->nsw, sizeof(*a->written));
	for (size_t i = 0; i < x->nwrites; i++)
		a->written[x->write[i].sw] = true;
	a->doubted = mem_zalloc(m->t->nsw, sizeof(*a->doubted));
	note_doubts(m, a->doubted);
	if (r->order != ROUTE_NO_ORDER) {
		a->pos = mem_zalloc(m->t->nsw, sizeof(*a->pos));
		routes_order(r, a->pos);
	}
	return a;
}

static void
plan_switches(struct plan_maker *m)
{
	for (sw_ix s = 0; s < m->t->nsw; s++)
		plan_switch(m, s);
}

/* The same where adaptive routing stays on if the mixture stands; else it is
 * switched off everywhere. */
static void
plan_mixture(struct plan_maker *m)
{
	struct plan_adaptive_state *a = m->adaptive;
	size_t payloads = m->p->npayload;
	enum adaptive_verdict v;

	a->mixture = adaptive_mixture_new(m->t);
	plan_switches(m);
	v = adaptive_mixture_judge(a->mixture, m->p->topo, m->hw, m->p->change);
	adaptive_mixture_free(a->mixture);
	a->mixture = NULL;
	a->drain = v == ADAPTIVE_DRAINS;
	if (v != ADAPTIVE_FAILS)
		return;
	a->off = true;
	a->n = 0;
	map_free(&a->payload);
	m->p->npayload = payloads;
	m->p->adaptive = (struct plan_adaptive_counts){0};
	plan_switches(m);
}

void
plan_adaptive_begin(struct plan_maker *m, const struct plan_adaptive *want)
{
	const struct transition_result *x = m->p->change;
	struct plan_adaptive_state *a = new_state(m, want);
	bool ask =
		a->careful &&
		(transition_mcast_must_ask(x) ||
			(a->sets != NULL && route_choices_escape(a->sets->can,
						    a->sets->nsw)));

	m->adaptive = a;
	find_targets(m);
	a->off = a->careful &&
		 (x->kind == TRANSITION_BLOCKED || x->nquenches > 0 ||
			 (ask && x->mixture == NULL));
	if (ask && !a->off)
		plan_mixture(m);
	else
		plan_switches(m);
	a->drain |= want->in_flight && a->careful;
	order_steps(a);
	m->p->adaptive.steps = a->n;
	m->p->adaptive.careful = a->careful;
}

void
plan_adaptive_end(struct plan_maker *m)
{
	struct plan_adaptive_state *a = m->adaptive;

	free(a->written);
	free(a->doubted);
	free(a->pos);
	free(a->target);
	free(a->port);
	free(a->set);
	free(a->held);
	free(a->slot);
	free(a->later);
	free(a->order);
	map_free(&a->payload);
	free(a);
}

bool
plan_adaptive_drains(const struct plan_maker *m)
{
	return m->adaptive->drain;
}

bool
plan_adaptive_add(struct plan_maker *m, enum plan_kind kind)
{
	plan_begin(m, kind);
	plan_adaptive_put(m, kind, 0);
	return plan_end(m);
}

void
plan_adaptive_put(struct plan_maker *m, enum plan_kind kind, unsigned stage)
{
	const struct plan_adaptive_state *a = m->adaptive;

	for (size_t i = 0; i < a->n; i++) {
		const struct plan_later *l = &a->later[a->order[i]];
		const struct plan_step *s = &l->step;

		if (s->kind == kind && l->stage == stage)
			plan_add_step(m, s->port, (enum device_attr)s->attr,
				s->block, s->payload);
	}
}
