#include "sm/policy/qos.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/qos_options.h"
#include "sm/base/mem.h"
#include "sm/policy/name_match.h"
#include "sm/policy/pkeys.h"

_Static_assert((int)QOS_HOSTS == (int)VLARB_HOST &&
		       (int)QOS_SWITCHES == (int)VLARB_SWITCH &&
		       (int)QOS_PORT0 == (int)VLARB_PORT0 &&
		       (int)QOS_ROUTERS == (int)VLARB_ROUTER,
	"the configuration's classes of ports are those of the tables");

struct ranges {
	struct qos_range *of;
	size_t n;
};

struct qos_rule {
	unsigned level;
	bool any_service, no_service; /* also a request without a service */
	struct ranges services, classes, pkeys;
	bool *with, *among; /* [nports], or NULL: any port */
};

uint8_t
qos_vls_code(const struct config *c)
{
	static const uint8_t code[16] = {
		[1] = 1, [2] = 2, [4] = 3, [8] = 4, [15] = 5};

	return code[c->link.max_vls & 15];
}

enum slvl_lists
qos_lists(const struct config *c)
{
	for (unsigned i = 0; i < qos_levels(c); i++)
		if (qos_level(c, i)->high != 0)
			return SLVL_BOTH_LISTS;
	return qos_levels(c) > 0 ? SLVL_LOW_LIST : SLVL_NO_LIST;
}

struct slvl_want
qos_levels_want(const struct config *c)
{
	struct slvl_want w = {.n = qos_levels(c),
		.drop = c->qos.unknown_sl == QOS_UNKNOWN_DROP};

	for (unsigned i = 0; i < w.n; i++) {
		const struct qos_level_options *o = qos_level(c, i);
		int with = qos_find_level(c, o->shares_with);

		w.level[i].sl = o->sl > 0 ? (uint8_t)(o->sl - 1) : SLVL_ANY;
		w.level[i].with = with > 0 ? (uint8_t)with : 0;
	}
	return w;
}

uint16_t
qos_adaptive_sls(const struct config *c, const struct route_layers *layers)
{
	const struct slvl_want w = qos_levels_want(c);
	uint16_t may = 0, ordered = 0;
	struct slvl l;

	if (w.n == 0 || qos_adaptive_by_lid(c))
		return (uint16_t)c->routing.adaptive.sls;
	slvl_of_layers(&w, layers, &l);
	for (unsigned sl = 0; sl < SLVL_SLS; sl++)
		if (!l.drop[sl] && qos_level(c, l.level[sl])->adaptive)
			may |= (uint16_t)(1U << sl);
	for (unsigned i = 0; i < w.n; i++)
		for (unsigned k = 0; k < l.layers && !qos_level(c, i)->adaptive;
			k++)
			ordered |= (uint16_t)(1U << l.sl[i][k]);
	return may & (uint16_t)~ordered & (uint16_t)c->routing.adaptive.sls;
}

static void
set_weights(const struct config *c, struct vlarb_want *w)
{
	for (unsigned i = 0; i < qos_levels(c); i++) {
		const struct qos_level_options *o = qos_level(c, i);

		w->high |= (uint16_t)((o->high != 0 ? 1U : 0U) << i);
		for (unsigned k = 0; k < VLARB_CLASSES; k++)
			w->weight[k][i] =
				(uint8_t)(o->weight_at[k] > 0 ? o->weight_at[k]
							      : o->weight);
	}
	if (qos_levels(c) == 0)
		for (unsigned k = 0; k < VLARB_CLASSES; k++)
			w->weight[k][0] = QOS_DEFAULT_WEIGHT;
	for (unsigned k = 0; k < VLARB_CLASSES; k++)
		w->limit[k] = (uint8_t)c->qos.high_limit[k];
}

/* ---- rules ---- */

static struct ranges
ranges_of(struct qos *q, const struct schema_texts *t,
	bool (*read)(const char *text, struct qos_range *out))
{
	struct ranges r = {arena_array(q->arena, t->n, sizeof(*r.of)), 0};

	for (size_t i = 0; i < t->n; i++)
		if (read(t->entry[i].text, &r.of[r.n]))
			r.n++;
	return r;
}

static void
enter_port(void *cookie, port_ix p)
{
	bool *in = cookie;

	in[p] = true;
}

static bool *
members_of(
	struct qos *q, struct name_match *names, const struct schema_texts *t)
{
	bool *in = NULL;

	if (t->n == 0)
		return NULL;
	in = arena_array(q->arena, q->topo->nports, sizeof(*in));
	for (size_t i = 0; i < t->n; i++)
		(void)name_match_ports(names, t->entry[i].text, enter_port, in);
	return in;
}

static void
read_rule(struct qos *q, struct name_match *names,
	const struct qos_rule_options *o, struct qos_rule *r)
{
	int level = qos_find_level(q->cfg, o->level);

	*r = (struct qos_rule){
		.level = level > 0 ? (unsigned)level : 0,
		.any_service = o->services.n == 0,
		.services = ranges_of(q, &o->services, qos_service),
		.classes = ranges_of(q, &o->classes, qos_class),
		.pkeys.of = arena_array(
			q->arena, o->partitions.n, sizeof(*r->pkeys.of)),
		.pkeys.n = o->partitions.n,
		.with = members_of(q, names, &o->with),
		.among = members_of(q, names, &o->among),
	};
	for (size_t i = 0; i < o->services.n; i++)
		r->no_service |= qos_no_service(o->services.entry[i].text);
	for (size_t i = 0; i < o->partitions.n; i++) {
		uint16_t key = qos_pkey(q->cfg, o->partitions.entry[i].text);

		r->pkeys.of[i] = (struct qos_range){key, key};
	}
}

static void
read_rules(struct qos *q, const struct name_pins *pins)
{
	const struct schema_records *all = &q->cfg->qos.rules;
	const struct qos_rule_options *o = all->record;
	struct name_match *names = name_match_new(q->topo, pins);

	q->nrules = all->n;
	q->rule = arena_array(q->arena, all->n, sizeof(*q->rule));
	for (size_t i = 0; i < all->n; i++)
		read_rule(q, names, &o[i], &q->rule[i]);
	name_match_free(names);
}

static bool
is_in_ranges(const struct ranges *r, uint64_t x)
{
	for (size_t i = 0; i < r->n; i++)
		if (r->of[i].first <= x && x <= r->of[i].last)
			return true;
	return false;
}

static bool
rule_fits(const struct qos_rule *r, const struct qos_ask *a)
{
	if (r->pkeys.n > 0 && !is_in_ranges(&r->pkeys, a->pkey & PKEY_NUMBER))
		return false;
	if (!r->any_service &&
		(a->by_service ? !is_in_ranges(&r->services, a->service)
			       : !r->no_service))
		return false;
	if (r->classes.n > 0 &&
		(!a->by_class || !is_in_ranges(&r->classes, a->class)))
		return false;
	if (r->with != NULL && !r->with[a->from] && !r->with[a->to])
		return false;
	return r->among == NULL || (r->among[a->from] && r->among[a->to]);
}

unsigned
qos_level_of(const struct qos *q, const struct qos_ask *ask)
{
	for (size_t i = 0; i < q->nrules; i++)
		if (rule_fits(&q->rule[i], ask))
			return q->rule[i].level;
	return 0;
}

/* ---- groups, before a topology is known ---- */

static bool
names_key(const struct config *c, const struct schema_texts *t, uint16_t pkey)
{
	for (size_t i = 0; i < t->n; i++)
		if (qos_pkey(c, t->entry[i].text) == (pkey & PKEY_NUMBER))
			return true;
	return t->n == 0;
}

static bool
names_groups(const struct schema_texts *t)
{
	for (size_t i = 0; i < t->n; i++)
		if (qos_no_service(t->entry[i].text))
			return true;
	return t->n == 0;
}

bool
qos_has_trees(
	const struct qos *q, const struct route_layers *layers, uint8_t sl)
{
	return (route_layers_trees(layers) >>
			       q->want.levels.layer[sl % SLVL_SLS] &
		       1) != 0;
}

uint8_t
qos_group_sl(const struct config *c, uint16_t pkey, uint8_t sl)
{
	const struct qos_rule_options *o = c->qos.rules.record;
	const struct slvl_want w = qos_levels_want(c);
	struct slvl l;
	int level = 0;

	if (w.n == 0)
		return sl;
	for (size_t i = 0; i < c->qos.rules.n; i++)
		if (names_key(c, &o[i].partitions, pkey) &&
			names_groups(&o[i].services) && o[i].classes.n == 0 &&
			o[i].with.n == 0 && o[i].among.n == 0) {
			level = qos_find_level(c, o[i].level);
			break;
		}
	slvl_allocate(&w, 1, true, &l);
	return l.sl[level > 0 ? level : 0][0];
}

static bool
any_name(const struct schema_texts *t)
{
	uint64_t guid;

	for (size_t i = 0; i < t->n; i++)
		if (partition_member(t->entry[i].text, &guid) == PARTITION_NAME)
			return true;
	return false;
}

bool
qos_by_name(const struct config *c)
{
	const struct qos_rule_options *o = c->qos.rules.record;

	for (size_t i = 0; i < c->qos.rules.n; i++)
		if (any_name(&o[i].with) || any_name(&o[i].among))
			return true;
	return false;
}

/* ---- shortage ---- */

static unsigned
vls_at(const struct qos *q, port_ix p)
{
	return slvl_maps(q->topo, p) ? vlarb_vls(&q->want, q->topo, p) : 1;
}

/* True if this port has fewer VLs than service levels and layers want. */
static bool
is_short(const struct qos *q, port_ix p)
{
	const struct slvl *l = &q->want.levels;
	unsigned vls = vls_at(q, p);
	bool end = slvl_end(q->topo, p);

	if (!end && !l->plain && vls < slvl_groups(l))
		return vls > 0; /* packets of some layers have no VL there */
	return vls > 0 && l->wanted &&
	       (l->separate < l->n || slvl_slots(l, vls, end) < l->n);
}

static void
describe_shortage(struct qos *q, port_ix first)
{
	const struct topo *t = q->topo;
	const struct slvl *l = &q->want.levels;
	const struct topo_port *port = &t->port[first];

	(void)snprintf(q->shortage, sizeof(q->shortage),
		"%u of %u ports have fewer VLs than %u QoS levels x %u %s "
		"need: levels share them%s; first port %u of 0x%016llx "
		"%s with %u",
		q->short_of, q->ports, l->n, slvl_groups(l),
		l->map != NULL ? "VLs of routing layers" : "routing layers",
		l->together ? " everywhere" : " there", port->num,
		(unsigned long long)t->node[port->node].guid,
		topo_desc(t, port->node), vls_at(q, first));
}

static void
count_shortage(struct qos *q)
{
	const struct topo *t = q->topo;
	port_ix first = TOPO_NONE;

	for (port_ix p = 0; p < t->nports; p++) {
		const struct topo_node *n = &t->node[t->port[p].node];

		if (t->port[p].peer == TOPO_NONE ||
			(n->flags & TN_QUARANTINED) != 0 || vls_at(q, p) == 0)
			continue;
		q->ports++;
		if (!is_short(q, p))
			continue;
		q->short_of++;
		first = first == TOPO_NONE ? p : first;
	}
	for (node_ix n = 0; n < t->nnodes; n++)
		q->cannot_map +=
			!slvl_maps(t, t->node[n].first_port + 1U -
					      (t->node[n].type == TOPO_SWITCH));
	q->want.levels.together = q->want.levels.wanted && q->short_of > 0 &&
				  q->cfg->qos.shortage == QOS_REFUSE;
	if (q->short_of > 0)
		describe_shortage(q, first);
}

int
qos_fits(struct config *c, struct topo *t, const struct route_layers *layers,
	struct reason *why)
{
	struct qos *q = qos_make(c, t, layers, NULL);
	int rc = 0;

	if (q->want.levels.together)
		rc = reason_set(why, "qos: %s", q->shortage);
	qos_unref(q);
	return rc;
}

/* ---- a qos ---- */

struct qos *
qos_make(struct config *c, struct topo *t, const struct route_layers *layers,
	const struct name_pins *pins)
{
	struct qos *q = mem_zalloc(1, sizeof(*q));
	const struct slvl_want w = qos_levels_want(c);

	q->refs = 1;
	q->topo = topo_ref(t);
	q->cfg = config_ref(c);
	q->arena = arena_new();
	q->want.max_vls = qos_vls_code(c);
	q->map = vl_map_share(layers->map);
	slvl_of_layers(&w, layers, &q->want.levels);
	set_weights(c, &q->want);
	read_rules(q, pins);
	count_shortage(q);
	q->mapped = mem_zalloc(t->nports, sizeof(*q->mapped));
	q->shared = mem_zalloc(t->nports, sizeof(*q->shared));
	return q;
}

struct qos *
qos_ref(struct qos *q)
{
	if (q != NULL)
		q->refs++;
	return q;
}

void
qos_unref(struct qos *q)
{
	if (q == NULL || --q->refs > 0)
		return;
	topo_unref(q->topo);
	config_unref(q->cfg);
	vl_map_drop(q->map);
	arena_free(q->arena);
	free(q->mapped);
	free(q->shared);
	free(q);
}

void
qos_adopt(struct qos *q, struct topo *t)
{
	struct topo *old;

	if (q == NULL)
		return;
	old = q->topo;
	assert(t->hash == old->hash && t->nports == old->nports);
	q->topo = topo_ref(t);
	topo_unref(old);
}

/* ---- what tables hold ---- */

/* True if the rows to port p, from all ports by which packets come, are as
 * wanted. */
static bool
is_mapped(const struct qos *q, const struct device_store *hw, port_ix p)
{
	const struct topo *t = q->topo;
	const struct topo_node *n = &t->node[t->port[p].node];
	const struct slvl *l = &q->want.levels;
	unsigned vls = vlarb_vls(&q->want, t, p);
	uint64_t in[4] = {1};
	uint8_t row[SLVL_ROW];

	for (unsigned i = 1; n->type == TOPO_SWITCH && i <= n->nports; i++)
		if (i != t->port[p].num &&
			t->port[n->first_port + i].peer != TOPO_NONE)
			in[i / 64] |= UINT64_C(1) << i % 64;
	for (unsigned k = 0; k < slvl_ins(l); k++) {
		uint64_t of[4];

		slvl_row(l, slvl_hop_at(l, t, k, p, vls), row);
		slvl_in_ports(l, t, t->port[p].node, k, in, of);
		if (!device_holds_rows(hw, n->guid, t->port[p].num, of, row))
			return false;
	}
	return true;
}

static bool
is_shared(const struct qos *q, const struct device_store *hw, port_ix p)
{
	const struct topo *t = q->topo;
	const struct topo_node *n = &t->node[t->port[p].node];
	struct vlarb_table want;

	if (!vlarb_make(&q->want, t, p, &want))
		return false;
	for (unsigned part = 1; part <= VLARB_PARTS; part++) {
		unsigned bytes = vlarb_bytes(t, p, part);

		const uint8_t *is = device_bytes(
			hw, device_at_part(n->guid, t->port[p].num, part));

		if (bytes > 0 && (is == NULL || memcmp(is, want.part[part - 1],
							bytes) != 0))
			return false;
	}
	return true;
}

void
qos_settle(struct qos *q, const struct device_store *hw)
{
	const struct slvl *l = &q->want.levels;

	q->missing = 0;
	for (port_ix p = 0; p < q->topo->nports; p++) {
		if (q->topo->port[p].peer == TOPO_NONE ||
			(!l->wanted && l->layers < 2))
			continue;
		q->mapped[p] = is_mapped(q, hw, p);
		q->shared[p] = l->wanted && is_shared(q, hw, p);
		q->missing += !q->mapped[p] || (l->wanted && !q->shared[p]);
	}
}

bool
qos_same(const struct qos *a, const struct qos *b)
{
	uint32_t n = a->topo->nports;

	return a->cfg == b->cfg && n == b->topo->nports &&
	       a->want.levels.layers == b->want.levels.layers &&
	       vl_map_same(a->map, b->map) &&
	       strcmp(a->shortage, b->shortage) == 0 &&
	       memcmp(a->mapped, b->mapped, n) == 0 &&
	       memcmp(a->shared, b->shared, n) == 0;
}
