#include "tests/topo/fabric.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sm/base/map.h"
#include "sm/base/mem.h"

struct fabric *
fabric_new(void)
{
	struct fabric *f = mem_zalloc(1, sizeof(*f));

	f->arena = arena_new();
	return f;
}

void
fabric_free(struct fabric *f)
{
	if (!f)
		return;
	arena_free(f->arena);
	free(f->node);
	free(f->port);
	free(f->cable);
	free(f);
}

static uint64_t
make_guid(enum fabric_type type, uint32_t ix)
{
	uint64_t base = type == FABRIC_SWITCH ? 0x0002c90200000000U
					      : 0x0002c90300000000U;

	return base + ((uint64_t)ix + 1) * 0x100;
}

uint32_t
fabric_add(struct fabric *f, enum fabric_type type, unsigned nports,
	const char *name)
{
	uint32_t ix = f->nnodes;
	uint64_t guid = make_guid(type, ix);

	assert(nports <= FABRIC_MAX_PORTS);
	f->node = mem_grow(f->node, ix, &f->node_cap, sizeof(*f->node));
	f->node[ix] = (struct fabric_node){
		.guid = guid,
		.sysimg = guid,
		.name = arena_strdup(f->arena, name),
		.first = f->nports,
		.vendor = 0x2c9,
		.device = type == FABRIC_SWITCH ? 0xd2f0 : 0x101b,
		.type = (uint8_t)type,
		.nports = (uint8_t)nports,
	};
	f->nnodes++;
	f->nswitches += type == FABRIC_SWITCH;
	f->nhosts += type != FABRIC_SWITCH;
	for (unsigned n = 0; n <= nports; n++) {
		bool has = (type == FABRIC_SWITCH) == (n == 0);

		f->port = mem_grow(
			f->port, f->nports, &f->port_cap, sizeof(*f->port));
		f->port[f->nports++] = (struct fabric_port){
			.guid = has ? guid + n : 0, .cable = FABRIC_NONE};
	}
	return ix;
}

uint32_t
fabric_addf(struct fabric *f, enum fabric_type type, unsigned nports,
	const char *fmt, ...)
{
	char name[128];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(name, sizeof(name), fmt, ap);
	va_end(ap);
	return fabric_add(f, type, nports, name);
}

/* Check that port p of node n exists and has no link. */
static int
check_end(const struct fabric *f, uint32_t n, unsigned p, struct reason *why)
{
	if (n >= f->nnodes)
		return reason_set(why, "no node number %u", n);
	if (p == 0 || p > f->node[n].nports)
		return reason_set(
			why, "\"%s\" has no port %u", f->node[n].name, p);
	if (f->port[f->node[n].first + p].cable != FABRIC_NONE)
		return reason_set(why, "port %u of \"%s\" is used twice", p,
			f->node[n].name);
	return 0;
}

uint32_t
fabric_connect(struct fabric *f, uint32_t a, unsigned pa, uint32_t b,
	unsigned pb, struct reason *why)
{
	uint32_t c = f->ncables;

	if (check_end(f, a, pa, why) || check_end(f, b, pb, why))
		return FABRIC_NONE;
	if (a == b && pa == pb) {
		reason_set(why, "port %u of \"%s\" is cabled to itself", pa,
			f->node[a].name);
		return FABRIC_NONE;
	}
	f->cable = mem_grow(f->cable, c, &f->cable_cap, sizeof(*f->cable));
	f->cable[c] = (struct fabric_cable){
		.node = {a, b},
		.port = {(uint8_t)pa, (uint8_t)pb},
		.rate = {.width = 2, .speed = 4, .speed_ext = 4},
	};
	f->ncables++;
	fabric_port(f, a, pa)->cable = c;
	fabric_port(f, b, pb)->cable = c;
	return c;
}

/* Give the end of cable c that is at port pa of node a another place. */
static void
move_end(struct fabric *f, uint32_t c, uint32_t a, unsigned pa, uint32_t b,
	unsigned pb)
{
	struct fabric_cable *w = &f->cable[c];
	unsigned i = w->node[0] != a || w->port[0] != pa;

	w->node[i] = b;
	w->port[i] = (uint8_t)pb;
	fabric_port(f, b, pb)->cable = c;
}

void
fabric_swap(struct fabric *f, uint32_t a, unsigned pa, uint32_t b, unsigned pb)
{
	uint32_t ca = fabric_port(f, a, pa)->cable;
	uint32_t cb = fabric_port(f, b, pb)->cable;

	move_end(f, ca, a, pa, b, pb);
	move_end(f, cb, b, pb, a, pa);
}

struct fabric_port *
fabric_port(const struct fabric *f, uint32_t node, unsigned n)
{
	assert(node < f->nnodes && n <= f->node[node].nports);
	return &f->port[f->node[node].first + n];
}

bool
fabric_peer(const struct fabric *f, uint32_t node, unsigned n, uint32_t *peer,
	unsigned *peer_port)
{
	uint32_t c = fabric_port(f, node, n)->cable;
	const struct fabric_cable *w;
	int far;

	if (c == FABRIC_NONE)
		return false;
	w = &f->cable[c];
	far = w->node[0] == node && w->port[0] == n;
	*peer = w->node[far];
	*peer_port = w->port[far];
	return true;
}

bool
fabric_switch_link(
	const struct fabric *f, unsigned nth, uint32_t *node, unsigned *port)
{
	uint32_t peer;
	unsigned q;

	for (*node = 0; *node < f->nnodes; (*node)++) {
		if (f->node[*node].type != FABRIC_SWITCH)
			continue;
		for (*port = 1; *port <= f->node[*node].nports; (*port)++)
			if (fabric_peer(f, *node, *port, &peer, &q) &&
				f->node[peer].type == FABRIC_SWITCH &&
				peer > *node && nth-- == 0)
				return true;
	}
	return false;
}

unsigned
fabric_free_port(const struct fabric *f, uint32_t node)
{
	for (unsigned n = 1; n <= f->node[node].nports; n++) {
		if (fabric_port(f, node, n)->cable == FABRIC_NONE)
			return n;
	}
	return 0;
}

unsigned
fabric_degree(const struct fabric *f, uint32_t node)
{
	unsigned d = 0;

	for (unsigned n = 1; n <= f->node[node].nports; n++)
		d += fabric_port(f, node, n)->cable != FABRIC_NONE;
	return d;
}

uint32_t
fabric_find(const struct fabric *f, const char *name)
{
	for (uint32_t n = 0; n < f->nnodes; n++) {
		if (strcmp(f->node[n].name, name) == 0)
			return n;
	}
	return FABRIC_NONE;
}

uint32_t
fabric_first_host(const struct fabric *f)
{
	for (uint32_t n = 0; n < f->nnodes; n++) {
		if (f->node[n].type == FABRIC_CA)
			return n;
	}
	return FABRIC_NONE;
}

/* A walk over the rest of a fabric. */
struct walk {
	const struct fabric *f;
	uint32_t drop_cable, drop_node;
	bool *seen;
	uint32_t *queue;
	uint32_t n;
};

static void
walk_add(struct walk *w, uint32_t node)
{
	if (w->seen[node])
		return;
	w->seen[node] = true;
	w->queue[w->n++] = node;
}

/* Follow the links of one node; true if it has at least one. */
static bool
walk_node(struct walk *w, uint32_t node, bool follow)
{
	const struct fabric_node *n = &w->f->node[node];
	bool any = false;

	for (unsigned p = 1; p <= n->nports; p++) {
		uint32_t peer;
		unsigned pp;

		if (!fabric_peer(w->f, node, p, &peer, &pp) ||
			w->f->port[n->first + p].cable == w->drop_cable ||
			peer == w->drop_node)
			continue;
		any = true;
		if (follow)
			walk_add(w, peer);
	}
	return any;
}

static bool
walk_all_seen(struct walk *w)
{
	for (uint32_t n = 0; n < w->f->nnodes; n++) {
		if (w->seen[n] || n == w->drop_node)
			continue;
		if (w->f->node[n].type != FABRIC_SWITCH &&
			!walk_node(w, n, false) && fabric_degree(w->f, n))
			continue;
		return false;
	}
	return true;
}

bool
fabric_connected(
	const struct fabric *f, uint32_t drop_cable, uint32_t drop_node)
{
	struct walk w = {f, drop_cable, drop_node, NULL, NULL, 0};
	uint32_t start = 0;
	bool all;

	while (start < f->nnodes &&
		(start == drop_node ||
			(f->nswitches > (drop_node != FABRIC_NONE) &&
				f->node[start].type != FABRIC_SWITCH)))
		start++;
	if (start == f->nnodes)
		return true;
	w.seen = mem_zalloc(f->nnodes, sizeof(*w.seen));
	w.queue = mem_zalloc(f->nnodes, sizeof(*w.queue));
	walk_add(&w, start);
	for (uint32_t i = 0; i < w.n; i++) {
		/* a host passes nothing on, unless it is the start */
		if (i == 0 || f->node[w.queue[i]].type == FABRIC_SWITCH)
			walk_node(&w, w.queue[i], true);
	}
	all = walk_all_seen(&w);
	free(w.seen);
	free(w.queue);
	return all;
}

static bool
rate_equal(const struct fabric_rate *a, const struct fabric_rate *b)
{
	return a->width == b->width && a->speed == b->speed &&
	       a->speed_ext == b->speed_ext && a->fdr10 == b->fdr10;
}

/* Compare port p of node x of a with port p of node y of b. */
static int
port_differs(const struct fabric *a, uint32_t x, const struct fabric *b,
	uint32_t y, unsigned p, struct reason *why)
{
	const struct fabric_port *ap = fabric_port(a, x, p);
	const struct fabric_port *bp = fabric_port(b, y, p);
	uint32_t apeer = 0, bpeer = 0;
	unsigned app = 0, bpp = 0;
	bool al = p && fabric_peer(a, x, p, &apeer, &app);
	bool bl = p && fabric_peer(b, y, p, &bpeer, &bpp);

	if (al != bl || (al && (app != bpp || a->node[apeer].guid !=
						      b->node[bpeer].guid)))
		return reason_set(why, "port %u of \"%s\": other cables", p,
			a->node[x].name);
	if (al && !rate_equal(
			  &a->cable[ap->cable].rate, &b->cable[bp->cable].rate))
		return reason_set(why, "port %u of \"%s\": other rates", p,
			a->node[x].name);
	/* a port without a link does not show in a capture */
	if ((al || p == 0) && (ap->guid != bp->guid || ap->lid != bp->lid ||
				      ap->lmc != bp->lmc))
		return reason_set(why, "port %u of \"%s\": other GUID or LID",
			p, a->node[x].name);
	return 0;
}

static bool
attrs_differ(const struct fabric_attrs *a, const struct fabric_attrs *b)
{
	return a->has_role != b->has_role || a->role_fixed != b->role_fixed ||
	       a->role != b->role || a->level != b->level ||
	       a->plane != b->plane || a->tree != b->tree || a->pod != b->pod ||
	       a->index != b->index || a->ar != b->ar ||
	       a->ar_lft_stops != b->ar_lft_stops ||
	       a->ar_all_sls != b->ar_all_sls || a->ar_late != b->ar_late ||
	       a->interleave != b->interleave ||
	       a->sub_groups != b->sub_groups || a->groups != b->groups ||
	       a->queue != b->queue || a->service_ns != b->service_ns ||
	       a->hop_ns != b->hop_ns;
}

static int
node_differs(const struct fabric *a, uint32_t x, const struct fabric *b,
	uint32_t y, struct reason *why)
{
	const struct fabric_node *n = &a->node[x], *m = &b->node[y];

	if (n->type != m->type || n->nports != m->nports ||
		n->sysimg != m->sysimg || n->vendor != m->vendor ||
		n->device != m->device || n->enhanced_p0 != m->enhanced_p0 ||
		attrs_differ(&n->attrs, &m->attrs) ||
		strcmp(n->name, m->name) != 0)
		return reason_set(
			why, "\"%s\" and \"%s\" differ", n->name, m->name);
	for (unsigned p = 0; p <= n->nports; p++) {
		if (port_differs(a, x, b, y, p, why))
			return -1;
	}
	return 0;
}

bool
fabric_equal(const struct fabric *a, const struct fabric *b, struct reason *why)
{
	struct map by_guid = {0};
	bool equal = false;

	if (a->nnodes != b->nnodes || a->ncables != b->ncables) {
		reason_set(why, "%u nodes and %u cables, or %u and %u",
			a->nnodes, a->ncables, b->nnodes, b->ncables);
		return false;
	}
	for (uint32_t n = 0; n < b->nnodes; n++)
		map_put(&by_guid, b->node[n].guid, n);
	for (uint32_t n = 0; n < a->nnodes; n++) {
		uint32_t m;

		if (!map_get(&by_guid, a->node[n].guid, &m)) {
			reason_set(why, "only one has \"%s\"", a->node[n].name);
			goto done;
		}
		if (node_differs(a, n, b, m, why))
			goto done;
	}
	equal = true;
done:
	map_free(&by_guid);
	return equal;
}

/* True if this node loses all its links. */
static bool
is_orphan(const struct fabric *f, const struct fabric_edit *e, uint32_t n)
{
	bool had = false;

	for (unsigned p = 1; p <= f->node[n].nports; p++) {
		uint32_t peer;
		unsigned pp;

		if (!fabric_peer(f, n, p, &peer, &pp))
			continue;
		had = true;
		if (!(e->drop_node && e->drop_node[peer]) &&
			!(e->drop_cable &&
				e->drop_cable[fabric_port(f, n, p)->cable]))
			return false;
	}
	return had;
}

static unsigned
shift_of(const struct fabric_edit *e, uint32_t node)
{
	return e->add_port ? e->add_port[node] : 0;
}

/* Copy node n into out under the edits. */
static uint32_t
copy_node(struct fabric *out, const struct fabric *f, uint32_t n,
	const struct fabric_edit *e)
{
	const struct fabric_node *src = &f->node[n];
	unsigned nports =
		e->nports && e->nports[n] ? e->nports[n] : src->nports;
	uint32_t ix =
		fabric_add(out, (enum fabric_type)src->type, nports, src->name);
	struct fabric_node *dst = &out->node[ix];

	dst->guid = src->guid;
	dst->sysimg = src->sysimg;
	dst->vendor = src->vendor;
	dst->device = src->device;
	dst->attrs = src->attrs;
	dst->enhanced_p0 = src->enhanced_p0;
	dst->id = src->id ? arena_strdup(out->arena, src->id) : NULL;
	for (unsigned p = 0; p <= nports; p++) {
		struct fabric_port *d = &out->port[dst->first + p];
		unsigned was = p ? p - shift_of(e, n) : 0;

		if (d->guid)
			d->guid = src->guid + p;
		if (was > src->nports)
			continue;
		d->guid = f->port[src->first + was].guid;
		d->lid = f->port[src->first + was].lid;
		d->lmc = f->port[src->first + was].lmc;
	}
	return ix;
}

struct fabric *
fabric_rebuild(const struct fabric *f, const struct fabric_edit *e)
{
	struct fabric *out = fabric_new();
	uint32_t *to = mem_zalloc(f->nnodes, sizeof(*to));

	for (uint32_t n = 0; n < f->nnodes; n++) {
		to[n] = FABRIC_NONE;
		if ((e->drop_node && e->drop_node[n]) ||
			(e->drop_orphans && f->node[n].type != FABRIC_SWITCH &&
				is_orphan(f, e, n)))
			continue;
		to[n] = copy_node(out, f, n, e);
	}
	for (uint32_t c = 0; c < f->ncables; c++) {
		const struct fabric_cable *w = &f->cable[c];
		uint32_t a = w->node[0], b = w->node[1], made;

		if ((e->drop_cable && e->drop_cable[c]) ||
			to[a] == FABRIC_NONE || to[b] == FABRIC_NONE)
			continue;
		made = fabric_connect(out, to[a], w->port[0] + shift_of(e, a),
			to[b], w->port[1] + shift_of(e, b), NULL);
		assert(made != FABRIC_NONE);
		out->cable[made].rate = w->rate;
	}
	free(to);
	return out;
}

static const struct {
	const char *name;
	uint8_t speed, ext;
	bool fdr10;
} speed_names[] = {
	{"FDR10", 4, 0, true},
	{"SDR", 1, 0, false},
	{"DDR", 2, 0, false},
	{"QDR", 4, 0, false},
	{"FDR", 4, 1, false},
	{"EDR", 4, 2, false},
	{"HDR", 4, 4, false},
	{"NDR", 4, 8, false},
	{"XDR", 4, 16, false},
};

static const struct {
	const char *name;
	uint8_t code;
} width_names[] = {{"1x", 1}, {"4x", 2}, {"8x", 4}, {"12x", 8}, {"2x", 16}};

enum {
	NSPEEDS = sizeof(speed_names) / sizeof(speed_names[0]),
	NWIDTHS = sizeof(width_names) / sizeof(width_names[0]),
};

void
fabric_rate_print(const struct fabric_rate *r, char out[16])
{
	const char *w = "?x", *s = "???";

	for (unsigned i = 0; i < NWIDTHS; i++) {
		if (width_names[i].code == r->width)
			w = width_names[i].name;
	}
	for (unsigned i = 0; i < NSPEEDS; i++) {
		if (speed_names[i].ext == r->speed_ext &&
			speed_names[i].fdr10 == r->fdr10 &&
			speed_names[i].speed == r->speed)
			s = speed_names[i].name;
	}
	(void)snprintf(out, 16, "%s%s", w, s);
}

bool
fabric_rate_parse(const char *s, size_t n, struct fabric_rate *r)
{
	for (unsigned i = 0; i < NWIDTHS * NSPEEDS; i++) {
		const char *w = width_names[i / NSPEEDS].name;
		const char *v = speed_names[i % NSPEEDS].name;
		size_t wn = strlen(w), vn = strlen(v);

		if (n != wn + vn || memcmp(s, w, wn) != 0 ||
			memcmp(s + wn, v, vn) != 0)
			continue;
		r->width = width_names[i / NSPEEDS].code;
		r->speed = speed_names[i % NSPEEDS].speed;
		r->speed_ext = speed_names[i % NSPEEDS].ext;
		r->fdr10 = speed_names[i % NSPEEDS].fdr10;
		return true;
	}
	return false;
}
