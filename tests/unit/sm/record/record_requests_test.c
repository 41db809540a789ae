/*
 * An answer is recorded as what differs from its request, and read back as it
 * was; what is no answer to a request that is kept is recorded whole.
 */
#include <string.h>

#include "sm/base/be.h"
#include "sm/record/record_entry.h"
#include "tests/unit/suite.h"

enum { SERIAL = 0x1234, SMALL = 40, AT_UPPER = 8 };

static const struct record_mask no_mask;
static struct record_requests requests;
static struct buf entry;

static struct transport_msg
make_smp(uint8_t method, uint16_t attr, uint32_t serial)
{
	struct transport_msg m = {.addr.lid = 0xffff, .len = MAD_SIZE};
	struct smp s = {.mgmt_class = MAD_SUBN_DR,
		.method = method,
		.response = method == MAD_GET_RESP,
		.tid = (uint64_t)serial << TRANSPORT_TRY_BITS,
		.attr = attr,
		.mod = 7,
		.dr_slid = 0xffff,
		.dr_dlid = 0xffff,
		.hop_cnt = 2,
		.path = {0, 3, 4}};

	memset(s.data, 0x55, sizeof(s.data));
	smp_encode(&s, m.mad);
	return m;
}

static bool
send_request(const struct transport_msg *m)
{
	return record_requests_add(&requests, m, &no_mask);
}

/* Its entry is in entry; the message as it is read again. */
static struct transport_msg
read_answer(const struct transport_msg *m, bool known)
{
	struct sm_input in = {
		.kind = SM_INPUT_RECEIVE, .now = mono_ms(5), .is.message = m};
	static struct record_image written, read = {.known = true};
	struct record_entry e;
	struct reason why;

	record_put_input(&in, NULL, &no_mask, &requests, &written, &entry);
	record_image_follow(&written, (enum record_kind)entry.text[0]);
	ck_assert_int_eq(record_entry_read((uint8_t *)entry.text, entry.n,
				 &read, &e, &why),
		0);
	if (e.kind == RECORD_ANSWER && known)
		record_entry_answer(&e, &requests);
	ck_assert_int_eq(e.is.input.in.kind, SM_INPUT_RECEIVE);
	ck_assert_int_eq(e.is.input.in.now.ns, mono_ms(5).ns);
	if (e.kind == RECORD_INPUT)
		ck_assert_uint_eq(e.digest, record_requests_digest(&requests));
	else
		ck_assert_int_eq(e.kind, RECORD_ANSWER);
	return e.is.input.message;
}

LOOP_TEST(what_a_set_wrote, 0, 2)
{
	struct transport_msg q = make_smp(MAD_SET, MAD_LFT, SERIAL), a, got;
	struct smp s;

	memset(&requests, 0, sizeof(requests));
	ck_assert(send_request(&q));
	a = make_smp(MAD_GET_RESP, MAD_LFT, SERIAL);
	be_put32(a.mad + AT_UPPER, 0xabcd); /* by the kernel */
	if (_i == 1)
		a.mad[64 + 5] = 9;    /* the device took something else */
	memset(a.mad + 192, 0x77, 3); /* the return path */
	got = read_answer(&a, true);
	ck_assert_uint_lt(entry.n, (size_t)SMALL + 8 * (size_t)_i);
	be_put32(a.mad + AT_UPPER, 0);
	memset(a.mad + 192, 0, 3);
	ck_assert_mem_eq(got.mad, a.mad, MAD_SIZE);
	ck_assert_uint_eq(got.addr.lid, 0xffff);
	/* what a list shows needs no request */
	ck_assert(send_request(&q));
	got = read_answer(&a, false);
	ck_assert_int_eq(smp_decode(got.mad, got.len, &s, NULL), 0);
	ck_assert_uint_eq(s.attr, MAD_LFT);
	ck_assert_uint_eq(s.method, MAD_GET_RESP);
	buf_free(&entry);
}

/* Answers that are recorded whole: repeated, to no request, from elsewhere, to
 * a repeated request, and a request that came back. */
LOOP_TEST(whole, 0, 5)
{
	struct transport_msg q = make_smp(MAD_SET, MAD_LFT, SERIAL), a, got;

	memset(&requests, 0, sizeof(requests));
	ck_assert(send_request(&q));
	a = make_smp(MAD_GET_RESP, MAD_LFT, _i == 1 ? SERIAL + 1 : SERIAL);
	if (_i == 0)
		(void)read_answer(&a, true);
	else if (_i == 2)
		a.addr.lid = 5;
	else if (_i == 3)
		a.mad[15]++;
	else if (_i == 4)
		a.error = 110;
	got = read_answer(&a, false);
	ck_assert_uint_gt(entry.n, SMALL + 32);
	ck_assert_mem_eq(got.mad, a.mad, MAD_SIZE);
	ck_assert_uint_eq(got.addr.lid, a.addr.lid);
	ck_assert_int_eq(got.error, a.error);
	buf_free(&entry);
}

/* Put an answer to the next request, the same as all before. */
static void
put_alike(struct record_image *last, uint32_t serial)
{
	struct transport_msg q = make_smp(MAD_GET, MAD_NODE_INFO, serial), a;
	struct sm_input in = {.kind = SM_INPUT_RECEIVE,
		.now = mono_ms(serial),
		.is.message = &a};

	memset(q.mad + 64, 0, 64);
	ck_assert(send_request(&q));
	a = make_smp(MAD_GET_RESP, MAD_NODE_INFO, serial);
	record_put_input(&in, NULL, &no_mask, &requests, last, &entry);
	record_image_follow(last, RECORD_ANSWER);
}

static struct record_entry
read_entry(struct record_image *last)
{
	struct record_entry e;

	ck_assert_int_eq(record_entry_read((uint8_t *)entry.text, entry.n, last,
				 &e, NULL),
		0);
	return e;
}

/* Answers that are alike take little room; of those behind a gap nothing is
 * told until an entry of another kind, and the time of day is none of these. */
TEST(alike)
{
	struct record_image written = {.known = true}, read = written;
	struct record_entry e;
	struct smp s;

	memset(&requests, 0, sizeof(requests));
	put_alike(&written, 1);
	e = read_entry(&read);
	ck_assert_uint_gt(entry.n, 64);
	put_alike(&written, 2);
	ck_assert_uint_lt(entry.n, 16);
	e = read_entry(&read);
	ck_assert(e.known);
	ck_assert_int_eq(e.is.input.in.now.ns, mono_ms(2).ns);
	record_entry_answer(&e, &requests);
	ck_assert_int_eq(
		smp_decode(e.is.input.message.mad, MAD_SIZE, &s, NULL), 0);
	ck_assert_uint_eq(s.data[63], 0x55);
	record_put_gap(1, &entry);
	(void)read_entry(&read);
	record_put_clock(mono_ms(3), 3, &entry);
	(void)read_entry(&read);
	record_image_follow(&written, RECORD_CLOCK);
	put_alike(&written, 4);
	e = read_entry(&read);
	ck_assert(!e.known);
	ck_assert_int_eq(e.is.input.in.now.ns, 0);
	record_put_asked(&requests, &entry);
	(void)read_entry(&read);
	record_image_follow(&written, RECORD_ASKED);
	put_alike(&written, 5);
	ck_assert_uint_gt(entry.n, 64);
	e = read_entry(&read);
	ck_assert(e.known);
	ck_assert_int_eq(e.is.input.in.now.ns, mono_ms(5).ns);
	buf_free(&entry);
}

TEST(what_is_no_first_request)
{
	struct transport_msg m = make_smp(MAD_GET, MAD_LFT, SERIAL);
	uint16_t digest;

	memset(&requests, 0, sizeof(requests));
	ck_assert(send_request(&m));
	digest = record_requests_digest(&requests);
	m.mad[15]++; /* the second try */
	ck_assert(!send_request(&m));
	m = make_smp(MAD_GET_RESP, MAD_LFT, SERIAL);
	ck_assert(!send_request(&m));
	ck_assert_uint_eq(record_requests_digest(&requests), digest);
}

/* Any other bit, address or order is another digest. */
TEST(digest)
{
	struct transport_msg m = make_smp(MAD_SET, MAD_LFT, SERIAL);
	struct transport_msg n = make_smp(MAD_SET, MAD_PORT_INFO, SERIAL + 1);
	uint16_t first, digest;
	unsigned same = 0;

	memset(&requests, 0, sizeof(requests));
	(void)send_request(&m);
	first = record_requests_digest(&requests);
	for (unsigned bit = 64 * 8; bit < 128 * 8; bit++) {
		memset(&requests, 0, sizeof(requests));
		m.mad[bit / 8] ^= (uint8_t)(1U << bit % 8);
		(void)send_request(&m);
		m.mad[bit / 8] ^= (uint8_t)(1U << bit % 8);
		same += record_requests_digest(&requests) == first;
	}
	ck_assert_uint_eq(same, 0);
	memset(&requests, 0, sizeof(requests));
	(void)send_request(&m);
	(void)send_request(&n);
	digest = record_requests_digest(&requests);
	memset(&requests, 0, sizeof(requests));
	(void)send_request(&n);
	(void)send_request(&m);
	ck_assert_uint_ne(record_requests_digest(&requests), digest);
	memset(&requests, 0, sizeof(requests));
	m.addr.lid = 9;
	(void)send_request(&m);
	ck_assert_uint_ne(record_requests_digest(&requests), first);
}
