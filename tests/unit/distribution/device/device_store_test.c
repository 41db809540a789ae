/* What switches acknowledged: two-valued blocks, lost memory, shared blocks. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "discovery/builder/builder.h"
#include "distribution/device/device_store.h"
#include "tests/unit/suite.h"

static lft_ref
add_block(struct lft_pool *p, uint8_t port)
{
	uint8_t b[LFT_BLOCK];

	memset(b, port, sizeof(b));
	return lft_add(p, b);
}

TEST(values_until_drained)
{
	AUTO(lft_pool) struct lft_pool *p = lft_pool_new();
	lft_ref a = add_block(p, 1), b = add_block(p, 2), c = add_block(p, 3);
	struct device_store *h = device_new(p);
	lft_ref v[4];

	ck_assert_uint_eq(device_values(h, 1, 0, v, 4), 0);
	device_set_block(h, 1, 0, a);
	device_sending(h, 1, 0, a); /* nothing new */
	ck_assert_uint_eq(device_values(h, 1, 0, v, 4), 1);
	device_sending(h, 1, 0, b);
	device_sending(h, 1, 0, b);
	ck_assert_uint_eq(device_values(h, 1, 0, v, 4), 2);
	ck_assert_uint_eq(v[0], a);
	ck_assert_uint_eq(v[1], b);
	device_unknown_block(h, 1, 0); /* no answer: a or b */
	device_drained(h);
	ck_assert_uint_eq(device_values(h, 1, 0, v, 4), 2);
	device_set_block(h, 1, 0, c);
	ck_assert_uint_eq(device_values(h, 1, 0, v, 4), 3);
	ck_assert_uint_eq(v[0], c);
	device_set_block(h, 1, 70, b); /* a higher block still has one value */
	ck_assert_uint_eq(device_values(h, 1, 70, v, 4), 1);
	device_drained(h);
	ck_assert_uint_eq(device_values(h, 1, 0, v, 4), 1);
	device_free(h);
	lft_drop(p, a);
	lft_drop(p, b);
	lft_drop(p, c);
	ck_assert_uint_eq(p->live, 0);
}

/* A block that was unknown when it was written may hold anything until the Set
 * is acknowledged and packets under way have drained; if no packet has used it,
 * only until the Set is acknowledged. */
TEST(anything_until_drained)
{
	AUTO(lft_pool) struct lft_pool *p = lft_pool_new();
	lft_ref a = add_block(p, 1), b = add_block(p, 2);
	struct device_store *h = device_new(p);
	lft_ref v[4];

	for (uint64_t guid = 1; guid <= 2; guid++) {
		device_sending(h, guid, 0, a);
		ck_assert_uint_eq(device_values(h, guid, 0, v, 4), 0);
		device_unknown_block(h, guid, 0);
	}
	device_drained(h);
	for (uint64_t guid = 1; guid <= 2; guid++) {
		ck_assert_uint_eq(device_values(h, guid, 0, v, 4), 0);
		device_sending(h, guid, 0, b);
		device_set_block(h, guid, 70, a); /* another block */
		ck_assert_uint_eq(device_values(h, guid, 70, v, 4), 1);
		device_set_block(h, guid, 0, b);
		ck_assert_uint_eq(device_values(h, guid, 0, v, 4), 0);
	}
	device_set_never_used(h, 1, 0);
	device_set_never_used(h, 3, 0); /* not in the store */
	ck_assert_uint_eq(device_values(h, 1, 0, v, 4), 2);
	device_doubt(h, device_at_lft(2, 0), lft_bytes(p, a), (struct mono){1});
	device_drained(h);
	ck_assert_uint_eq(device_values(h, 1, 0, v, 4), 1);
	ck_assert_uint_eq(device_values(h, 2, 0, v, 4), 2);
	ck_assert_uint_eq(v[0], b);
	ck_assert_uint_eq(v[1], a);
	device_sending(h, 2, 0, a); /* b, or the acknowledged a */
	ck_assert_uint_eq(device_values(h, 2, 0, v, 4), 2);
	device_free(h);
	lft_drop(p, a);
	lft_drop(p, b);
	ck_assert_uint_eq(p->live, 0);
}

/* A drain ends what a block held before, copies of another Set or not. */
TEST(a_copy_brings_no_older_value)
{
	AUTO(lft_pool) struct lft_pool *p = lft_pool_new();
	struct device_store *h = device_new(p);
	lft_ref a = add_block(p, 1), b = add_block(p, 2), v[4];

	for (unsigned block = 0; block < 2; block++) {
		device_set_block(h, 1, block, a);
		device_set_block(h, 1, block, b);
		device_doubt(h, device_at_lft(1, block),
			lft_bytes(p, block == 0 ? a : b), (struct mono){1});
	}
	device_drained(h);
	ck_assert_uint_eq(device_values(h, 1, 0, v, 4), 2);
	ck_assert_uint_eq(device_values(h, 1, 1, v, 4), 1);
	device_free(h);
	lft_drop(p, a);
	lft_drop(p, b);
	ck_assert_uint_eq(p->live, 0);
}

TEST(unknown_until_acknowledged)
{
	AUTO(lft_pool) struct lft_pool *p = lft_pool_new();
	struct device_store *h = device_new(p);
	lft_ref r = add_block(p, 3);

	ck_assert(!device_knows(h, 7));
	ck_assert_uint_eq(device_block(h, 7, 0), DEVICE_UNKNOWN);
	device_set_block(h, 7, 2, r);
	ck_assert(device_knows(h, 7));
	ck_assert_uint_eq(device_block(h, 7, 2), r);
	ck_assert_uint_eq(device_block(h, 7, 1), DEVICE_UNKNOWN);
	ck_assert_uint_eq(device_block(h, 7, 3), DEVICE_UNKNOWN);
	device_unknown_block(h, 7, 2);
	ck_assert_uint_eq(device_block(h, 7, 2), DEVICE_UNKNOWN);
	lft_drop(p, r);
	ck_assert_uint_eq(p->live, 1); /* the device may still hold r */
	device_free(h);
	ck_assert_uint_eq(p->live, 0);
}

TEST(blocks_are_given_back)
{
	AUTO(lft_pool) struct lft_pool *p = lft_pool_new();
	struct device_store *h = device_new(p);
	lft_ref a = add_block(p, 1), b = add_block(p, 2);

	device_set_block(h, 1, 0, a);
	device_set_block(h, 1, 0, b);
	device_drained(h); /* drops a */
	device_set_block(h, 2, 0, b);
	lft_drop(p, a);
	lft_drop(p, b);
	ck_assert_uint_eq(p->live, 1);
	device_forget_node(h, 1);
	ck_assert_uint_eq(p->live, 1);
	device_free(h);
	ck_assert_uint_eq(p->live, 0);
}

static struct topo *
one_switch(uint16_t lid, uint16_t top)
{
	AUTO(builder) struct builder *d = builder_new();
	builder_id sw = builder_add_node(d, TOPO_SWITCH, 0x100, 4, "sw");
	builder_id ca = builder_add_node(d, TOPO_CA, 0x200, 1, "ca");
	struct topo *t;

	builder_add_link(d, sw, 1, ca, 1);
	builder_set_self(d, ca, 1);
	builder_set_found_lid(d, sw, 0, lid);
	builder_set_lft(d, sw, 1024, top);
	t = builder_freeze(d, 1, NULL);
	return t;
}

TEST(lost_memory_is_noticed)
{
	static const struct {
		uint16_t lid, top;
		bool kept;
	} cases[] = {
		{5, 63, true}, {5, 0, false}, /* rebooted: the top is gone */
		{0, 63, false},		      /* rebooted: the LID is gone */
		{5, 127, false},	      /* another manager wrote to it */
	};
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		AUTO(lft_pool) struct lft_pool *p = lft_pool_new();
		struct device_store *h = device_new(p);
		struct topo *t = one_switch(cases[i].lid, cases[i].top);
		lft_ref r = add_block(p, 1);

		device_set_block(h, 0x100, 0, r);
		device_set_top(h, 0x100, 63);
		device_reconcile(h, t);
		ck_assert_msg(
			device_knows(h, 0x100) == cases[i].kept, "case %zu", i);
		lft_drop(p, r);
		topo_unref(t);
		device_free(h);
	}
}
