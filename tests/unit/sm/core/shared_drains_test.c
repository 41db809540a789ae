/*
 * A standby has the drains of its master, and leads no route over what is
 * drained when it takes over; what a manager tells that is no text of ours is
 * not taken.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "sm/base/buf.h"
#include "sm/base/hash.h"
#include "sm/mad/mad_sm_page.h"
#include "sm/view/drains.h"
#include "tests/unit/core_fixture.h"
#include "tests/unit/suite.h"

enum { POLLS_MS = 3000 }; /* some polls by a standby */

struct pair {
	struct fabric *f;
	struct world *a, *b; /* the master, and its standby */
};

static uint64_t
guid_of(const struct pair *p, const char *name)
{
	return p->f->node[fabric_find(p->f, name)].guid;
}

static struct pair
pair_new(const char *a, const char *b)
{
	struct pair p = {.f = core_tree()};

	p.a = core_start(p.f, a);
	core_expect_order(p.a, "bring-up");
	p.b = world_beside(p.a, fabric_find(p.f, "h32"), b);
	world_start(p.b);
	world_run(p.a, mono_ms(POLLS_MS));
	return p;
}

static void
pair_free(struct pair *p)
{
	core_end(p->a, p->f);
}
AUTO_VALUE(pair, struct pair, pair_free)

static int
try_drain(struct pair *p, struct world *at, const char *name, int seconds,
	struct reason *why)
{
	const struct sm_drain d = {.guid = guid_of(p, name),
		.duration = seconds > 0 ? mono_ms(seconds * 1000) : MONO_NEVER,
		.by = "root (uid 0)",
		.reason = "fan"};
	uint32_t generation;

	return sm_drain(at->sm, &d, sim_now(p->a->sim), &generation, why);
}

static void
drain_now(struct pair *p, struct world *at, const char *name, int seconds)
{
	struct reason why;

	ck_assert_msg(
		try_drain(p, at, name, seconds, &why) == 0, "%s", why.text);
}

static void
take_back(struct pair *p, struct world *at, const char *name)
{
	struct reason why;
	uint32_t generation;

	ck_assert_msg(sm_undrain(at->sm,
			      &(struct sm_undrain){guid_of(p, name), 0, "root"},
			      sim_now(p->a->sim), &generation, &why) == 0,
		"%s", why.text);
}

/* Entries of switches that lead to this spine, for what is not the spine. */
static unsigned
entries_over(const struct pair *p, const char *name)
{
	uint32_t spine = fabric_find(p->f, name), peer;
	uint16_t own = sim_port_info(p->a->sim, spine, 0)->lid;
	unsigned n = 0, q;

	for (unsigned i = 1; i <= p->f->node[spine].nports; i++)
		if (fabric_peer(p->f, spine, i, &peer, &q))
			for (uint16_t lid = 1; lid < 64; lid++)
				n += lid != own &&
				     sim_lft(p->a->sim, peer, lid) == q;
	return n;
}

static bool
has_role(const struct world *w, enum sm_role role)
{
	struct sm_status s;

	sm_status(w->sm, &s);
	return s.role == role;
}

static void
become_master(struct pair *p, struct world *w)
{
	for (unsigned k = 0; k < 10000 && !has_role(w, SM_MASTER); k++)
		world_run(p->a, mono_ms(10));
	ck_assert(has_role(w, SM_MASTER));
}

/* The master dies right after a drain, and between polls. */
TEST(the_master_dies)
{
	AUTO(pair) struct pair p = pair_new("", "");
	const struct drain *d;

	ck_assert_uint_gt(entries_over(&p, "spine1"), 0);
	drain_now(&p, p.a, "spine1", 0);
	drain_now(&p, p.a, "spine3", 7200);
	core_expect_order(p.a, "drained");
	ck_assert_uint_eq(sm_drains(p.b->sm)->n, 2);
	ck_assert_ptr_nonnull(strstr(core_event(p.b, EVENT_DRAINED), "spine3"));
	world_kill(p.a);
	for (unsigned k = 0; k < 1000 && !has_role(p.b, SM_MASTER); k++) {
		world_run(p.a, mono_ms(10));
		ck_assert_uint_eq(entries_over(&p, "spine1"), 0);
	}
	core_expect_order(p.b, "taken over");
	sm_rebalance(p.b->sm, sim_now(p.a->sim), "test");
	core_expect_order(p.b, "rebalanced");
	ck_assert_uint_eq(entries_over(&p, "spine1"), 0);
	ck_assert_uint_eq(entries_over(&p, "spine3"), 0);
	d = &sm_drains(p.b->sm)->list[1];
	ck_assert_str_eq(d->by, "root (uid 0)");
	ck_assert_str_eq(d->reason, "fan");
	/* its time goes on */
	world_run(p.a, mono_ms(7100 * 1000));
	ck_assert_uint_eq(sm_drains(p.b->sm)->n, 2);
	world_run(p.a, mono_ms(100 * 1000));
	ck_assert_uint_eq(sm_drains(p.b->sm)->n, 1);
}

/* A standby forgets what its master takes back, and keeps the rest when it is
 * killed and the master dies meanwhile. */
TEST(taken_back_and_restarted)
{
	AUTO(pair) struct pair p = pair_new("", "");

	drain_now(&p, p.a, "spine1", 0);
	drain_now(&p, p.a, "spine2", 0);
	core_expect_order(p.a, "drained");
	take_back(&p, p.a, "spine1");
	world_run(p.a, mono_ms(POLLS_MS));
	ck_assert_uint_eq(sm_drains(p.b->sm)->n, 1);
	ck_assert_ptr_nonnull(
		strstr(core_event(p.b, EVENT_UNDRAINED), "spine1"));
	world_kill(p.b);
	world_kill(p.a);
	world_start(p.b);
	become_master(&p, p.b);
	core_expect_order(p.b, "taken over");
	ck_assert_uint_eq(sm_drains(p.b->sm)->n, 1);
	ck_assert_uint_eq(entries_over(&p, "spine2"), 0);
}

/* The old master comes back with what it had drained, and gets the fabric: what
 * counts is what the other one has drained meanwhile. */
TEST(there_and_back)
{
	AUTO(pair)
	struct pair p =
		pair_new("fabric: {priority: 9}\n", "fabric: {priority: 3}\n");

	drain_now(&p, p.a, "spine1", 0);
	core_expect_order(p.a, "drained");
	world_kill(p.a);
	become_master(&p, p.b);
	core_expect_order(p.b, "taken over");
	take_back(&p, p.b, "spine1");
	drain_now(&p, p.b, "spine2", 0);
	core_expect_order(p.b, "drained anew");
	world_start(p.a);
	become_master(&p, p.a);
	core_expect_order(p.a, "back");
	ck_assert_uint_eq(sm_drains(p.a->sm)->n, 1);
	ck_assert_uint_eq(
		sm_drains(p.a->sm)->list[0].guid, guid_of(&p, "spine2"));
	ck_assert_uint_eq(entries_over(&p, "spine2"), 0);
}

/* A standby that has not heard of the last drain is handed the fabric: it asks
 * before it takes it. */
TEST(handed_over_at_once)
{
	AUTO(pair) struct pair p = pair_new("", "");
	struct sm_other to;
	struct reason why;

	p.b->stopped = true;
	drain_now(&p, p.a, "spine1", 0);
	for (unsigned k = 0; k < 500 && entries_over(&p, "spine1") > 0; k++)
		world_run(p.a, mono_ms(1));
	world_run(p.a, mono_ms(1));
	p.b->stopped = false;
	ck_assert_uint_eq(sm_drains(p.b->sm)->n, 0);
	ck_assert_int_eq(
		sm_hand_over(p.a->sm, "test", sim_now(p.a->sim), &to, &why), 0);
	become_master(&p, p.b);
	ck_assert_uint_eq(sm_drains(p.b->sm)->n, 1);
	core_expect_order(p.b, "handed over");
	ck_assert_uint_eq(entries_over(&p, "spine1"), 0);
}

/* Only the master is asked to drain. */
TEST(asked_of_a_standby)
{
	AUTO(pair) struct pair p = pair_new("", "");
	struct reason why;

	ck_assert_int_eq(try_drain(&p, p.b, "spine1", 0, &why), -1);
	ck_assert_ptr_nonnull(strstr(why.text, "this is a standby"));
	ck_assert_ptr_nonnull(strstr(why.text, "\"h1\""));
}

/* ---- a master that tells what it likes ---- */

struct teller {
	struct sim_endpoint *at;
	struct mad_sm_info says;
	const char *text; /* NULL: no pages */
	uint32_t size, hash;
	unsigned asked; /* pages */
	bool changes;	/* each page is of another text */
};

static void
tell_page(void *cookie, const struct transport_msg *m, struct mono now)
{
	struct teller *t = cookie;
	struct transport_msg out = *m;
	struct mad_sm_page page = {.hash = t->hash, .size = t->size};
	size_t at;
	struct smp s;

	(void)now;
	ck_assert_int_eq(smp_decode(m->mad, m->len, &s, NULL), 0);
	if (s.attr != MAD_SM_INFO || s.method != MAD_GET)
		return;
	s.method = MAD_GET_RESP;
	s.response = true;
	memset(s.data, 0, sizeof(s.data));
	t->says.act_count++;
	mad_sm_info_encode(&t->says, s.data);
	at = (size_t)(s.mod & MAD_SM_PAGE_NUMBER) * MAD_SM_PAGE_TEXT;
	if ((s.mod & MAD_SM_PAGE) == MAD_SM_PAGE) {
		t->asked++;
		page.hash += t->changes ? t->asked : 0;
		for (size_t i = 0; t->text != NULL && i < sizeof(page.text) &&
				   at + i < strlen(t->text);
			i++)
			page.text[i] = (uint8_t)t->text[at + i];
		if (t->text != NULL)
			mad_sm_page_encode(&page, s.data);
	}
	out.len = MAD_SIZE;
	smp_encode(&s, out.mad);
	sim_send(t->at, &out);
}

static uint32_t
hash_of(const char *text)
{
	uint64_t h = fnv_more(FNV_START, text, strlen(text));

	return (uint32_t)(h ^ h >> 32);
}

/* With its checksum. */
static struct buf
state_of(const char *lines)
{
	struct buf b = {0};

	buf_printf(&b, "heddle-state 1\n%s", lines);
	buf_printf(&b, "checksum 0x%016llx\n",
		(unsigned long long)fnv_more(FNV_START, b.text, b.n));
	return b;
}

#define SPINE "spine" /* a drain of spine1 */

static const struct {
	const char *lines; /* NULL: no pages */
	int cut;	   /* bytes off the end */
	uint32_t size, hash_off;
	bool changes;
	unsigned drains, watches;
} told[] = {
	{SPINE, .drains = 1},
	{"drain 0x100 3 3600 - asked \"leaf\" \"health\" \"800 errors\"\n"
	 "watch 0x100 3 0x200 17 drained 2 7200 3600 \"800 errors\"\n",
		.drains = 1, .watches = 1},
	{"", .drains = 0},
	{NULL, .drains = 0},
	{SPINE, .cut = 1},
	{SPINE, .hash_off = 1},
	{SPINE, .size = 1U << 31},
	{SPINE, .changes = true},
	{"drain 0x0 0 3600 - asked \"spine\" \"root\" \"\"\n", .drains = 0},
	{"nonsense\n", .drains = 0},
};

LOOP_TEST(what_is_told, 0, LEN(told))
{
	struct pair p = {.f = core_tree()};
	struct sim_options o = sim_defaults();
	struct teller t = {.says = {.state = 3, .priority = 15}};
	uint32_t host = fabric_find(p.f, "h20");
	AUTO(buf) struct buf lines = {0}, text = {0};

	p.a = world_new(p.f, &o, "health: {enabled: true, action: drain}\n");
	if (told[_i].lines != NULL) {
		if (strcmp(told[_i].lines, SPINE) == 0)
			buf_printf(&lines,
				"drain 0x%016llx 0 3600 - asked \"s\" \"r\" "
				"\"\"\n",
				(unsigned long long)guid_of(&p, "spine1"));
		else
			buf_printf(&lines, "%s", told[_i].lines);
		text = state_of(lines.n > 0 ? lines.text : "");
		text.text[text.n - (size_t)told[_i].cut] = '\0';
		t.text = text.text;
		t.size = told[_i].size != 0 ? told[_i].size
					    : (uint32_t)strlen(text.text);
		t.hash = hash_of(text.text) + told[_i].hash_off;
		t.changes = told[_i].changes;
	}
	sim_fault_other_sm(p.a->sim, host, 1, &t.says);
	t.says.guid = fabric_port(p.f, host, 1)->guid;
	t.at = sim_attach(p.a->sim, host, 1, tell_page, &t);
	world_start(p.a);
	world_run(p.a, mono_ms(20 * POLLS_MS));
	ck_assert(has_role(p.a, SM_STANDING_BY));
	ck_assert_uint_gt(t.asked, 0);
	ck_assert_uint_le(t.asked, 20 * 20);
	ck_assert_uint_eq(sm_drains(p.a->sm)->n, told[_i].drains);
	ck_assert_uint_eq(sm_link_watches(p.a->sm)->n, told[_i].watches);
	if (t.text == NULL) { /* then it keeps its own */
		world_run(p.a, mono_ms(60000));
		drain_now(&p, p.a, "spine2", 0);
		world_run(p.a, mono_ms(POLLS_MS));
		ck_assert_uint_eq(sm_drains(p.a->sm)->n, 1);
	}
	core_end(p.a, p.f);
}
