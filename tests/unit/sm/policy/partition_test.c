/*
 * Partitions from the configuration to the ports and to the answers of the SA:
 * the SM core on a simulated fabric.
 */
#include "routing/driver/registry.h"
#include "sm/base/rng.h"
#include "sm/report/partition_json.h"
#include "tests/topo/shape.h"
#include "tests/unit/sm/policy/partition_fixture.h"
#include "tests/unit/suite.h"

TEST(tables_and_guards)
{
	struct sim_options o = sim_defaults();
	AUTO(fixture) struct fixture x = fixture_new(TWO_TENANTS, &o);
	struct sm_status st;

	ck_assert_str_eq(host_table(&x, "h1"), "ffff");
	ck_assert_str_eq(host_table(&x, "h2"), "7fff 8005");
	ck_assert_str_eq(host_table(&x, "h5"), "7fff 0006");
	ck_assert_str_eq(host_table(&x, "h6"), "7fff");
	ck_assert_str_eq(guard_table(&x, "h2"), "7fff 8005");
	ck_assert(is_guarded(&x, "h2") && is_guarded(&x, "h6"));
	check_links(&x);
	sm_status(x.w->sm, &st);
	ck_assert_str_eq(st.alarm, "");
	/* after a restart everything is in order */
	world_kill(x.w);
	sim_clear_stats(x.w->sim);
	world_start(x.w);
	ck_assert(world_settle(x.w, mono_ms(30000)));
	ck_assert_uint_eq(count_written(&x), 0);
}

TEST(a_reload)
{
	struct sim_options o = sim_defaults();
	AUTO(fixture) struct fixture x = fixture_new(TWO_TENANTS, &o);
	struct diag_list d;
	static const char bad[] = "partitions: {a: {pkey: 0x5, members: "
				  "{h2: full}}, b: {pkey: 0x5}}";

	/* h3 moves, h2 gains a key: kept keys do not move in its table */
	reload_config(&x,
		"partitions: {c: {pkey: 0x7, members: {h2: full}}, "
		"a: {pkey: 0x5, members: {h2: full}}, "
		"b: {pkey: 0x6, members: {h3: full, h4: full, h5: full}}}");
	ck_assert_str_eq(host_table(&x, "h2"), "7fff 8005 8007");
	ck_assert_str_eq(guard_table(&x, "h2"), "7fff 8005 8007");
	ck_assert_str_eq(host_table(&x, "h3"), "7fff 0000 8006");
	ck_assert_str_eq(host_table(&x, "h5"), "7fff 8006");
	/* deltas: h2, h3, h5 and their guards, h3's in two steps */
	ck_assert_uint_le(count_written(&x), 8);
	/* the same configuration again changes nothing */
	reload_config(&x,
		"partitions: {c: {pkey: 0x7, members: {h2: full}}, "
		"a: {pkey: 0x5, members: {h2: full}}, "
		"b: {pkey: 0x6, members: {h3: full, h4: full, h5: full}}}");
	ck_assert_uint_eq(count_written(&x), 0);
	/* a configuration that is refused as a whole never gets here */
	ck_assert(config_parse("t", bad, strlen(bad), registry_modules(), &d) ==
		  NULL);
	diag_free(&d);
	ck_assert_str_eq(host_table(&x, "h2"), "7fff 8005 8007");
	/* no enforcement */
	reload_config(
		&x, "fabric: {partition_enforcement: false}\n" TWO_TENANTS);
	ck_assert(!is_guarded(&x, "h2"));
	ck_assert_str_eq(host_table(&x, "h2"), "7fff 8005");
	/* and everything open again */
	reload_config(&x, "");
	ck_assert_str_eq(host_table(&x, "h2"), "ffff");
}

/* No room: reported with the port's name, and no key is missing silently. */
TEST(no_room)
{
	struct sim_options o = sim_defaults();
	AUTO(fixture) struct fixture x;
	struct sm_status st;
	char yaml[4096];
	size_t at = 0;

	o.enf_cap = 2;
	for (unsigned i = 0; i < 40; i++)
		at += (size_t)snprintf(yaml + at, sizeof(yaml) - at,
			"%sp%u: {pkey: 0x%x, members: {h2: full}}",
			i > 0 ? ", " : "partitions: {", i, i + 1);
	(void)snprintf(yaml + at, sizeof(yaml) - at, "}");
	x = fixture_new(yaml, &o);
	sm_status(x.w->sm, &st);
	ck_assert_msg(strstr(st.alarm, "h2") != NULL ||
			      strstr(st.alarm, "room for 2") != NULL,
		"%s", st.alarm);
	ck_assert(!is_guarded(&x, "h2"));
	ck_assert(is_guarded(&x, "h3"));
	ck_assert(strncmp(host_table(&x, "h2"), "7fff 8001 8002", 14) == 0);
}

/* A table of one entry keeps the key for the subnet administrator. */
TEST(one_entry)
{
	struct sim_options o = sim_defaults();
	AUTO(fixture) struct fixture x;
	struct sm_status st;

	o.pkeys = 1;
	o.enf_cap = 8;
	x = fixture_new(TWO_TENANTS, &o);
	sm_status(x.w->sm, &st);
	ck_assert_msg(strstr(st.alarm, "room for 1") != NULL, "%s", st.alarm);
	ck_assert_str_eq(host_table(&x, "h1"), "ffff");
	ck_assert_str_eq(host_table(&x, "h2"), "7fff");
	ck_assert_str_eq(guard_table(&x, "h2"), "7fff 8005");
	reload_config(&x, "");
	ck_assert_str_eq(host_table(&x, "h2"), "ffff");
	sm_status(x.w->sm, &st);
	ck_assert_str_eq(st.alarm, "");
}

/* The manager's own port stays a full member, whatever a partition for all
 * says. */
TEST(our_own_port)
{
	struct sim_options o = sim_defaults();
	AUTO(fixture)
	struct fixture x =
		fixture_new("fabric: {lmc: {hosts: 2, switches: 1}}\n"
			    "partitions: {all: {pkey: 0x5, members: {all: "
			    "limited}}}",
			&o);

	ck_assert_str_eq(host_table(&x, "h1"), "ffff 0005");
	ck_assert_str_eq(host_table(&x, "h2"), "7fff 0005");
	ck_assert_str_eq(guard_table(&x, "h1"), "ffff 0005");
	ck_assert_str_eq(
		pkey_table_text(&x, node_of(&x, "sw0"), 0, 0), "7fff 0005");
	reload_config(
		&x, "partitions: {d: {pkey: 0x7fff, members: {h2: limited}}}");
	ck_assert_str_eq(host_table(&x, "h1"), "ffff");
	ck_assert_str_eq(host_table(&x, "h2"), "7fff");
	ck_assert_str_eq(host_table(&x, "h3"), "");
}

/* Members by name, and a name that no node has. */
TEST(by_name)
{
	json_t *status, *who;
	struct sim_options o = sim_defaults();
	AUTO(fixture)
	struct fixture x = fixture_new(
		"partitions: {a: {pkey: 0x5, members: {\"h[23]\": full, "
		"nobody: full}}}",
		&o);

	ck_assert_str_eq(host_table(&x, "h3"), "7fff 8005");
	ck_assert_str_eq(host_table(&x, "h4"), "7fff");
	/* members that are not present are listed */
	status = partition_json(sm_view(x.w->sm), "");
	who = json_array_get(json_object_get(status, "nobody"), 0);
	ck_assert_str_eq(
		json_string_value(json_object_get(who, "member")), "nobody");
	who = json_array_get(json_object_get(status, "list"), 0);
	ck_assert_int_eq(json_integer_value(json_object_get(who, "ports")), 2);
	json_decref(status);
}

/* ---- nothing is visible that should not be ---- */

enum { MAX_PARTS = 5, NODES = HOSTS + LEAVES, TRACE_NODE = 12 };

/* The test's own model of shared partitions: bits by partition. */
struct model {
	uint32_t full[NODES], limited[NODES];
	char yaml[4096];
};

static void
make_model(struct model *m, const struct fabric *f, struct rng *rng)
{
	unsigned parts = 1 + (unsigned)rng_below(rng, MAX_PARTS);
	size_t at = (size_t)snprintf(m->yaml, sizeof(m->yaml),
		"sa: {trust_key: 0x5ec2e7, requests_per_second: 0}\n"
		"partitions: {");

	memset(m->full, 0, sizeof(m->full));
	memset(m->limited, 0, sizeof(m->limited));
	for (unsigned p = 0; p < parts; p++) {
		at += (size_t)snprintf(m->yaml + at, sizeof(m->yaml) - at,
			"%sp%u: {pkey: 0x%x, members: {", p > 0 ? ", " : "", p,
			p + 1);
		for (uint32_t n = 0; n < f->nnodes; n++) {
			static const char *const word[] = {
				"limited", "full", "both"};
			unsigned how = (unsigned)rng_below(rng, 8);

			if (how > 2)
				continue;
			at += (size_t)snprintf(m->yaml + at,
				sizeof(m->yaml) - at, "\"0x%016llx\": %s, ",
				(unsigned long long)f->node[n].guid, word[how]);
			if (how != 1)
				m->limited[n] |= 2U << p;
			if (how != 0)
				m->full[n] |= 2U << p;
		}
		at += (size_t)snprintf(
			m->yaml + at, sizeof(m->yaml) - at, "}}");
	}
	(void)snprintf(m->yaml + at, sizeof(m->yaml) - at, "}");
	for (uint32_t n = 0; n < f->nnodes; n++)
		m->limited[n] |= 1;
}

static void
sm_is_full(struct model *m, const struct fixture *x)
{
	uint32_t sm = node_of(x, "h1");

	m->limited[sm] &= ~1U;
	m->full[sm] |= 1;
}

static bool
share_partition(const struct model *m, uint32_t a, uint32_t b)
{
	return a == b ||
	       ((m->full[a] & (m->full[b] | m->limited[b])) |
		       (m->full[b] & (m->full[a] | m->limited[a]))) != 0;
}

/* The node of a LID, by the simulator. */
static uint32_t
by_lid(const struct fixture *x, uint16_t lid)
{
	for (uint32_t n = 0; n < x->f->nnodes; n++)
		if (sim_port_info(x->w->sim, n,
			    x->f->node[n].type == FABRIC_SWITCH ? 0 : 1)
				->lid == lid)
			return n;
	ck_abort_msg("a record about LID %u", lid);
	return 0;
}

static uint32_t
by_guid(const struct fixture *x, uint64_t guid)
{
	for (uint32_t n = 0; n < x->f->nnodes; n++)
		if (x->f->node[n].guid == guid ||
			fabric_port(x->f, n,
				x->f->node[n].type == FABRIC_SWITCH ? 0 : 1)
					->guid == guid)
			return n;
	ck_abort_msg("a record about 0x%llx", (unsigned long long)guid);
	return 0;
}

/* The ends of a kind of record: offsets of LIDs, or of a GUID. */
static const struct kind {
	uint16_t attr;
	int lid[2];
	int guid;
	size_t size;
} kinds[] = {
	{MAD_SA_NODE, {0, -1}, 24, 108},
	{MAD_SA_PORT, {0, -1}, -1, 68},
	{MAD_SA_SWITCH, {0, -1}, -1, 24},
	{MAD_SA_LFT, {0, -1}, -1, 72},
	{MAD_SA_SM, {0, -1}, 4, 25},
	{MAD_SA_LINK, {0, 4}, -1, 8},
	{MAD_SA_GUID, {0, -1}, -1, 72},
	{MAD_SA_PKEY, {0, -1}, -1, 72},
	{MAD_SA_SERVICE_REC, {-1, -1}, 16, 176},
	{MAD_SA_INFORM_REC, {-1, -1}, 8, 60},
	{MAD_SA_PATH_REC, {40, 42}, 16, 64},
	{MAD_SA_MULTI_PATH, {40, 42}, 16, 64},
	{MAD_SA_SL2VL, {0, -1}, -1, 16},
	{MAD_SA_VLARB, {0, -1}, -1, 72},
	{MAD_SA_MFT, {0, -1}, -1, 72},
	{MAD_SA_MEMBER, {-1, -1}, -1, 52},
	{MAD_SA_TRACE_REC, {-1, -1}, TRACE_NODE, MAD_SA_TRACE},
};

enum { NKINDS = sizeof(kinds) / sizeof(kinds[0]) };

static bool
is_in(const struct model *m, uint32_t node, uint16_t pkey)
{
	unsigned bit = (pkey & 0x7fff) == 0x7fff ? 0 : pkey & 0x7fff;

	return ((m->full[node] | m->limited[node]) >> bit & 1) != 0;
}

/* A host sees only groups of its partitions, and of their members only
 * itself. */
static void
judge_group(const struct fixture *x, const struct model *m,
	const struct host *o, const uint8_t *rec)
{
	struct mad_sa_member g;

	mad_sa_member_decode(rec, &g);
	ck_assert_msg(is_in(m, o->node, g.pkey),
		"%s sees a group of 0x%04x\n%s", sim_name(x->w->sim, o->node),
		g.pkey, m->yaml);
	ck_assert(g.gid.guid == 0 || g.gid.guid == o->guid);
}

/* A trace only joins two ends that the host may talk to, and that may talk to
 * each other; between them are switches. */
static void
judge_trace(
	const struct fixture *x, const struct model *m, const struct host *o)
{
	size_t n = host_records(o, MAD_SA_TRACE);
	uint32_t end[2] = {0};

	if (n == 0)
		return;
	for (size_t i = 0; i < n; i++) {
		uint32_t node =
			by_guid(x, be_get64(host_record(o, i) + TRACE_NODE));

		if (i == 0)
			end[0] = node;
		end[1] = node;
		if (i == 0 || i == n - 1)
			ck_assert_msg(share_partition(m, o->node, node),
				"%s learns of a way of %s\n%s",
				sim_name(x->w->sim, o->node),
				sim_name(x->w->sim, node), m->yaml);
		else
			ck_assert(x->f->node[node].type == FABRIC_SWITCH);
	}
	ck_assert_msg(share_partition(m, end[0], end[1]),
		"%s learns of a way from %s "
		"to %s\n%s",
		sim_name(x->w->sim, o->node), sim_name(x->w->sim, end[0]),
		sim_name(x->w->sim, end[1]), m->yaml);
}

static void
judge_records(const struct fixture *x, const struct model *m,
	const struct host *o, const struct kind *k)
{
	if (k->attr == MAD_SA_TRACE_REC) {
		judge_trace(x, m, o);
		return;
	}
	for (size_t i = 0; i < host_records(o, k->size); i++) {
		const uint8_t *rec = host_record(o, i);
		uint32_t end[3];
		unsigned n = 0;

		for (unsigned e = 0; e < 2; e++)
			if (k->lid[e] >= 0)
				end[n++] = by_lid(x, be_get16(rec + k->lid[e]));
		if (k->guid >= 0)
			end[n++] = by_guid(x, be_get64(rec + k->guid));
		for (unsigned e = 0; e < n; e++)
			ck_assert_msg(share_partition(m, o->node, end[e]),
				"%s sees %s by attribute 0x%x\n%s",
				sim_name(x->w->sim, o->node),
				sim_name(x->w->sim, end[e]), k->attr, m->yaml);
		if (k->size == 64)
			ck_assert(share_partition(m, end[0], end[1]));
		if (k->attr == MAD_SA_MEMBER)
			judge_group(x, m, o, rec);
		if (k->attr == MAD_SA_PKEY)
			ck_assert_uint_eq(end[0], o->node);
	}
}

/* A mask and a record that may match something. */
static void
random_record(const struct fixture *x, struct rng *rng, const struct kind *k,
	uint8_t rec[MAD_SA_DATA], struct ask *a)
{
	uint32_t n = (uint32_t)rng_below(rng, x->f->nnodes);
	bool sw = x->f->node[n].type == FABRIC_SWITCH;
	uint16_t lid = sim_port_info(x->w->sim, n, sw ? 0 : 1)->lid;
	uint64_t guid = fabric_port(x->f, n, sw ? 0 : 1)->guid;

	memset(rec, 0, MAD_SA_DATA);
	*a = (struct ask){.rec = rec, .len = MAD_SA_DATA};
	if (rng_below(rng, 3) == 0)
		return; /* the whole table */
	if (k->attr == MAD_SA_PATH_REC) {
		a->mask =
			rng_below(rng, 2) ? MAD_SA_PATH_DGID : MAD_SA_PATH_SGID;
		a->mask |= rng_below(rng, 2) ? MAD_SA_PATH_PKEY : 0;
		be_put64(rec + 8, PREFIX);
		be_put64(rec + 16, guid);
		be_put64(rec + 24, PREFIX);
		be_put64(rec + 32, guid);
		be_put16(rec + 52, (uint16_t)(1 + rng_below(rng, MAX_PARTS)));
		return;
	}
	if (k->attr == MAD_SA_MEMBER) {
		a->mask = MAD_SA_MEMBER_GID;
		be_put64(rec + 16, PREFIX);
		be_put64(rec + 24, guid);
	}
	if (k->lid[0] == 0) {
		be_put16(rec, lid);
		a->mask = 1;
	}
}

/* From a node to a node; the host that asks need be neither. */
static void
random_pairs(
	const struct fixture *x, struct rng *rng, uint8_t *rec, struct ask *a)
{
	const unsigned from = 1 + rng_below(rng, 3), to = 1 + rng_below(rng, 3);

	memset(rec, 0, MAD_SA_DATA);
	*a = (struct ask){.mask = MAD_SA_MULTI_NSGID | MAD_SA_MULTI_NDGID,
		.rec = rec,
		.len = MAD_SA_MULTI + 16 * (size_t)(from + to)};
	rec[15] = (uint8_t)from;
	rec[16] = (uint8_t)to;
	for (unsigned i = 0; i < from + to; i++) {
		uint32_t n = rng_below(rng, x->f->nnodes);
		bool sw = x->f->node[n].type == FABRIC_SWITCH;

		be_put64(rec + 24 + 16 * (size_t)i, PREFIX);
		be_put64(rec + 32 + 16 * (size_t)i,
			fabric_port(x->f, n, sw ? 0 : 1)->guid);
	}
}

/* A trace between two nodes; the host that asks need be neither. */
static void
random_trace(
	const struct fixture *x, struct rng *rng, uint8_t *rec, struct ask *a)
{
	struct mad_sa_path w = {.sgid = {PREFIX, 0}, .dgid = {PREFIX, 0}};
	struct mad_gid *end[2] = {&w.sgid, &w.dgid};

	for (unsigned i = 0; i < 2; i++) {
		uint32_t n = rng_below(rng, x->f->nnodes);
		bool sw = x->f->node[n].type == FABRIC_SWITCH;

		end[i]->guid = fabric_port(x->f, n, sw ? 0 : 1)->guid;
	}
	mad_sa_path_encode(&w, rec);
	*a = (struct ask){.mask = MAD_SA_PATH_SGID | MAD_SA_PATH_DGID,
		.rec = rec,
		.len = MAD_SA_PATH};
}

/* Only members create a group of a partition, or join it. */
static void
join_group(struct host *o, const struct model *m, uint16_t pkey)
{
	const struct mad_sa_member want = {
		.mgid = {UINT64_C(0xff15a01b00000000), pkey},
		.gid = {PREFIX, o->guid},
		.qkey = 1,
		.pkey = pkey | 0x8000,
		.scope = 5,
		.state = MAD_SA_JOIN_FULL,
	};
	uint8_t rec[MAD_SA_DATA] = {0};
	const struct ask a = {.mask = MAD_SA_MEMBER_MGID | MAD_SA_MEMBER_GID |
				      MAD_SA_MEMBER_STATE | MAD_SA_MEMBER_QKEY |
				      MAD_SA_MEMBER_TCLASS |
				      MAD_SA_MEMBER_PKEY | MAD_SA_MEMBER_FLOW |
				      MAD_SA_MEMBER_SL,
		.rec = rec,
		.len = MAD_SA_MEMBER_REC};
	uint16_t status;

	mad_sa_member_encode(&want, rec);
	status = host_ask(o, MAD_SET, MAD_SA_MEMBER, &a);
	ck_assert_msg((status == 0) == is_in(m, o->node, pkey),
		"a join of 0x%04x: status 0x%04x\n%s", pkey, status, m->yaml);
}

/* The reports that o got: hosts that go and come, groups that are created. */
static unsigned
judge_reports(
	const struct fixture *x, const struct model *m, const struct host *o)
{
	unsigned n = 0;

	for (; n < o->reports && n < 64; n++) {
		const uint8_t *d = o->notices[n];
		uint64_t prefix = be_get64(d + 16), guid = be_get64(d + 24);

		switch (be_get16(d + 4)) {
		case 64:
		case 65:
			ck_assert_msg(
				share_partition(m, o->node, by_guid(x, guid)),
				"%s hears of %s\n%s",
				sim_name(x->w->sim, o->node),
				sim_name(x->w->sim, by_guid(x, guid)), m->yaml);
			break;
		case 66:
		case 67:
			ck_assert(prefix >> 56 == 0xff);
			ck_assert_msg(
				is_in(m, o->node,
					prefix >> 48 == 0xff15 ? (uint16_t)guid
							       : 0x7fff),
				"%s hears of a group\n%s",
				sim_name(x->w->sim, o->node), m->yaml);
			break;
		case 128: /* links, by their switch */
			ck_assert(share_partition(
				m, o->node, by_lid(x, be_get16(d + 6))));
			break;
		default:
			ck_abort_msg("a report of trap %u", be_get16(d + 4));
		}
	}
	return n;
}

static void
offer_service(struct host *o, uint16_t pkey)
{
	uint8_t rec[MAD_SA_DATA] = {0};
	const struct ask a = {.mask = 0x17, .rec = rec, .len = sizeof(rec)};

	be_put64(rec, 0x1000 + pkey);
	be_put64(rec + 8, PREFIX);
	be_put64(rec + 16, o->guid);
	be_put16(rec + 24, pkey);
	be_put32(rec + 28, 1000);
	(void)host_ask(o, MAD_SET, MAD_SA_SERVICE_REC, &a);
}

LOOP_TEST(isolation, 1, 21)
{
	struct rng rng = {(uint64_t)_i};
	struct sim_options so = sim_defaults();
	struct host *host[HOSTS - 1];
	AUTO(fixture) struct fixture x;
	struct model m;
	struct fabric *f;
	size_t seen = 0;
	unsigned heard = 0;
	char name[8];

	f = shape_of("mesh:%u:%u", LEAVES, PER_LEAF);
	make_model(&m, f, &rng);
	fabric_free(f);
	x = fixture_new(m.yaml, &so);
	sm_is_full(&m, &x);
	for (unsigned i = 0; i < HOSTS - 1; i++) {
		(void)snprintf(name, sizeof(name), "h%u", i + 2);
		host[i] = host_on(x.w, name);
		offer_service(
			host[i], (uint16_t)(1 + rng_below(&rng, MAX_PARTS)));
		ck_assert_uint_eq(send_inform(host[i], &everything, 0), 0);
	}
	for (unsigned i = 0; i < HOSTS - 1; i++)
		join_group(host[i], &m,
			(uint16_t)(1 + rng_below(&rng, MAX_PARTS)));
	for (unsigned i = 0; i < 400; i++) {
		struct host *o = host[rng_below(&rng, HOSTS - 1)];
		const struct kind *k = &kinds[rng_below(&rng, NKINDS)];
		uint8_t rec[MAD_SA_DATA];
		struct ask a;

		uint8_t how = MAD_SA_GET_TABLE;

		if (k->attr == MAD_SA_MULTI_PATH) {
			random_pairs(&x, &rng, rec, &a);
			how = MAD_SA_GET_MULTI;
		} else if (k->attr == MAD_SA_TRACE_REC) {
			random_trace(&x, &rng, rec, &a);
			how = MAD_SA_GET_TRACE;
		} else {
			random_record(&x, &rng, k, rec, &a);
		}
		if (host_ask(o, how, k->attr, &a) != 0)
			continue;
		seen += host_records(o, k->size);
		judge_records(&x, &m, o, k);
	}
	ck_assert_uint_gt(seen, 100);
	sim_fault_node(x.w->sim, host[_i % (HOSTS - 1)]->node, false);
	ck_assert(world_settle(x.w, mono_ms(30000)));
	for (unsigned i = 0; i < HOSTS - 1; i++)
		heard += judge_reports(&x, &m, host[i]);
	ck_assert_uint_gt(heard, 0);
	for (unsigned i = 0; i < HOSTS - 1; i++)
		host_free(host[i]);
}

/* A host with the trust key sees everything. */
TEST(trusted)
{
	struct sim_options o = sim_defaults();
	AUTO(fixture)
	struct fixture x =
		fixture_new("sa: {trust_key: 0x5ec2e7}\n" TWO_TENANTS, &o);
	AUTO(host) struct host *h = host_on(x.w, "h2");
	const struct ask plain = {0}, key = {.key = SA_KEY};

	ck_assert_uint_eq(
		host_ask(h, MAD_SA_GET_TABLE, MAD_SA_NODE, &plain), 0);
	ck_assert_uint_eq(host_records(h, 108), 3); /* SM, itself, h3 */
	ck_assert_uint_eq(host_ask(h, MAD_SA_GET_TABLE, MAD_SA_NODE, &key), 0);
	ck_assert_uint_eq(host_records(h, 108), NODES);
}
