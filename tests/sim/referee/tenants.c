#include "tests/sim/referee/tenants.h"

#include <stdlib.h>
#include <string.h>

#include "sm/base/be.h"
#include "sm/base/map.h"
#include "sm/base/mem.h"

enum {
	PARTS = 5,
	BLOCK = 32,
	FULL = 0x8000,
	BASE = 0x7fff,
	INIT = 2,
	AS_LIMITED = 1,
	AS_FULL = 2,
	AS_BOTH = 3,
	ENTRIES = 256, /* of a table, at most, that are judged */
};

/* A partition: memberships by node, or else by the class of the node. */
struct part {
	uint16_t pkey;
	const char *class; /* or NULL */
	uint8_t class_as;
	uint8_t *as; /* [nnodes] 0: as its class has it */
};

struct variant {
	unsigned n;
	struct part part[PARTS];
};

struct tenants {
	const struct fabric *f;
	struct variant v[TENANTS_VARIANTS];
	struct sim *s;
	bool pairs;
	struct map spoiled; /* node << 8 | port */
	struct map reset;   /* node */
	struct reason bad;
};

static const char *const as_word[] = {"", "limited", "full", "both"};

/* ---- making partitions ---- */

static uint8_t
pick_as(struct rng *rng)
{
	return (uint8_t)(1 + rng_below(rng, AS_BOTH));
}

static void
make_part(struct part *p, unsigned i, struct rng *rng, const struct fabric *f)
{
	static const char *const class[] = {"all", "hosts", "switches", NULL};
	unsigned often = 2 + rng_below(rng, 20);

	p->pkey = (uint16_t)(i == 0 && rng_below(rng, 3) == 0 ? BASE : 5 + i);
	p->class = class[rng_below(rng, 4)];
	p->class_as = pick_as(rng);
	p->as = mem_zalloc(f->nnodes, 1);
	for (uint32_t n = 0; n < f->nnodes; n++)
		if (rng_below(rng, often) == 0)
			p->as[n] = pick_as(rng);
}

/* A variation of another variant. */
static void
vary_variant(struct variant *v, const struct variant *from, struct rng *rng,
	const struct fabric *f)
{
	*v = *from;
	for (unsigned i = 0; i < v->n; i++)
		v->part[i].as = mem_dup(from->part[i].as, f->nnodes);
	if (rng_below(rng, 5) == 0)
		while (v->n > 0)
			free(v->part[--v->n].as);
	if (v->n < PARTS && rng_below(rng, 3) == 0) {
		make_part(&v->part[v->n], v->n, rng, f);
		v->n++;
	}
	for (unsigned i = 0; i < v->n; i++)
		for (unsigned k = rng_below(rng, 1 + f->nnodes / 4); k > 0; k--)
			v->part[i].as[rng_below(rng, f->nnodes)] =
				(uint8_t)rng_below(rng, AS_BOTH + 1);
}

struct tenants *
tenants_new(struct rng *rng, const struct fabric *f)
{
	struct tenants *t = mem_zalloc(1, sizeof(*t));

	t->f = f;
	t->v[0].n = rng_below(rng, PARTS + 1);
	for (unsigned i = 0; i < t->v[0].n; i++)
		make_part(&t->v[0].part[i], i, rng, f);
	for (unsigned i = 1; i < TENANTS_VARIANTS; i++)
		vary_variant(&t->v[i], &t->v[i - 1], rng, f);
	return t;
}

void
tenants_free(struct tenants *t)
{
	if (t == NULL)
		return;
	for (unsigned i = 0; i < TENANTS_VARIANTS; i++)
		for (unsigned k = 0; k < t->v[i].n; k++)
			free(t->v[i].part[k].as);
	map_free(&t->spoiled);
	map_free(&t->reset);
	free(t);
}

void
tenants_yaml(const struct tenants *t, unsigned variant, struct buf *out)
{
	const struct variant *v = &t->v[variant];

	buf_printf(out, v->n > 0 ? "partitions:\n" : "");
	for (unsigned i = 0; i < v->n; i++) {
		const struct part *p = &v->part[i];

		buf_printf(out, "  p%u:\n    pkey: 0x%x\n    members: {", i,
			p->pkey);
		if (p->class != NULL)
			buf_printf(out, "%s: %s, ", p->class,
				as_word[p->class_as]);
		for (uint32_t n = 0; n < t->f->nnodes; n++)
			if (p->as[n] != 0)
				buf_printf(out, "\"0x%016llx\": %s, ",
					(unsigned long long)t->f->node[n].guid,
					as_word[p->as[n]]);
		buf_printf(out, "}\n");
	}
}

/* ---- the keys that ports are to have ---- */

static unsigned
member_type(const struct tenants *t, const struct part *p, uint32_t node)
{
	uint8_t type = t->f->node[node].type;

	if (p->as[node] != 0)
		return p->as[node];
	if (p->class == NULL)
		return 0;
	if (strcmp(p->class, "all") == 0 ||
		(strcmp(p->class, "hosts") == 0 && type == FABRIC_CA) ||
		(strcmp(p->class, "switches") == 0 && type == FABRIC_SWITCH))
		return p->class_as;
	return 0;
}

static unsigned
add_keys(uint16_t *key, unsigned n, uint16_t pkey, unsigned as)
{
	if (as == AS_FULL || as == AS_BOTH)
		key[n++] = pkey | FULL;
	if (as == AS_LIMITED || as == AS_BOTH)
		key[n++] = pkey;
	return n;
}

unsigned
tenants_want(const struct tenants *t, unsigned variant, uint32_t node,
	unsigned port, uint16_t key[TENANTS_KEYS])
{
	const struct variant *v = &t->v[variant];
	bool sm = node == fabric_first_host(t->f) && port == 1, home = false;
	unsigned n = 0, as;

	for (unsigned i = 0; i < v->n; i++) {
		home |= v->part[i].pkey == BASE;
		as = member_type(t, &v->part[i], node);
		if (sm && v->part[i].pkey == BASE && as != AS_BOTH)
			as = AS_FULL;
		n = add_keys(key, n, v->part[i].pkey, as);
	}
	if (!home)
		n = add_keys(
			key, n, BASE, sm || v->n == 0 ? AS_FULL : AS_LIMITED);
	return n;
}

static bool
is_in(uint16_t key, const uint16_t *list, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (list[i] == key)
			return true;
	return false;
}

/* True if every variant gives the port this key. */
static bool
is_permanent(
	const struct tenants *t, uint32_t node, unsigned port, uint16_t key)
{
	uint16_t want[TENANTS_KEYS];

	for (unsigned v = 0; v < TENANTS_VARIANTS; v++)
		if (!is_in(key, want, tenants_want(t, v, node, port, want)))
			return false;
	return true;
}

/* ---- the keys that ports have ---- */

static bool
is_switch(const struct fabric *f, uint32_t node)
{
	return f->node[node].type == FABRIC_SWITCH;
}

/* Read the whole table of a port; the number of entries. */
static unsigned
read_pkeys(struct sim *s, const struct fabric *f, uint32_t node, unsigned port,
	uint16_t key[ENTRIES])
{
	bool sw = is_switch(f, node);
	uint8_t d[MAD_DATA];
	unsigned n = 0;

	for (unsigned b = 0; n < ENTRIES; b++) {
		if (sim_read(s, node, sw ? 0 : port, MAD_PKEY_TABLE,
			    b | (sw ? (uint32_t)port << 16 : 0), d) != 0)
			break;
		for (unsigned i = 0; i < BLOCK; i++)
			key[n++] = be_get16(d + (size_t)2 * i);
	}
	return n;
}

static bool
is_spoiled(const struct tenants *t, uint32_t node, unsigned port)
{
	return map_get(&t->spoiled, (uint64_t)node << 8 | port, NULL) ||
	       map_get(&t->reset, node, NULL);
}

void
tenants_reset(struct tenants *t, uint32_t node)
{
	map_put(&t->reset, node, 0);
}

void
tenants_spoil(struct tenants *t, uint32_t node, unsigned port, uint16_t key)
{
	uint16_t is[ENTRIES];

	if (read_pkeys(t->s, t->f, node, port, is) == 0)
		return;
	map_put(&t->spoiled, (uint64_t)node << 8 | port, 0);
	is[key % 8] = key;
	sim_hand_pkeys(t->s, node, port, 0, is);
}

/* ---- moments ---- */

static void
report_moment(struct tenants *t, const char *what, uint32_t node, unsigned port,
	uint16_t key)
{
	if (t->bad.text[0] != '\0')
		return;
	(void)reason_set(&t->bad, "at %.6f: \"%s\" port %u: key 0x%04x %s",
		mono_seconds(sim_now(t->s)), t->f->node[node].name, port, key,
		what);
}

/* Whether a guard lacks a key; guards compare the number alone. */
static bool
guard_lacks(const uint16_t *is, unsigned n, uint16_t key)
{
	for (unsigned i = 0; i < n; i++)
		if (((is[i] ^ key) & BASE) == 0)
			return false;
	return true;
}

/* Whether the port's keys are in use; of port 0 of a switch: any port is up. */
static bool
in_use(const struct tenants *t, uint32_t node, unsigned port)
{
	if (!is_switch(t->f, node))
		return sim_port_info(t->s, node, port)->state > INIT;
	for (unsigned p = 1; p <= t->f->node[node].nports; p++)
		if (sim_port_info(t->s, node, p)->state > INIT)
			return true;
	return false;
}

/* Check a write of a block of a host's or a switch's own table. */
static void
look_at_keys(
	struct tenants *t, uint32_t node, unsigned port, const struct smp *q)
{
	unsigned at = (q->mod & 0xffff) * BLOCK, n;
	uint16_t is[ENTRIES];

	if (is_spoiled(t, node, port) || !in_use(t, node, port))
		return;
	n = read_pkeys(t->s, t->f, node, port, is);
	for (unsigned i = at; i < at + BLOCK && i < n; i++)
		if (is[i] != 0 && is_permanent(t, node, port, is[i]) &&
			be_get16(q->data + (size_t)2 * (i - at)) != is[i])
			report_moment(t, "is taken away", node, port, is[i]);
}

/* Check the keys that an enforcing port has, or is about to have. */
static void
look_at_guard(struct tenants *t, uint32_t node, unsigned port,
	const uint16_t *is, unsigned n)
{
	uint16_t has[ENTRIES];
	uint32_t host;
	unsigned far, nhas;

	if (!fabric_peer(t->f, node, port, &host, &far) ||
		is_switch(t->f, host) || is_spoiled(t, node, port) ||
		is_spoiled(t, host, far) ||
		sim_port_info(t->s, node, port)->state <= INIT ||
		sim_port_info(t->s, host, far)->state <= INIT)
		return;
	nhas = read_pkeys(t->s, t->f, host, far, has);
	for (unsigned i = 0; i < nhas; i++)
		if (has[i] != 0 && is_permanent(t, host, far, has[i]) &&
			guard_lacks(is, n, has[i]))
			report_moment(t, "of the host is held up", node, port,
				has[i]);
}

/* True if a key of both permits them to talk. */
static bool
has_common_key(const uint16_t *a, unsigned na, const uint16_t *b, unsigned nb)
{
	for (unsigned i = 0; i < na; i++)
		for (unsigned k = 0; k < nb; k++)
			if (a[i] != 0 && ((a[i] ^ b[k]) & BASE) == 0 &&
				((a[i] | b[k]) & FULL) != 0)
				return true;
	return false;
}

static bool
has_permanent_common_key(const struct tenants *t, uint32_t a, uint32_t b)
{
	uint16_t ka[TENANTS_KEYS], kb[TENANTS_KEYS];

	for (unsigned v = 0; v < TENANTS_VARIANTS; v++) {
		unsigned na = tenants_want(t, v, a, 1, ka);
		unsigned nb = tenants_want(t, v, b, 1, kb);

		if (!has_common_key(ka, na, kb, nb))
			return false;
	}
	return true;
}

/* Keys of port 1 of a host that its guard passes. */
static unsigned
usable_keys(const struct tenants *t, uint32_t host, uint16_t key[ENTRIES])
{
	uint16_t all[ENTRIES], guard[ENTRIES];
	unsigned n = read_pkeys(t->s, t->f, host, 1, all), k = 0, nguard, port;
	uint32_t sw;

	if (!fabric_peer(t->f, host, 1, &sw, &port))
		return 0;
	nguard = read_pkeys(t->s, t->f, sw, port, guard);
	for (unsigned i = 0; i < n; i++)
		if (all[i] != 0 && (!sim_port_info(t->s, sw, port)->enf_in ||
					   !guard_lacks(guard, nguard, all[i])))
			key[k++] = all[i];
	return k;
}

static void
look_at_pairs(struct tenants *t)
{
	uint16_t ka[ENTRIES] = {0}, kb[ENTRIES];

	for (uint32_t a = 0; a < t->f->nnodes; a++)
		for (uint32_t b = 0; b < a; b++) {
			if (is_switch(t->f, a) || is_switch(t->f, b) ||
				!in_use(t, a, 1) || !in_use(t, b, 1) ||
				!has_permanent_common_key(t, a, b))
				continue;
			if (!has_common_key(ka, usable_keys(t, a, ka), kb,
				    usable_keys(t, b, kb)))
				report_moment(t,
					"(first of its own) and another host "
					"are cut off",
					a, 1, ka[0]);
		}
}

static enum sim_verdict
on_message(void *cookie, struct sim_msg *m)
{
	struct tenants *t = cookie;
	struct mad_port_info i;
	uint16_t is[ENTRIES];
	unsigned port, n;
	struct smp q;

	if (m->where != SIM_AT_SMA || m->m.mad[3] != MAD_SET ||
		smp_decode(m->m.mad, m->m.len, &q, NULL) != 0)
		return SIM_PASS;
	if (t->pairs)
		look_at_pairs(t);
	port = is_switch(t->f, m->node) ? q.mod >> 16 & 0xff : m->port;
	if (q.attr == MAD_PKEY_TABLE &&
		(port == 0 || !is_switch(t->f, m->node))) {
		look_at_keys(t, m->node, port, &q);
	} else if (q.attr == MAD_PKEY_TABLE) {
		n = read_pkeys(t->s, t->f, m->node, port, is);
		for (unsigned k = 0; k < BLOCK; k++)
			if ((q.mod & 0xffff) * BLOCK + k < n)
				is[(q.mod & 0xffff) * BLOCK + k] =
					be_get16(q.data + (size_t)2 * k);
		if (sim_port_info(t->s, m->node, port)->enf_in)
			look_at_guard(t, m->node, port, is, n);
	} else if (q.attr == MAD_PORT_INFO && is_switch(t->f, m->node) &&
		   mad_port_info_decode(q.data, &i, NULL) == 0 && i.enf_in) {
		port = q.mod & 0xff;
		n = read_pkeys(t->s, t->f, m->node, port, is);
		if (port > 0 && port <= t->f->node[m->node].nports)
			look_at_guard(t, m->node, port, is, n);
	}
	return SIM_PASS;
}

void
tenants_watch(struct tenants *t, struct sim *s)
{
	t->s = s;
	sim_set_hook(s, on_message, t);
}

void
tenants_watch_pairs(struct tenants *t)
{
	t->pairs = true;
}

bool
tenants_moment(const struct tenants *t, struct reason *why)
{
	if (t->bad.text[0] == '\0')
		return false;
	*why = t->bad;
	return true;
}

/* ---- at rest ---- */

struct place {
	const struct tenants *t;
	uint32_t node;
	unsigned port;
	struct reason *why;
};

static int
report_key(const struct place *at, const char *what, uint16_t key)
{
	return reason_set(at->why, "\"%s\" port %u %s key 0x%04x",
		at->t->f->node[at->node].name, at->port, what, key);
}

static int
same_keys(const struct place *at, const uint16_t *is, unsigned nis,
	const uint16_t *want, unsigned nwant)
{
	for (unsigned i = 0; i < nis; i++)
		if (is[i] != 0 && !is_in(is[i], want, nwant))
			return report_key(at, "should not hold", is[i]);
	for (unsigned i = 0; i < nwant; i++)
		if (!is_in(want[i], is, nis))
			return report_key(at, "lacks", want[i]);
	return 0;
}

/* Keys as a guard has them: each number once, full if the host has it full. */
static unsigned
by_number(uint16_t *key, unsigned n)
{
	unsigned k = 0, m;

	for (unsigned i = 0; i < n; i++) {
		for (m = 0; m < k && ((key[m] ^ key[i]) & BASE) != 0; m++)
			;
		if (m == k)
			key[k++] = key[i];
		else
			key[m] |= key[i] & FULL;
	}
	return k;
}

static int
judge_guard(const struct place *at, unsigned variant, struct sim *s)
{
	const struct tenants *t = at->t;
	const struct mad_port_info *i = sim_port_info(s, at->node, at->port);
	bool can = sim_switch_info(s, at->node)->enf_cap > 0;
	uint16_t is[ENTRIES], want[TENANTS_KEYS];
	uint32_t host;
	unsigned far;
	bool on = fabric_peer(t->f, at->node, at->port, &host, &far) &&
		  !is_switch(t->f, host) && can && t->v[variant].n > 0;

	if (i->enf_in != on || i->enf_out != on)
		return reason_set(at->why,
			"\"%s\" port %u: enforcement in %d, out %d, not %d",
			t->f->node[at->node].name, at->port, i->enf_in,
			i->enf_out, on);
	return !on ? 0
		   : same_keys(at, is,
			     read_pkeys(s, t->f, at->node, at->port, is), want,
			     by_number(want, tenants_want(t, variant, host, far,
						     want)));
}

int
tenants_judge(const struct tenants *t, unsigned variant, struct sim *s,
	const struct topo *topo, struct reason *why)
{
	uint16_t is[ENTRIES], want[TENANTS_KEYS];
	struct map nodes = {0};
	int rc = 0;

	for (uint32_t n = 0; n < t->f->nnodes; n++)
		map_put(&nodes, t->f->node[n].guid, n);
	for (port_ix p = 0; p < topo->nports && rc == 0; p++) {
		struct place at = {
			.t = t, .port = topo->port[p].num, .why = why};

		/* without partitions tables are not corrected */
		if (!map_get(&nodes, topo->node[topo->port[p].node].guid,
			    &at.node) ||
			(topo->port[p].peer == TOPO_NONE && at.port != 0) ||
			(t->v[variant].n == 0 &&
				map_get(&t->spoiled,
					(uint64_t)at.node << 8 | at.port,
					NULL)))
			continue;
		if (topo_has_lid(topo, p))
			rc = same_keys(&at, is,
				read_pkeys(s, t->f, at.node, at.port, is), want,
				tenants_want(
					t, variant, at.node, at.port, want));
		else if (is_switch(t->f, at.node))
			rc = judge_guard(&at, variant, s);
	}
	map_free(&nodes);
	return rc;
}
