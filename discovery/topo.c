#include "discovery/topo.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "discovery/link_rate.h"
#include "discovery/port_key.h"
#include "sm/base/hash.h"
#include "sm/base/mem.h"
#include "sm/mad/mad.h"

enum { NO_PORT = 255 };

/* Bytes of one array in the block; the next one is aligned to 16 bytes. */
static size_t
aligned_size(size_t count, size_t size)
{
	return (count * size + 15) & ~(size_t)15;
}

/* The bytes of everything but the GUID and LID indexes, in this order. */
static size_t
body_size(const struct topo_dims *m)
{
	return aligned_size(m->nnodes, sizeof(struct topo_node)) +
	       aligned_size(m->nports, sizeof(struct topo_port)) +
	       aligned_size(m->nsw, sizeof(struct topo_switch)) +
	       aligned_size(m->nadj, sizeof(struct topo_adj)) +
	       aligned_size(m->nend, sizeof(struct topo_end)) +
	       aligned_size(m->nports, sizeof(uint32_t)) +
	       aligned_size(m->ninfo, 64) + aligned_size(m->nsw, 64) +
	       aligned_size(m->ntext, 1);
}

/* Take count * size bytes from *at. */
static void *
take_array(uint8_t **at, size_t count, size_t size)
{
	void *p = *at;

	*at += aligned_size(count, size);
	return p;
}

struct topo *
topo_new(const struct topo_dims *m)
{
	size_t head = aligned_size(1, sizeof(struct topo));
	size_t lids = ((size_t)m->max_lid + 1) * sizeof(port_ix);
	size_t size = head + body_size(m) +
		      aligned_size(m->nnodes, sizeof(node_ix)) +
		      aligned_size(m->nguid, sizeof(port_ix));
	uint8_t *at = mem_zalloc(1, size);
	struct topo *t = (void *)at;

	at += head;
	t->refs = 1;
	t->nnodes = m->nnodes;
	t->nports = m->nports;
	t->nsw = m->nsw;
	t->nadj = m->nadj;
	t->nend = m->nend;
	t->ntext = m->ntext;
	t->nguid = m->nguid;
	t->ninfo = m->ninfo;
	t->max_lid = m->max_lid;
	t->sm_port = TOPO_NONE;
	t->node = take_array(&at, m->nnodes, sizeof(*t->node));
	t->port = take_array(&at, m->nports, sizeof(*t->port));
	t->sw = take_array(&at, m->nsw, sizeof(*t->sw));
	t->adj = take_array(&at, m->nadj, sizeof(*t->adj));
	t->end = take_array(&at, m->nend, sizeof(*t->end));
	t->info_at = take_array(&at, m->nports, sizeof(*t->info_at));
	t->info = take_array(&at, m->ninfo, sizeof(*t->info));
	t->sinfo = take_array(&at, m->nsw, sizeof(*t->sinfo));
	t->text = take_array(&at, m->ntext, 1);
	t->by_node = take_array(&at, m->nnodes, sizeof(*t->by_node));
	t->by_pguid = take_array(&at, m->nguid, sizeof(*t->by_pguid));
	t->by_lid = mem_alloc(lids);
	memset(t->by_lid, 0xff, lids);
	return t;
}

struct topo *
topo_ref(struct topo *t)
{
	if (t != NULL)
		__atomic_add_fetch(&t->refs, 1, __ATOMIC_RELAXED);
	return t;
}

void
topo_unref(struct topo *t)
{
	if (t == NULL || __atomic_sub_fetch(&t->refs, 1, __ATOMIC_ACQ_REL) > 0)
		return;
	free(t->by_lid);
	free(t);
}

/* One element of an index under construction. */
struct key {
	uint64_t guid;
	uint32_t ix;
};

static int
key_cmp(const void *pa, const void *pb)
{
	const struct key *a = pa;
	const struct key *b = pb;

	if (a->guid != b->guid)
		return a->guid < b->guid ? -1 : 1;
	return a->ix < b->ix ? -1 : a->ix > b->ix;
}

static void
index_guids(struct topo *t)
{
	uint32_t most = t->nnodes > t->nguid ? t->nnodes : t->nguid;
	struct key *key = mem_zalloc(most, sizeof(*key));
	uint32_t n = 0;

	for (uint32_t i = 0; i < t->nnodes; i++)
		key[i] = (struct key){t->node[i].guid, i};
	qsort(key, t->nnodes, sizeof(*key), key_cmp);
	for (uint32_t i = 0; i < t->nnodes; i++)
		t->by_node[i] = key[i].ix;
	for (uint32_t i = 0; i < t->nports; i++) {
		if (t->port[i].guid == 0)
			continue;
		assert(n < t->nguid);
		key[n++] = (struct key){t->port[i].guid, i};
	}
	assert(n == t->nguid);
	qsort(key, n, sizeof(*key), key_cmp);
	for (uint32_t i = 0; i < n; i++)
		t->by_pguid[i] = key[i].ix;
	free(key);
}

/* What routing reads of a port: LIDs, width and speed, VLs, MTU. */
static uint64_t
mix_port(uint64_t h, const struct topo_port *p)
{
	h = hash_mix(h, p->guid);
	h = hash_mix(h, (uint64_t)p->lid << 8 | p->lmc);
	return hash_mix(h, (uint64_t)p->width << 32 | (uint64_t)p->speed << 24 |
				   (uint64_t)p->speed_ext << 16 |
				   (uint64_t)p->vl_cap << 8 | p->mtu_cap);
}

/* Flags of nodes that no routing depends on. */
enum { NOT_ROUTED = TN_FRESH | TN_PARTIAL };

static uint64_t
hash_of(const struct topo *t)
{
	uint64_t h = hash_mix(t->nnodes, t->nsw);

	for (uint32_t i = 0; i < t->nnodes; i++) {
		const struct topo_node *n = &t->node[i];

		h = hash_mix(h, n->guid);
		h = hash_mix(h, (uint64_t)n->type << 16 |
					(uint64_t)n->nports << 8 |
					(n->flags & (uint8_t)~NOT_ROUTED));
		h = hash_mix(h, n->role);
	}
	for (uint32_t s = 0; s < t->nsw; s++) {
		const struct topo_switch *w = &t->sw[s];
		port_ix first = t->node[w->node].first_port;

		h = hash_mix(h, (uint64_t)w->lft_cap << 32 |
					(uint64_t)w->nadj << 16 | w->nend);
		h = hash_mix(h, t->port[first].capmask & MAD_CAP_SL_MAPPING);
		for (uint32_t i = 0; i < w->nadj; i++) {
			const struct topo_adj *a = &t->adj[w->adj + i];

			h = hash_mix(h, (uint64_t)a->peer << 16 |
						(uint64_t)a->out << 8 |
						a->peer_port);
			h = mix_port(h, &t->port[first + a->out]);
		}
		for (uint32_t i = 0; i < w->nend; i++) {
			const struct topo_end *e = &t->end[w->end + i];

			h = hash_mix(h, e->out);
			h = mix_port(h, &t->port[e->port]);
		}
	}
	return h;
}

void
topo_seal(struct topo *t)
{
	index_guids(t);
	link_rate_find(t);
	t->hash = hash_of(t);
}

static bool
joins_pieces(const struct topo *t, const struct topo_adj *a)
{
	return a->out != NO_PORT && a->peer_port != NO_PORT &&
	       topo_sw_live(t, a->peer);
}

uint32_t
topo_pieces(const struct topo *t, sw_ix *piece)
{
	sw_ix *queue = mem_alloc(t->nsw * sizeof(*queue));
	uint32_t head = 0, tail = 0, n = 0;

	memset(piece, 0xff, t->nsw * sizeof(*piece));
	for (sw_ix s = 0; s < t->nsw; s++) {
		if (piece[s] != TOPO_NONE || !topo_sw_live(t, s))
			continue;
		piece[s] = s;
		queue[tail++] = s;
		for (n++; head < tail; head++) {
			const struct topo_switch *sw = &t->sw[queue[head]];

			for (uint32_t i = 0; i < sw->nadj; i++) {
				const struct topo_adj *a = &t->adj[sw->adj + i];

				if (piece[a->peer] != TOPO_NONE ||
					!joins_pieces(t, a))
					continue;
				piece[a->peer] = s;
				queue[tail++] = a->peer;
			}
		}
	}
	free(queue);
	return n;
}

struct topo_name
topo_name(const struct topo *t, node_ix n)
{
	struct topo_name name;
	const char *desc = t->text ? t->text + t->node[n].desc : "";

	if (desc[0] == '\0') {
		(void)snprintf(name.s, sizeof(name.s), "0x%016" PRIx64,
			t->node[n].guid);
		return name;
	}
	(void)snprintf(name.s, sizeof(name.s), "'%.64s'", desc);
	for (char *c = name.s; *c != '\0'; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = '.';
	return name;
}

port_ix
topo_by_lid(const struct topo *t, uint16_t lid, unsigned *path)
{
	port_ix p;

	if (lid == 0 || lid > t->max_lid)
		return TOPO_NONE;
	p = t->by_lid[lid];
	if (p != TOPO_NONE && path != NULL)
		*path = (unsigned)(lid - t->port[p].lid);
	return p;
}

static_assert(offsetof(struct topo_node, guid) == 0 &&
		      offsetof(struct topo_port, guid) == 0,
	"guid_at reads the beginning of an element");

static inline uint64_t
guid_at(const void *element, size_t size, uint32_t i)
{
	uint64_t guid;

	memcpy(&guid, (const uint8_t *)element + size * i, sizeof(guid));
	return guid;
}

/*
 * The first of n elements, in the order of their GUIDs, that has this GUID, or
 * TOPO_NONE. Elements have the given size and begin with their GUID.
 */
static uint32_t
find_guid(const void *element, size_t size, const uint32_t *order, uint32_t n,
	uint64_t guid)
{
	uint32_t lo = 0, hi = n;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (guid_at(element, size, order[mid]) < guid)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < n && guid_at(element, size, order[lo]) == guid ? order[lo]
								   : TOPO_NONE;
}

node_ix
topo_by_node_guid(const struct topo *t, uint64_t guid)
{
	return find_guid(
		t->node, sizeof(*t->node), t->by_node, t->nnodes, guid);
}

sw_ix
topo_switch_in(const struct topo *was, const struct topo *t, sw_ix s)
{
	const struct topo_node *is = &t->node[t->sw[s].node];
	node_ix n;

	/* switches mostly keep their numbers */
	if (s < was->nsw && !(is->flags & TN_DUPLICATE) &&
		was->node[was->sw[s].node].guid == is->guid)
		return s;
	n = topo_by_node_guid(was, is->guid);
	return n == TOPO_NONE ? TOPO_NONE : was->node[n].sw;
}

bool
topo_same_switches(const struct topo *a, const struct topo *b)
{
	if (a->nsw != b->nsw)
		return false;
	for (sw_ix s = 0; s < a->nsw; s++)
		if (a->node[a->sw[s].node].guid !=
				b->node[b->sw[s].node].guid ||
			topo_sw_live(a, s) != topo_sw_live(b, s))
			return false;
	return true;
}

bool
topo_same_links(const struct topo *a, const struct topo *b, sw_ix s)
{
	const struct topo_switch *x = &a->sw[s], *y = &b->sw[s];

	return x->nadj == y->nadj && memcmp(a->adj + x->adj, b->adj + y->adj,
					     x->nadj * sizeof(*a->adj)) == 0;
}

port_ix
topo_by_port_guid(const struct topo *t, uint64_t guid)
{
	return find_guid(
		t->port, sizeof(*t->port), t->by_pguid, t->nguid, guid);
}

unsigned
topo_vl_list(const struct topo *t, port_ix p, bool high)
{
	struct mad_port_info i;
	unsigned n;

	if ((t->port[p].flags & (TP_ABSENT | TP_UNREAD)) != 0 ||
		t->port[p].vl_cap < 2 ||
		mad_port_info_settings(topo_info(t, p), &i) != 0)
		return 0;
	n = high ? i.arb_high_cap : i.arb_low_cap;
	return n < TOPO_VL_ENTRIES ? n : TOPO_VL_ENTRIES;
}

const char *
topo_desc(const struct topo *t, node_ix n)
{
	return t->text + t->node[n].desc;
}

int
topo_route(const struct topo *t, node_ix n, uint8_t path[64])
{
	unsigned hops = t->node[n].hops;

	if (hops > TOPO_MAX_HOPS)
		return -1;
	path[0] = 0;
	for (unsigned i = hops; i > 0; i--) {
		const struct topo_port *p = &t->port[t->node[n].via];

		path[i] = p->num;
		n = p->node;
	}
	return (int)hops;
}

static inline bool
is_switch_port(const struct topo *t, port_ix p)
{
	return t->node[t->port[p].node].type == TOPO_SWITCH;
}

int
topo_route_port(const struct topo *t, port_ix p, uint8_t path[64])
{
	port_ix peer = t->port[p].peer;
	int hops;

	if (is_switch_port(t, p) || p == t->sm_port)
		return topo_route(t, t->port[p].node, path);
	/* no host but ours sends SMPs on, and that by our port alone */
	if (peer == TOPO_NONE ||
		(!is_switch_port(t, peer) && peer != t->sm_port))
		return -1;
	hops = topo_route(t, t->port[peer].node, path);
	if (hops < 0 || hops >= TOPO_MAX_HOPS)
		return -1;
	path[++hops] = t->port[peer].num;
	return hops;
}

uint64_t
topo_sma_guid(const struct topo *t, port_ix p)
{
	const struct topo_port *port = &t->port[p];
	uint64_t guid = t->node[port->node].guid;

	if (is_switch_port(t, p))
		return guid;
	return port->guid != 0 ? port->guid : port_key(guid, port->num);
}

bool
topo_is_near_end(const struct topo *t, port_ix p)
{
	port_ix peer = t->port[p].peer;
	uint16_t here = t->node[t->port[p].node].hops;
	uint16_t there = t->node[t->port[peer].node].hops;

	if (p == t->sm_port || peer == t->sm_port)
		return p == t->sm_port;
	/* the port of a host is reached by its own link alone */
	if (is_switch_port(t, p) != is_switch_port(t, peer))
		return is_switch_port(t, p);
	return here < there || (here == there && p < peer);
}

sw_ix
topo_switch_of(const struct topo *t, port_ix p)
{
	sw_ix own = t->node[t->port[p].node].sw;
	port_ix peer = t->port[p].peer;

	if (own != TOPO_NONE)
		return own;
	if (peer == TOPO_NONE)
		return TOPO_NONE;
	return t->node[t->port[peer].node].sw;
}

bool
topo_has_lid(const struct topo *t, port_ix p)
{
	const struct topo_port *port = &t->port[p];

	if (t->node[port->node].type == TOPO_SWITCH)
		return port->num == 0;
	return (port->flags & TP_ABSENT) == 0;
}

/* Every device that is a SHARP aggregation node, in one place. */
static const struct {
	uint32_t vendor;
	uint16_t device;
} aggregation[] = {
	{0x0002c9, 0xcf09},
};

bool
topo_is_aggregation(uint32_t vendor, uint16_t device)
{
	for (size_t i = 0; i < sizeof(aggregation) / sizeof(aggregation[0]);
		i++) {
		if (aggregation[i].vendor == vendor &&
			aggregation[i].device == device)
			return true;
	}
	return false;
}

static uint16_t
highest_lid(const struct topo *t, const struct topo_lids *l)
{
	uint32_t max = 0;

	for (port_ix p = 0; p < t->nports; p++) {
		uint32_t last;

		if (l->lid[p] == 0)
			continue;
		assert(l->lmc[p] <= 7);
		last = l->lid[p] + (1U << l->lmc[p]) - 1;
		max = last > max ? last : max;
	}
	assert(max <= TOPO_LID_MAX);
	return (uint16_t)max;
}

/* Set the LIDs of a topology that has room for them in by_lid. */
static void
set_lids(struct topo *t, const struct topo_lids *l)
{
	for (port_ix p = 0; p < t->nports; p++) {
		t->port[p].lid = l->lid[p];
		t->port[p].lmc = l->lid[p] == 0 ? 0 : l->lmc[p];
		if (l->lid[p] == 0)
			continue;
		for (unsigned i = 0; i < 1U << l->lmc[p]; i++) {
			assert(t->by_lid[l->lid[p] + i] == TOPO_NONE);
			t->by_lid[l->lid[p] + i] = p;
		}
	}
	t->hash = hash_of(t);
}

struct topo *
topo_with_lids(const struct topo *t, const struct topo_lids *l)
{
	struct topo_dims dims = {t->nnodes, t->nports, t->nsw, t->nadj, t->nend,
		t->ntext, t->nguid, t->ninfo, highest_lid(t, l)};
	struct topo *c = topo_new(&dims);

	c->generation = t->generation;
	c->sm_port = t->sm_port;
	c->rate_min = t->rate_min;
	c->rate_max = t->rate_max;
	c->rate_host = t->rate_host;
	/* The block is laid out alike up to the indexes. */
	memcpy(c->node, t->node, body_size(&dims));
	memcpy(c->by_node, t->by_node, t->nnodes * sizeof(*c->by_node));
	memcpy(c->by_pguid, t->by_pguid, t->nguid * sizeof(*c->by_pguid));
	set_lids(c, l);
	return c;
}

struct topo *
topo_give_lids(struct topo *t, const struct topo_lids *l)
{
	struct topo *c;

	if (__atomic_load_n(&t->refs, __ATOMIC_ACQUIRE) > 1) {
		c = topo_with_lids(t, l);
		topo_unref(t);
		return c;
	}
	t->max_lid = highest_lid(t, l);
	t->by_lid = mem_resize(
		t->by_lid, (size_t)t->max_lid + 1, sizeof(*t->by_lid));
	memset(t->by_lid, 0xff, ((size_t)t->max_lid + 1) * sizeof(*t->by_lid));
	set_lids(t, l);
	return t;
}
