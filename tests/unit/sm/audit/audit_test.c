/* The audit of a simulated fabric that another manager runs. */
#include <inttypes.h>
#include <string.h>

#include "sm/audit/audit.h"
#include "sm/audit/audit_page.h"
#include "sm/audit/dependencies.h"
#include "sm/mad/mad_ar.h"
#include "sm/report/json_util.h"
#include "tests/sim/model/world.h"
#include "tests/topo/frozen.h"
#include "tests/topo/shape.h"
#include "tests/unit/adaptive_fixture.h"
#include "tests/unit/suite.h"

enum { RING = 5, FIRST_MLID = 0xc000 };

/* A fabric, the manager that brought it up, and the node that audits it. */
struct rig {
	struct fabric *f;
	struct world *w;
	struct sim_endpoint *ep;
	struct audit *audit;
	uint32_t looker;
	unsigned asked, wrote;
};

/* Counts the auditor's messages, and those that are no Gets. */
static enum sim_verdict
count_requests(void *cookie, struct sim_msg *m)
{
	struct rig *r = cookie;
	uint8_t method = m->m.mad[3];

	if (m->from != r->looker || method & 0x80)
		return SIM_PASS;
	r->asked++;
	r->wrote += method != MAD_GET &&
		    !(m->m.mad[1] == MAD_SA && method == MAD_SA_GET_TABLE);
	return SIM_PASS;
}

static void
on_audit_message(void *cookie, const struct transport_msg *m, struct mono now)
{
	struct rig *r = cookie;

	if (r->audit != NULL)
		audit_receive(r->audit, m, now);
}

/* A ring of switches with one host each, brought up; the last host audits. */
static struct rig
make_ring(const char *yaml)
{
	const struct sim_options o = sim_defaults();
	struct rig r = {.f = shape_of("torus:%u", RING)};

	r.w = world_new(r.f, &o, yaml);
	world_start(r.w);
	ck_assert(world_settle(r.w, mono_ms(60000)));
	r.looker = fabric_find(r.f, "h5");
	ck_assert_uint_ne(r.looker, FABRIC_NONE);
	return r;
}

static void
rig_free(struct rig *r)
{
	audit_free(r->audit);
	world_free(r->w);
	fabric_free(r->f);
}
AUTO_VALUE(rig, struct rig, rig_free)

/* Runs the audit and returns its report. */
static json_t *
run_audit(struct rig *r, enum audit_verdict *v)
{
	const char *why;
	json_t *report;

	sim_set_hook(r->w->sim, count_requests, r);
	r->ep = sim_attach(r->w->sim, r->looker, 1, on_audit_message, r);
	r->audit = audit_new(r->w->config, sim_transport(r->ep));
	audit_start(r->audit, sim_now(r->w->sim));
	for (unsigned ms = 0; ms < 60000 && !audit_done(r->audit, &why); ms++) {
		world_run(r->w, mono_ms(1));
		audit_tick(r->audit, sim_now(r->w->sim));
	}
	ck_assert(audit_done(r->audit, &why));
	ck_assert_str_eq(why, "");
	report = audit_report(r->audit, v);
	ck_assert_uint_gt(r->asked, 0);
	ck_assert_uint_eq(r->wrote, 0);
	ck_assert_int_eq(
		json_util_num(json_object_get(report, "wire"), "sets"), 0);
	return report;
}

/* The first finding of a kind, or NULL. */
static const json_t *
find_finding(const json_t *report, const char *kind)
{
	const json_t *e;
	size_t i;

	json_array_foreach(json_object_get(report, "findings"), i,
		e) if (strcmp(json_util_text(e, "kind"), kind) == 0) return e;
	return NULL;
}

static void
expect_finding(const json_t *report, const char *kind, const char *severity,
	const char *word)
{
	const json_t *e = find_finding(report, kind);
	AUTO(mem) char *text = json_dumps(report, JSON_INDENT(1));
	AUTO(mem) char *said = e != NULL ? json_dumps(e, 0) : NULL;

	ck_assert_msg(e != NULL, "no %s: %s", kind, text);
	ck_assert_str_eq(json_util_text(e, "severity"), severity);
	ck_assert_msg(strstr(said, word) != NULL, "no '%s': %s", word, said);
}

/* Fails if a line is wider than the page. */
static void
page_fits(const json_t *report)
{
	AUTO(buf) struct buf page = {0};
	const char *at;

	audit_page(report, &page);
	for (at = page.text; *at != '\0';) {
		size_t n = strcspn(at, "\n");

		ck_assert_msg(n <= AUDIT_PAGE_WIDTH, "%.*s", (int)n, at);
		at += n + (at[n] != '\0');
	}
}

static unsigned
port_to(const struct rig *r, uint32_t a, uint32_t b)
{
	uint32_t peer;
	unsigned back;

	for (unsigned p = 1; p <= r->f->node[a].nports; p++)
		if (fabric_peer(r->f, a, p, &peer, &back) && peer == b)
			return p;
	return 0;
}

/* Switches and hosts by their position in the ring. */
static uint32_t
ring_node(const struct rig *r, const char *what, unsigned i)
{
	char name[16];
	uint32_t n;

	(void)snprintf(name, sizeof(name), "%s%u", what, i);
	n = fabric_find(r->f, name);
	ck_assert_uint_ne(n, FABRIC_NONE);
	return n;
}

/* The tree of a group: from switch `from` on over this many links. */
static void
set_group_chain(struct rig *r, uint16_t mlid, unsigned from, unsigned cables)
{
	for (unsigned i = 0; i <= cables && i < RING; i++) {
		uint32_t s = ring_node(r, "sw", (from + i) % RING);
		uint32_t next = ring_node(r, "sw", (from + i + 1) % RING);
		uint32_t last =
			ring_node(r, "sw", (from + i + RING - 1) % RING);
		unsigned ports =
			1U << port_to(
				r, s, ring_node(r, "h", (from + i) % RING + 1));

		if (i < cables)
			ports |= 1U << port_to(r, s, next);
		if (i > 0 || cables == RING)
			ports |= 1U << port_to(r, s, last);
		sim_hand_mft(r->w->sim, s, mlid, (uint16_t)ports);
	}
}

TEST(a_well_run_fabric)
{
	AUTO(rig) struct rig r = make_ring(NULL);
	enum audit_verdict verdict;
	AUTO(json) json_t *report = run_audit(&r, &verdict);
	const json_t *sa = json_object_get(report, "sa");

	ck_assert_msg(verdict == AUDIT_VERDICT_SAFE, "%s",
		json_dumps(report, JSON_INDENT(1)));
	ck_assert(json_util_yes(sa, "answers"));
	ck_assert_int_eq(json_util_num(json_object_get(report, "dependencies"),
				 "cyclic"),
		0);
	page_fits(report);
}

TEST(a_switch_that_does_not_answer)
{
	const struct sim_behaviour mute = {.mute = UINT64_C(1) << MAD_LFT};
	AUTO(rig) struct rig r = make_ring(NULL);
	enum audit_verdict verdict;
	AUTO(json) json_t *report = NULL;

	/* nor is a group that goes through it disconnected */
	set_group_chain(&r, FIRST_MLID, 1, 2);
	sim_fault_behave(r.w->sim, ring_node(&r, "sw", 2), &mute);
	report = run_audit(&r, &verdict);
	ck_assert_int_eq(verdict, AUDIT_VERDICT_UNKNOWN);
	expect_finding(report, "apart", "unknown", "sw2");
	/* no fault is reported for what could not be read */
	ck_assert_ptr_null(find_finding(report, "unreachable"));
	ck_assert_int_eq(
		json_util_num(json_object_get(report, "groups"), "parted"), 0);
	ck_assert_int_gt(json_util_num(report, "blocks_unread"), 0);
	page_fits(report);
}

/* Switches that do not forward by the tables that were judged. */
TEST(switches_that_forward_adaptively)
{
	struct rig r = make_ring(NULL);
	uint32_t sw2 = ring_node(&r, "sw", 2);
	const unsigned on = MAD_AR_ON_GROUPS | MAD_AR_ON_RECOVERY;
	enum audit_verdict verdict;
	json_t *report;

	sim_hand_adaptive(r.w->sim, sw2, on, SIM_AR_OBEYS);
	sim_hand_adaptive(r.w->sim, ring_node(&r, "sw", 3), 0, SIM_AR_OBEYS);
	report = run_audit(&r, &verdict);
	ck_assert_int_eq(verdict, AUDIT_VERDICT_AT_RISK);
	expect_finding(
		report, "adaptive", "risk", "sw2' uses adaptive routing");
	ck_assert_uint_eq(sim_adaptive_on(r.w->sim, sw2), on);
	/* its groups are judged all the same: none is written */
	ck_assert_int_eq(
		json_util_num(json_object_get(report, "choices"), "switches"),
		1);
	page_fits(report);
	json_decref(report);
	audit_free(r.audit);
	r.audit = NULL;
	rig_free(&r);
	r = make_ring(NULL);
	sim_hand_adaptive(r.w->sim, ring_node(&r, "sw", 2), MAD_AR_ON_GROUPS,
		SIM_AR_SECRET);
	report = run_audit(&r, &verdict);
	ck_assert_int_eq(verdict, AUDIT_VERDICT_UNKNOWN);
	expect_finding(report, "adaptive", "unknown",
		"sw2' does not say whether it uses adaptive routing");
	page_fits(report);
	json_decref(report);
	rig_free(&r);
}
/* ---- adaptive groups ---- */

/* A tree whose switches choose, brought up by a daemon that has them do so. */
static struct rig
make_choosing(void)
{
	const struct sim_options o = sim_defaults();
	struct rig r = {.f = adaptive_give(shape_of("two:2:4:2"))};

	r.w = world_new(r.f, &o, "routing: {adaptive: {enabled: true}}\n");
	world_start(r.w);
	ck_assert(world_settle(r.w, mono_ms(60000)));
	r.looker = fabric_find(r.f, "h8");
	return r;
}

/* Groups that are right are judged, and said to be. */
TEST(groups_of_our_own)
{
	AUTO(rig) struct rig r = make_choosing();
	enum audit_verdict verdict;
	const json_t *c;
	AUTO(json) json_t *report = run_audit(&r, &verdict);

	ck_assert_int_eq(verdict, AUDIT_VERDICT_SAFE);
	expect_finding(report, "choice", "note", "4 switches choose");
	ck_assert_ptr_null(find_finding(report, "adaptive"));
	c = json_object_get(report, "choices");
	/* spines have one link to each leaf */
	ck_assert_int_eq(json_util_num(c, "switches"), 4);
	/* from each leaf to the others by both spines */
	ck_assert_int_eq(json_util_num(c, "pairs"), 4 * 3);
	ck_assert_int_eq(json_util_num(c, "ports"), 4 * 3 * 2);
	ck_assert_int_eq(json_util_num(c, "no_group"), 0);
	page_fits(report);
}

static uint16_t
lid_of(const struct rig *r, const char *host)
{
	const struct topo *t = sm_view(r->w->sm)->topo;
	uint64_t guid = r->f->node[fabric_find(r->f, host)].guid;

	return t->port[topo_port_of(t, topo_by_node_guid(t, guid), 1)].lid;
}

/* What a stranger wrote over them. */
struct stroke {
	const char *where; /* switch */
	const char *to;	   /* host */
	uint8_t ports[2];  /* of a group of its own; 0: none */
	uint16_t group;	   /* that the entry names */
	bool other;	   /* another default than the table's */
	const char *kind, *severity, *words;
};

static const struct stroke strokes[] = {
	/* down to another leaf, which sends it up again; the circle is closed
	 * by what spines send themselves */
	{"spine", "h8", {1, 4}, 60, false, "deadlock", "risk",
		"'spine1' port "},
	{"leaf1", "h8", {3, 0}, 50, false, "choice", "note", "4 switches"},
	{"leaf1", "h8", {0, 0}, 60, false, "choice", "risk",
		"'leaf1': LID % names the empty group 60"},
	{"leaf1", "h8", {0, 0}, 63, false, "choice", "risk",
		"'leaf1': LID % names the empty group 63"},
	{"leaf1", "h8", {3, 1}, 60, false, "choice", "risk",
		"'leaf1': LID % may leave by port 1 of group 60"},
	{"leaf4", "h8", {2, 3}, 60, false, "choice", "risk",
		"'leaf4': LID % may leave by port 3 of group 60"},
	{"leaf1", "h8", {0, 0}, 0, true, "choice", "risk",
		"'leaf1': LID % has port"},
};

enum { STROKES = sizeof(strokes) / sizeof(strokes[0]) };

/* One of the findings of a kind says this. */
static void
expect_among(const json_t *report, const char *kind, const char *severity,
	const char *words)
{
	const json_t *list = json_object_get(report, "findings"), *e;
	unsigned found = 0;
	size_t i;

	json_array_foreach(list, i, e)
	{
		AUTO(mem) char *said = json_dumps(e, 0);

		found += strcmp(json_util_text(e, "kind"), kind) == 0 &&
			 strcmp(json_util_text(e, "severity"), severity) == 0 &&
			 strstr(said, words) != NULL;
	}
	ck_assert_msg(found > 0, "%s %s: no '%s'", severity, kind, words);
}

/* "spine": the one by which leaf1 sends to that host; it chooses from now on.
 */
static uint32_t
find_struck(const struct rig *r, const struct stroke *k)
{
	uint32_t leaf1 = fabric_find(r->f, "leaf1");
	bool first = sim_lft(r->w->sim, leaf1, lid_of(r, k->to)) == 3;
	uint32_t spine = fabric_find(r->f, first ? "spine1" : "spine2");

	if (strcmp(k->where, "spine") != 0)
		return fabric_find(r->f, k->where);
	sim_hand_adaptive(r->w->sim, spine, MAD_AR_ON_GROUPS, SIM_AR_OBEYS);
	return spine;
}

LOOP_TEST(groups_of_others, 0, STROKES)
{
	const struct stroke *k = &strokes[_i];
	AUTO(rig) struct rig r = make_choosing();
	uint32_t at = find_struck(&r, k);
	uint16_t lid = lid_of(&r, k->to);
	struct mad_ar_entry e = {.state = MAD_AR_FREE,
		.group = k->group,
		.port = sim_lft(r.w->sim, at, lid)};
	struct mad_ar_group g = {{{0}}};
	enum audit_verdict verdict;
	char words[80], text[20];
	const char *gap = strchr(k->words, '%');
	AUTO(json) json_t *report = NULL;

	for (unsigned p = 0; p < 2; p++)
		g.port[p][0] |=
			k->ports[p] != 0 ? UINT64_C(1) << k->ports[p] : 0;
	sim_hand_ar_group(r.w->sim, at, 61, &g); /* the highest in use */
	if (k->group != 0 && k->group < 61)
		sim_hand_ar_group(r.w->sim, at, k->group, &g);
	if (k->other)
		e.state = MAD_AR_STATIC;
	e.port = k->other ? (uint8_t)(7 - e.port) : e.port;
	sim_hand_ar_entry(r.w->sim, at, lid, &e);
	report = run_audit(&r, &verdict);
	(void)snprintf(text, sizeof(text), "%u", lid);
	(void)snprintf(words, sizeof(words), "%.*s%s%s",
		gap != NULL ? (int)(gap - k->words) : (int)strlen(k->words),
		k->words, gap != NULL ? text : "", gap != NULL ? gap + 1 : "");
	expect_among(report, k->kind, k->severity, words);
	ck_assert_int_eq(verdict, strcmp(k->severity, "note") == 0
					  ? AUDIT_VERDICT_SAFE
					  : AUDIT_VERDICT_AT_RISK);
	page_fits(report);
}

TEST(tables_that_lose_packets)
{
	AUTO(rig) struct rig r = make_ring(NULL);
	uint32_t s = ring_node(&r, "sw", 1), h = ring_node(&r, "h", 4);
	uint16_t lid = sim_port_info(r.w->sim, h, 1)->lid;
	enum audit_verdict verdict;
	AUTO(json) json_t *report = NULL;

	sim_set_lft(r.w->sim, s, lid, 255);
	report = run_audit(&r, &verdict);
	ck_assert_int_eq(verdict, AUDIT_VERDICT_AT_RISK);
	expect_finding(report, "unreachable", "fault", "sw1");
	expect_finding(report, "unreachable", "fault", "affected: 1 host port");
}

TEST(tables_that_lose_what_no_host_sends)
{
	AUTO(rig) struct rig r = make_ring(NULL);
	uint32_t s = ring_node(&r, "sw", 1), o = ring_node(&r, "sw", 3);
	enum audit_verdict verdict;
	AUTO(json) json_t *report = NULL;

	sim_set_lft(r.w->sim, s, sim_port_info(r.w->sim, o, 0)->lid, 255);
	report = run_audit(&r, &verdict);
	ck_assert_int_eq(verdict, AUDIT_VERDICT_AT_RISK);
	expect_finding(report, "unreachable", "risk",
		"no packets between hosts are lost");
	page_fits(report);
}

TEST(tables_that_deadlock)
{
	AUTO(rig) struct rig r = make_ring(NULL);
	enum audit_verdict verdict;
	AUTO(json) json_t *report = NULL;

	/* all packets take one direction round the ring */
	for (unsigned i = 0; i < RING; i++) {
		uint32_t s = ring_node(&r, "sw", i);
		unsigned on =
			port_to(&r, s, ring_node(&r, "sw", (i + 1) % RING));

		for (unsigned k = 0; k < RING; k++)
			if (k != i)
				sim_set_lft(r.w->sim, s,
					sim_port_info(r.w->sim,
						ring_node(&r, "h", k + 1), 1)
						->lid,
					(uint8_t)on);
	}
	report = run_audit(&r, &verdict);
	ck_assert_int_eq(verdict, AUDIT_VERDICT_AT_RISK);
	expect_finding(report, "deadlock", "fault", "Credit loop of 5 links");
	expect_finding(report, "deadlock", "fault", "'sw0' port");
	expect_finding(report, "deadlock", "fault",
		"packets to 5 of 5 host ports cross links of such loops");
}

TEST(groups_that_deadlock)
{
	AUTO(rig) struct rig r = make_ring(NULL);
	enum audit_verdict verdict;
	AUTO(json) json_t *report = NULL;

	/* each tree is free of cycles; together they depend on each other at
	 * every switch */
	set_group_chain(&r, FIRST_MLID, 0, RING - 1);
	set_group_chain(&r, FIRST_MLID + 1, 2, RING - 1);
	report = run_audit(&r, &verdict);
	ck_assert_int_eq(verdict, AUDIT_VERDICT_AT_RISK);
	expect_finding(report, "deadlock", "fault", "multicast group's tree");
	expect_finding(report, "deadlock", "fault", "group 0xc00");
	ck_assert_int_eq(
		json_util_num(json_object_get(report, "groups"), "trees"), 2);
	expect_finding(report, "group", "note", "belongs to no group");
	page_fits(report);
}

TEST(a_group_in_a_ring)
{
	AUTO(rig) struct rig r = make_ring(NULL);
	enum audit_verdict verdict;
	AUTO(json) json_t *report = NULL;

	set_group_chain(&r, FIRST_MLID, 0, RING);
	report = run_audit(&r, &verdict);
	ck_assert_int_eq(verdict, AUDIT_VERDICT_AT_RISK);
	expect_finding(report, "group", "fault", "never stops");
	expect_finding(report, "group", "fault", "0xc000: 'sw");
}

TEST(a_disconnected_group)
{
	AUTO(rig) struct rig r = make_ring(NULL);
	enum audit_verdict verdict;
	AUTO(json) json_t *report = NULL;

	/* no manager is responsible for it any more */
	world_kill(r.w);
	set_group_chain(&r, FIRST_MLID, 0, 1);
	set_group_chain(&r, FIRST_MLID, 3, 0);
	sim_hand_mft(r.w->sim, ring_node(&r, "sw", 2), FIRST_MLID, 1 << 15);
	report = run_audit(&r, &verdict);
	ck_assert_int_eq(verdict, AUDIT_VERDICT_AT_RISK);
	expect_finding(report, "group", "fault", "do not reach 'sw3'");
	ck_assert_int_eq(json_util_num(json_object_get(report, "groups"),
				 "dead_entries"),
		1);
	expect_finding(report, "sa", "unknown", "did not answer");
}

TEST(an_sl_that_is_discarded)
{
	const uint8_t nothing[8] = {
		0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
	AUTO(rig) struct rig r = make_ring(NULL);
	uint32_t s = ring_node(&r, "sw", 0);
	enum audit_verdict verdict;
	AUTO(json) json_t *report = NULL;

	for (unsigned in = 1; in <= r.f->node[s].nports; in++)
		sim_hand_sl2vl(r.w->sim, s, in,
			port_to(&r, s, ring_node(&r, "sw", 1)), nothing);
	report = run_audit(&r, &verdict);
	ck_assert_int_eq(verdict, AUDIT_VERDICT_AT_RISK);
	expect_finding(report, "discarded", "fault", "sw0");
}

/* The tree of a group that reaches one switch by both directions of the
 * ring. */
TEST(a_group_that_comes_twice)
{
	AUTO(rig) struct rig r = make_ring(NULL);
	enum audit_verdict verdict;
	AUTO(json) json_t *report = NULL;

	/* from switch 0 on over 1 and over 4 and 3, each to switch 2, which
	 * sends it no further */
	set_group_chain(&r, FIRST_MLID, 0, RING);
	for (unsigned i = 0; i < RING; i++) {
		uint32_t s = ring_node(&r, "sw", i);
		unsigned ports = 1U
				 << port_to(&r, s, ring_node(&r, "h", i + 1));

		for (unsigned by = 1; by < RING && i != 2; by += RING - 2) {
			uint32_t o = ring_node(&r, "sw", (i + by) % RING);

			/* away from switch 0, which sends in both directions */
			if (i == 0 || (i == 1) == (by == 1))
				ports |= 1U << port_to(&r, s, o);
		}
		sim_hand_mft(r.w->sim, s, FIRST_MLID, (uint16_t)ports);
	}
	report = run_audit(&r, &verdict);
	ck_assert_int_eq(verdict, AUDIT_VERDICT_AT_RISK);
	expect_finding(report, "group", "fault", "do not reach");
	ck_assert_int_eq(
		json_util_num(json_object_get(report, "groups"), "copies"), 1);
	ck_assert_int_eq(
		json_util_num(json_object_get(report, "groups"), "loops"), 0);
}

/*
 * All packets go clockwise for up to right[] links, else counter-clockwise;
 * right[] is indexed by the LID's offset at its host. Packets of hosts start on
 * VL 0, those of a switch itself on VL `own`, and all continue on VL 1.
 */
static void
set_two_vls(struct rig *r, const unsigned right[2], uint8_t own)
{
	for (unsigned i = 0; i < RING; i++) {
		uint32_t s = ring_node(r, "sw", i);
		uint8_t cable[2] = {(uint8_t)port_to(r, s,
					    ring_node(r, "sw", (i + 1) % RING)),
			(uint8_t)port_to(r, s,
				ring_node(r, "sw", (i + RING - 1) % RING))};
		uint8_t row[8];

		for (unsigned d = 1; d < RING; d++) {
			unsigned k = (i + d) % RING;
			const struct mad_port_info *h = sim_port_info(
				r->w->sim, ring_node(r, "h", k + 1), 1);

			sim_set_lft(r->w->sim, s,
				sim_port_info(
					r->w->sim, ring_node(r, "sw", k), 0)
					->lid,
				cable[d > right[0]]);
			for (unsigned o = 0; o < 1U << h->lmc; o++)
				sim_set_lft(r->w->sim, s,
					(uint16_t)(h->lid + o),
					cable[d > right[o]]);
		}
		for (unsigned in = 0; in <= r->f->node[s].nports; in++) {
			bool on = in == cable[0] || in == cable[1];

			memset(row,
				on	  ? 0x11
				: in == 0 ? own * 0x11
					  : 0,
				sizeof(row));
			for (unsigned c = 0; c < 2; c++)
				sim_hand_sl2vl(r->w->sim, s, in, cable[c], row);
		}
	}
}

/*
 * No packet passes more than one switch besides its first: those of hosts
 * change the VL there, and wait for no other. Packets of a switch itself may be
 * on the second VL from the start.
 */
TEST(vls_of_packets_from_switches)
{
	static const struct {
		const char *yaml;
		unsigned right[2];
		uint8_t own;
		unsigned cyclic;
		const char *severity;
	} cases[] = {
		{NULL, {2, 0}, 0, 0, NULL},
		{NULL, {2, 0}, 1, 2 * RING, "risk"},
		/* nor do packets to a host's second LID, or, in the last case,
		 * they do */
		{"fabric: {lmc: {hosts: 1}}", {2, 2}, 0, 0, NULL},
		{"fabric: {lmc: {hosts: 1}}", {2, 3}, 0, RING, "fault"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		AUTO(rig) struct rig r = make_ring(cases[i].yaml);
		const json_t *d, *sa;
		AUTO(json) json_t *report = NULL;
		enum audit_verdict verdict;

		set_two_vls(&r, cases[i].right, cases[i].own);
		report = run_audit(&r, &verdict);
		d = json_object_get(report, "dependencies");
		sa = json_object_get(report, "sa");
		ck_assert_int_gt(json_util_num(d, "cyclic_on_one_vl"), 0);
		ck_assert_int_gt(json_util_num(sa, "paths"), 0);
		ck_assert_int_eq(json_util_num(sa, "pairs_assumed"), 0);
		ck_assert_int_eq(json_util_num(d, "cyclic"), cases[i].cyclic);
		ck_assert_int_eq(
			verdict == AUDIT_VERDICT_SAFE, cases[i].cyclic == 0);
		if (cases[i].severity != NULL)
			expect_finding(report, "deadlock", cases[i].severity,
				cases[i].own > 0 ? "from switches alone"
						 : "VL 1: LID ");
	}
}

/* A switch of the ring may send packets to the host two links to the right to
 * the left too, and all others by its table. */
static void
choose_sides(struct rig *r, unsigned i)
{
	struct sim *sim = r->w->sim;
	uint32_t s = ring_node(r, "sw", i);
	unsigned right = port_to(r, s, ring_node(r, "sw", (i + 1) % RING)),
		 left = port_to(
			 r, s, ring_node(r, "sw", (i + RING - 1) % RING));
	struct mad_ar_entry e = {.state = MAD_AR_FREE, .group = 1};
	struct mad_ar_group g = {
		{{UINT64_C(1) << right | UINT64_C(1) << left}}};

	sim_hand_adaptive(sim, s, MAD_AR_ON_GROUPS, SIM_AR_OBEYS);
	sim_hand_ar_group(sim, s, 1, &g);
	for (uint16_t lid = 1; lid < 64; lid++)
		sim_hand_ar_entry(sim, s, lid,
			&(struct mad_ar_entry){.state = MAD_AR_STATIC,
				.port = sim_lft(sim, s, lid)});
	e.port = (uint8_t)right;
	sim_hand_ar_entry(sim, s,
		sim_port_info(sim, ring_node(r, "h", (i + 2) % RING + 1), 1)
			->lid,
		&e);
}

/*
 * Packets change to the second VL after their first link, and wait there for
 * another link only if they chose the longer way, to the left. One switch that
 * chooses closes no cycle then, if all do they do; on one VL the tables alone
 * have one.
 */
TEST(vls_of_choices)
{
	static const unsigned right[2] = {2, 2};

	for (unsigned n = 1; n <= RING; n += RING - 1) {
		struct rig r = make_ring(NULL);
		enum audit_verdict verdict;
		json_t *report;

		set_two_vls(&r, right, 0);
		for (unsigned i = 0; i < n; i++)
			choose_sides(&r, i);
		report = run_audit(&r, &verdict);
		ck_assert_int_gt(
			json_util_num(json_object_get(report, "dependencies"),
				"cyclic_on_one_vl"),
			0);
		ck_assert_int_eq(
			json_util_num(
				json_object_get(report, "choices"), "switches"),
			n);
		if (n == 1)
			expect_finding(report, "choice", "note", "1 switch");
		else
			expect_finding(report, "deadlock", "fault", " port ");
		ck_assert_int_eq(verdict == AUDIT_VERDICT_SAFE, n == 1);
		page_fits(report);
		json_decref(report);
		rig_free(&r);
	}
}

/* Dependencies round a ring from switch 0 on; the last one may change the
 * VL. */
static void
add_ring_dependencies(struct audit_deps *d, const struct topo *t, uint8_t vl,
	bool dateline, bool sure)
{
	const struct topo_adj *on = &t->adj[t->sw[0].adj];

	for (unsigned i = 0; i < RING; i++) {
		const struct topo_adj *a = &t->adj[t->sw[on->peer].adj];
		const struct topo_adj *next =
			a[0].out == on->peer_port ? &a[1] : &a[0];

		audit_dependencies_add(d,
			&(struct audit_dependency){.sw = on->peer,
				.in = on->peer_port,
				.in_vl = vl,
				.out = next->out,
				.out_vl =
					(uint8_t)(vl +
						  (dateline && i == RING - 1))},
			&(struct audit_dependencies_cause){
				.sure = sure || i > 0});
		on = next;
	}
}

TEST(dependencies_in_a_graph)
{
	static const struct {
		bool dateline, sure;
		uint32_t cyclic, cyclic_sure;
	} cases[] = {
		{false, true, RING, RING},
		{false, false, RING, 0},
		{true, true, 0, 0},
	};
	AUTO(fabric) struct fabric *f = shape_of("torus:%u", RING);
	AUTO(topo) struct topo *t = frozen_topo(f, &(struct frozen_lids){0});
	struct audit_dependencies_verdict v;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct audit_deps *d = audit_dependencies_new(t);

		add_ring_dependencies(
			d, t, 0, cases[i].dateline, cases[i].sure);
		audit_dependencies_judge(d, false, &v);
		ck_assert_uint_eq(v.deps, RING);
		ck_assert_uint_eq(v.cyclic, cases[i].cyclic);
		ck_assert_uint_eq(v.len, cases[i].cyclic);
		for (uint32_t k = 0; k < v.len; k++)
			ck_assert_uint_eq(
				v.cycle[k].to, v.cycle[(k + 1) % v.len].from);
		audit_dependencies_verdict_free(&v);
		audit_dependencies_judge(d, true, &v);
		ck_assert_uint_eq(v.cyclic, cases[i].cyclic_sure);
		ck_assert_uint_eq(v.links, cases[i].cyclic_sure);
		audit_dependencies_verdict_free(&v);
		/* another VL adds dependencies, but no link */
		add_ring_dependencies(d, t, 1, false, cases[i].sure);
		audit_dependencies_judge(d, false, &v);
		ck_assert_uint_eq(v.cyclic, cases[i].cyclic + RING);
		ck_assert_uint_eq(v.links, RING);
		audit_dependencies_verdict_free(&v);
		audit_dependencies_free(d);
	}
}

/* All shortest paths to the LIDs of switches, as a vendor's manager has them,
 * lead down and up again at any leaf: that is a credit loop, of which the LIDs
 * of hosts show nothing. */
TEST(groups_to_switches)
{
	AUTO(rig) struct rig r = make_choosing();
	const struct mad_ar_group all = {{{0x1e}}};
	uint32_t spine[2] = {
		fabric_find(r.f, "spine1"), fabric_find(r.f, "spine2")};
	enum audit_verdict verdict;
	AUTO(json) json_t *report = NULL;

	for (unsigned k = 0; k < 2; k++) {
		const struct topo *t = sm_view(r.w->sm)->topo;
		node_ix other =
			topo_by_node_guid(t, r.f->node[spine[1 - k]].guid);
		struct mad_ar_entry e = {.state = MAD_AR_FREE, .group = 5};
		uint16_t to = t->port[topo_port_of(t, other, 0)].lid;

		sim_hand_adaptive(
			r.w->sim, spine[k], MAD_AR_ON_GROUPS, SIM_AR_OBEYS);
		sim_hand_ar_group(r.w->sim, spine[k], 5, &all);
		for (uint16_t lid = 1; lid <= t->max_lid; lid++) {
			const struct mad_ar_entry fixed = {
				.state = MAD_AR_STATIC,
				.port = sim_lft(r.w->sim, spine[k], lid)};

			e.port = fixed.port;
			sim_hand_ar_entry(r.w->sim, spine[k], lid,
				lid == to ? &e : &fixed);
		}
	}
	report = run_audit(&r, &verdict);
	ck_assert_int_eq(verdict, AUDIT_VERDICT_AT_RISK);
	expect_finding(report, "deadlock", "risk", " port ");
	ck_assert_ptr_null(find_finding(report, "adaptive"));
	ck_assert_int_gt(
		json_util_num(json_object_get(report, "choices"), "cyclic"), 0);
}
