/* What the device store makes of Sets and of their answers. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "discovery/builder/builder.h"
#include "distribution/device/device_write.h"
#include "distribution/tables/port_settings.h"
#include "distribution/tables/switch_settings.h"
#include "sm/mad/mad.h"
#include "tests/topo/frozen.h"
#include "tests/topo/shape.h"
#include "tests/unit/suite.h"

static struct fabric *f;
static struct topo *t;
static struct device_store *h;
static uint8_t keys[MAD_DATA] = {0x80, 1, 0xff, 0xff};

static void
make_fabric(void)
{
	f = shape_of("two:2:2:3");
	t = frozen_topo(f, NULL);
	t->node[t->sw[0].node].partition_cap = 64;
	h = device_new(NULL);
}

static void
free_fabric(void)
{
	device_free(h);
	topo_unref(t);
	fabric_free(f);
}

static struct device_set
keys_of_port0(uint8_t *data)
{
	return (struct device_set){.topo = t,
		.port = t->node[t->sw[0].node].first_port,
		.attr = DEVICE_PKEY,
		.block = 0,
		.data = data};
}

/* The answer to a Set that left just now. */
static enum device_taken
answered_with(const struct device_set *set, enum xact_outcome outcome,
	unsigned tries, const uint8_t *data)
{
	const struct xact_result res = {.outcome = outcome,
		.tries = tries,
		.data = data,
		.now = mono_ms(5)};

	device_set_leaves(h, set);
	ck_assert(!device_has_taken(h, set));
	return device_set_answered(h, set, &res, mono_ms(100));
}

TEST(an_answer_is_recorded)
{
	struct device_set set = keys_of_port0(keys);
	uint64_t guid = t->node[t->sw[0].node].guid;
	uint8_t other[MAD_DATA] = {0x80, 2};
	size_t n;

	ck_assert_int_eq(answered_with(&set, XACT_OK, 1, keys), DEVICE_TOOK);
	ck_assert(device_has_taken(h, &set));
	/* what it acknowledged is what it holds */
	ck_assert_int_eq(
		answered_with(&set, XACT_OK, 1, other), DEVICE_TOOK_OTHER);
	ck_assert_uint_eq(device_bytes(h, device_at_keys(guid, 0, 0))[1], 2);
	ck_assert_int_eq(
		answered_with(&set, XACT_STATUS, 1, NULL), DEVICE_REFUSED);
	ck_assert_ptr_null(device_bytes(h, device_at_keys(guid, 0, 0)));
	(void)device_doubts(h, &n);
	ck_assert_uint_eq(n, 0);
}

TEST(copies_leave_doubts)
{
	struct device_set set = keys_of_port0(keys);
	const struct device_doubt *d;
	size_t n;

	set.block = 1;
	ck_assert_int_eq(
		answered_with(&set, XACT_TIMEOUT, 4, NULL), DEVICE_LOST);
	d = device_doubts(h, &n);
	ck_assert_uint_eq(n, 1);
	ck_assert_int_eq(d->at.attr, DEVICE_PKEY);
	ck_assert_uint_eq(d->at.block, 0); /* the table as a whole */
	ck_assert_int_eq(d->until.ns, mono_ms(105).ns);
}

TEST(what_a_port_does_not_have_is_not_compared)
{
	struct device_set set = keys_of_port0(keys);
	uint8_t more[MAD_DATA];
	unsigned has;

	t->node[t->sw[0].node].partition_cap = 5;
	has = device_attribute_size(DEVICE_PKEY, t, set.port, 0);
	ck_assert_uint_eq(has, 10);
	ck_assert_uint_eq(
		device_attribute_size(DEVICE_PKEY, t, set.port, 1), 0);
	memcpy(more, keys, sizeof(more));
	more[10] = 7;
	ck_assert_int_eq(answered_with(&set, XACT_OK, 1, more), DEVICE_TOOK);
	more[9] = 7;
	ck_assert_int_eq(
		answered_with(&set, XACT_OK, 1, more), DEVICE_TOOK_OTHER);
}

/* What an answer to SwitchInfo or PortInfo lacks of what was sent. */
TEST(settings_are_compared)
{
	port_ix port0 = t->node[t->sw[0].node].first_port;
	struct mad_switch_info s = {.lft_top = 100, .mft_top = 0xc03f};
	struct mad_port_info i = {.lid = 4, .mkey = 9, .state = 4};
	uint8_t want[MAD_DATA], is[MAD_DATA];

	mad_switch_info_encode(&s, want);
	ck_assert_uint_eq(device_attribute_lacks(
				  DEVICE_SWITCH_INFO, t, port0, 0, want, want),
		0);
	s.lft_top = 200; /* more than was asked for */
	s.mft_top = 0xbfff;
	s.life = 3;
	mad_switch_info_encode(&s, is);
	ck_assert_uint_eq(device_attribute_lacks(
				  DEVICE_SWITCH_INFO, t, port0, 0, is, want),
		SWITCH_LACKS_LIFE | SWITCH_LACKS_MCAST_TOP);
	mad_port_info_encode(&i, want);
	i.mkey = 0; /* it is not shown */
	mad_port_info_encode(&i, is);
	ck_assert_uint_eq(
		device_attribute_lacks(DEVICE_PORT_INFO, t, port0, 0, is, want),
		0);
	i.lid = 5;
	mad_port_info_encode(&i, is);
	ck_assert_uint_ne(port_settings_addresses(device_attribute_lacks(
				  DEVICE_PORT_INFO, t, port0, 0, is, want)),
		0);
}

const struct suite_around suite_around = {
	.before = make_fabric, .after = free_fabric};
