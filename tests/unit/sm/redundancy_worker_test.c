/*
 * Single points of failure, as the daemon counts them for a view: against every
 * path followed by hand, also through tables with holes and loops; in a thread
 * of its own; and how they are reported.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "routing/driver/compute.h"
#include "sm/base/mem.h"
#include "sm/base/rng.h"
#include "sm/redundancy_worker.h"
#include "sm/report/answer.h"
#include "sm/report/redundancy_json.h"
#include "sm/report/show.h"
#include "sm/report/tree_json.h"
#include "sm/view/view_redundancy.h"
#include "tests/topo/frozen.h"
#include "tests/topo/gen.h"
#include "tests/topo/shape.h"
#include "tests/unit/suite.h"

enum { SEEDS = 8, STEPS = 40 };

/* A routed view of a fabric. */
struct bed {
	struct topo *t;
	struct lft_pool *pool;
	struct view *v;
};

static struct bed
bed_of(struct fabric *f)
{
	struct frozen_lids lids = {.found = true};
	struct bed b = {frozen_topo(f, &lids), lft_pool_new(), NULL};
	const char *engine = "ftree";
	struct engine_options options = {0};
	const struct route_job job = {.topo = b.t,
		.pool = b.pool,
		.options = &options,
		.load_limit = 1250,
		.threads = 1};
	struct reason why = {""};

	fabric_free(f);
	b.v = mem_zalloc(1, sizeof(*b.v));
	b.v->refs = 1;
	b.v->topo = topo_ref(b.t);
	b.v->routes = compute_routes(&job, &engine, 1, &b.v->story, &why);
	ck_assert_msg(b.v->routes != NULL, "%s", why.text);
	return b;
}

static void
end_bed(struct bed *b)
{
	ck_assert_uint_eq(b->v->refs, 1); /* no other reference is left */
	view_unref(b->v);
	ck_assert_uint_eq(b->pool->live, 0);
	lft_pool_free(b->pool);
	topo_unref(b->t);
}
AUTO_VALUE(bed, struct bed, end_bed)

static struct fabric *
multi_port_tree(
	unsigned spines, unsigned leaves, unsigned hosts, unsigned ports)
{
	return gen_edit_rails(shape_of("two:%u:%u:%u", spines, leaves, hosts),
		ports, true, NULL);
}

static void
write_entry(struct routes *r, sw_ix s, uint16_t lid, uint8_t out)
{
	lft_ref *slot = routes_slot(r, s, lid / LFT_BLOCK);
	uint8_t bytes[LFT_BLOCK];

	memcpy(bytes, lft_bytes(r->pool, *slot), sizeof(bytes));
	bytes[lid % LFT_BLOCK] = out;
	lft_drop(r->pool, *slot);
	*slot = lft_add(r->pool, bytes);
}

/* ---- paths, followed by hand ---- */

/* Marks in on[] the switches behind s on the path to port p; true if it
 * arrives. */
static bool
follow_path(const struct routes *r, sw_ix s, port_ix p, bool *on)
{
	const struct topo *t = r->topo;

	for (unsigned i = 0; i < STEPS; i++) {
		const struct topo_node *n = &t->node[t->sw[s].node];
		unsigned out = routes_port(r, s, t->port[p].lid);
		port_ix peer;

		if (out == 0 || out > n->nports)
			return false;
		peer = t->port[n->first_port + out].peer;
		if (peer == p)
			return true;
		if (peer == TOPO_NONE ||
			t->node[t->port[peer].node].sw == TOPO_NONE)
			return false;
		s = t->node[t->port[peer].node].sw;
		on[s] = true;
	}
	return false;
}

/* The number of leaves that one switch cuts off from all of the n ports. */
static uint32_t
cut_by_hand(const struct routes *r, const struct multi_port_node_ports *all,
	const struct multi_port_node_member *m, size_t n)
{
	uint32_t nsw = r->topo->nsw, cut = 0;
	AUTO(mem) bool *both = mem_zalloc(nsw, 1), *on = mem_zalloc(nsw, 1);

	for (uint32_t i = 0; i < all->nleaves; i++) {
		bool any = false, whole = true;

		memset(both, 1, nsw);
		for (size_t k = 0; k < n; k++) {
			memset(on, 0, nsw);
			whole &= follow_path(r, all->leaf[i], m[k].port, on);
			for (sw_ix s = 0; s < nsw; s++)
				both[s] &= on[s];
		}
		for (sw_ix s = 0; s < nsw; s++)
			any |= both[s];
		cut += any && whole;
	}
	return cut;
}

static void
check_by_hand(const struct bed *b, unsigned seed)
{
	const struct routes *r = b->v->routes;
	const struct verify_tables in = {
		b->t, r->pool, r->row, r->nblocks, NULL, NULL};
	struct multi_port_node_ports all = multi_port_node_ports(b->t, NULL);
	struct view_redundancy *h = view_redundancy_count(b->v, NULL, NULL);
	size_t single = 0, at = 0, points = 0;
	struct redundancy_report found;

	redundancy_find(&in, NULL, &found);
	ck_assert_uint_eq(h->nodes, found.n);
	for (size_t i = 0, n; i < all.n; i += n) {
		uint32_t cut;

		n = multi_port_node_size(&all, i);
		if (n < 2)
			continue;
		cut = cut_by_hand(r, &all, &all.member[i], n);
		ck_assert_msg(found.node[at].cut == cut,
			"seed %u: %s: %u leaves, not %u", seed,
			topo_desc(b->t, b->t->port[all.member[i].port].node),
			found.node[at].cut, cut);
		ck_assert(cut == 0 || found.node[at].worst > 0);
		single += cut > 0;
		at++;
	}
	ck_assert_uint_eq(h->nsingle, single);
	for (size_t i = 0; i < h->npoints; i++)
		points += h->point[i].nodes;
	ck_assert_uint_eq(points, single);
	redundancy_free(&found);
	multi_port_node_ports_free(&all);
	view_redundancy_unref(h);
}

/* Counts are right with few ports and many, with tables whole and spoilt. */
LOOP_TEST(by_hand, 0, 5)
{
	static const unsigned ports[] = {2, 3, 4, 5, 6};
	AUTO(bed) struct bed b = bed_of(multi_port_tree(2, 8, 6, ports[_i]));
	struct routes *r = b.v->routes;

	check_by_hand(&b, 0);
	for (unsigned seed = 1; seed <= SEEDS; seed++) {
		struct rng g = {seed};

		for (unsigned i = 0; i < 40; i++) {
			sw_ix s = (sw_ix)rng_below(&g, b.t->nsw);
			unsigned n = b.t->node[b.t->sw[s].node].nports;
			uint16_t lid =
				(uint16_t)(1 + rng_below(&g, b.t->max_lid));

			write_entry(r, s, lid,
				(uint8_t)(rng_below(&g, 3) == 0
						  ? LFT_DROP
						  : 1 + rng_below(&g, n)));
		}
		check_by_hand(&b, seed);
	}
}

/* ---- reports ---- */

static json_t *
query_tree(const struct bed *b, const char *list)
{
	json_t *request = json_pack("{s:s, s:s}", "cmd", "tree", "list", list);
	struct answer *a = tree_answer(request, b->v);
	AUTO(buf) struct buf out = {0};
	json_t *j;

	while (answer_more(a, 4096, &out))
		;
	j = json_loadb(out.text, out.n, 0, NULL);
	ck_assert_ptr_nonnull(j);
	view_unref(answer_free(a));
	json_decref(request);
	return j;
}

static void
check_page(const json_t *o, void (*show)(const json_t *, struct buf *),
	const char *part)
{
	AUTO(buf) struct buf page = {0};

	show(o, &page);
	ck_assert_msg(page.text != NULL && strstr(page.text, part) != NULL,
		"%s", page.text != NULL ? page.text : "");
}

/* With one top every node depends on it: counts, the points, each node. */
TEST(answers)
{
	AUTO(bed) struct bed b = bed_of(multi_port_tree(1, 4, 2, 2));
	json_t *j = query_tree(&b, "multi-port"), *o;

	ck_assert(json_is_null(redundancy_json_all(b.v)));
	ck_assert_str_eq(json_string_value(json_object_get(j, "code")), "busy");
	json_decref(j);

	b.v->redundancy = view_redundancy_count(b.v, NULL, NULL);
	o = redundancy_json_all(b.v);
	ck_assert_int_eq(json_integer_value(json_object_get(o, "nodes")), 8);
	ck_assert_int_eq(
		json_integer_value(json_object_get(o, "single_points")), 8);
	check_page(o, show_redundancy,
		"redundancy  8 multi-port nodes, 8 with a single point of "
		"failure\n"
		"            \"spine1\": 8 nodes depend on it\n");
	json_decref(o);

	j = query_tree(&b, "multi-port");
	o = json_object_get(json_object_get(j, "result"), "list");
	ck_assert_uint_eq(json_array_size(o), 8);
	ck_assert_str_eq(json_string_value(
				 json_object_get(json_array_get(o, 0), "text")),
		"\"h1\": \"spine1\" cuts off both ports from 2 of 4 leaves; "
		"there is no other path");
	check_page(json_object_get(j, "result"), show_tree,
		"h6        \"h6\": \"spine1\" cuts off both");
	json_decref(j);
}

/* Points with most nodes come first; points beyond the list are counted. */
TEST(points)
{
	struct redundancy_node node[40] = {{0}};
	struct redundancy_report h = {.node = node, .n = 40};
	AUTO(mem) struct redundancy_point *p = NULL;
	AUTO(bed) struct bed b = bed_of(multi_port_tree(2, 12, 2, 2));
	AUTO(json) json_t *list = NULL;
	size_t n;

	for (unsigned i = 0; i < 40; i++) {
		node[i].cut = i % 4 != 3; /* every fourth node has none */
		node[i].sw = i % 12;
		node[i].out = i == 0 ? 5 : 0;
		h.single += node[i].cut > 0;
	}
	p = redundancy_points(&h, &n);
	ck_assert_uint_eq(n, 10);
	ck_assert_uint_eq(p[0].nodes, 4);
	ck_assert_uint_eq(p[0].sw, 1);
	ck_assert_uint_eq(p[1].sw, 2);
	ck_assert_uint_eq(p[9].nodes, 1); /* the link */
	ck_assert_uint_eq(p[9].out, 5);
	list = redundancy_json_list(b.t, p, n);
	ck_assert_uint_eq(json_array_size(list), REDUNDANCY_JSON_FIRST);
	ck_assert_int_eq(json_integer_value(json_object_get(
				 json_array_get(list, 9), "port")),
		5);
}

/* ---- in a thread ---- */

static bool
when_true(void *cookie)
{
	return *(bool *)cookie;
}

/* A view is counted once; a view waits while its pool is in use. */
TEST(thread)
{
	struct bed b = bed_of(multi_port_tree(1, 4, 2, 2)),
		   other = bed_of(multi_port_tree(3, 6, 2, 2));
	struct loop *l = loop_new();
	AUTO(config) struct config *cfg = config_default(NULL);
	bool may = true;
	struct redundancy_worker *c =
		redundancy_worker_new(l, when_true, &may, NULL);

	redundancy_worker_count(c, b.v, cfg);
	while (b.v->redundancy == NULL)
		loop_once(l);
	ck_assert_uint_eq(b.v->redundancy->nsingle, 8);
	ck_assert_uint_eq(b.v->refs, 1);
	redundancy_worker_count(c, b.v, cfg);
	ck_assert_uint_eq(b.v->refs, 1);

	may = false;
	for (unsigned i = 0; i < 3; i++) /* the last one counts */
		redundancy_worker_count(c, i < 2 ? b.v : other.v, cfg);
	while (other.v->redundancy == NULL)
		loop_once(l);
	ck_assert_uint_eq(other.v->redundancy->nodes, 12);
	ck_assert_uint_eq(other.v->redundancy->nsingle, 0);
	ck_assert_uint_eq(other.v->refs, 2);
	may = true;
	redundancy_worker_discard(c);
	ck_assert_uint_eq(other.v->refs, 1);

	view_redundancy_unref(other.v->redundancy);
	other.v->redundancy = NULL;
	redundancy_worker_count(c, other.v, cfg);
	redundancy_worker_free(c); /* while it works */
	loop_free(l);
	end_bed(&b);
	end_bed(&other);
}

/* Work that is not wanted any more ends early. */
TEST(cancelled)
{
	AUTO(bed) struct bed b = bed_of(multi_port_tree(1, 4, 2, 2));
	atomic_bool cancel = true;

	ck_assert_ptr_null(view_redundancy_count(b.v, NULL, &cancel));
}
