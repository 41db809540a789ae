#include "sm/record/record_requests.h"

#include <endian.h>
#include <string.h>

#include "sm/base/be.h"
#include "sm/base/hash.h"
#include "sm/mad/mad_perf.h"

/* Bytes of a MAD. */
enum {
	AT_CLASS = 1,
	AT_METHOD = 3,
	AT_HOPS = 7,
	AT_TID = 12,
	AT_PATH = 128,
	AT_RETURN_PATH = 192
};

enum { TRY_MASK = (1 << TRANSPORT_TRY_BITS) - 1 };

size_t
record_requests_length(const uint8_t *mad)
{
	if (mad[AT_CLASS] == MAD_SUBN_DR)
		return mad[AT_HOPS] < 32 ? AT_PATH + 32 : AT_RETURN_PATH;
	return mad[AT_CLASS] == MAD_SUBN_LID ? AT_PATH : MAD_SIZE;
}

static bool
is_first_request(const struct transport_msg *m)
{
	uint8_t class = m->mad[AT_CLASS], method = m->mad[AT_METHOD];

	return m->len == MAD_SIZE && (method == MAD_GET || method == MAD_SET) &&
	       !m->addr.grh.present &&
	       (class == MAD_SUBN_LID || class == MAD_SUBN_DR ||
		       class == MAD_PERF) &&
	       (be_get32(m->mad + AT_TID) & TRY_MASK) == 0;
}

/* Where the request with the TID of a message is, or would be. */
static unsigned
place_of(const struct transport_msg *m)
{
	return (be_get32(m->mad + AT_TID) >> TRANSPORT_TRY_BITS) %
	       RECORD_REQUESTS;
}

/* A sum with a word of a MAD: a product gathers in its upper half what differs,
 * and the rotation takes that to where the next product spreads it. */
static uint64_t
add_word(uint64_t sum, const uint8_t *p)
{
	uint64_t x;

	memcpy(&x, p, sizeof(x));
	x = (sum ^ le64toh(x)) * UINT64_C(0x9e3779b97f4a7c15);
	return x << 32 | x >> 32;
}

/* Four sums beside each other: the processor need not wait for one
 * multiplication to begin the next. */
static void
add_to_digest(struct record_requests *r, const struct record_request *q,
	unsigned timeout_ms)
{
	const uint8_t *end = q->mad + record_requests_length(q->mad);
	uint64_t a = r->sum[0], b = hash_mix(r->sum[1], timeout_ms);
	uint64_t c =
		hash_mix(r->sum[2], (uint64_t)q->lid << 16 | q->pkey_index);
	uint64_t d = hash_mix(r->sum[3], (uint64_t)q->qpn << 8 | q->sl);

	for (const uint8_t *p = q->mad; p < end; p += 32) {
		a = add_word(a, p);
		b = add_word(b, p + 8);
		c = add_word(c, p + 16);
		d = add_word(d, p + 24);
	}
	r->sum[0] = a;
	r->sum[1] = b;
	r->sum[2] = c;
	r->sum[3] = d;
}

bool
record_requests_add(struct record_requests *r, const struct transport_msg *m,
	const struct record_mask *mask)
{
	struct record_request *q = &r->place[place_of(m)];

	if (!is_first_request(m))
		return false;
	memcpy(q->mad, m->mad, MAD_SIZE);
	record_mask_message(mask, q->mad, MAD_SIZE);
	q->qpn = m->addr.qpn;
	q->lid = m->addr.lid;
	q->pkey_index = m->addr.pkey_index;
	q->sl = m->addr.sl;
	q->open = true;
	r->last = place_of(m);
	r->fresh++;
	add_to_digest(r, q, m->timeout_ms);
	return true;
}

uint16_t
record_requests_digest(const struct record_requests *r)
{
	uint64_t h = hash_mix(
		hash_mix(hash_mix(r->sum[0], r->sum[1]), r->sum[2]), r->sum[3]);

	return (uint16_t)(h >> 48);
}

int
record_requests_answer(struct record_requests *r, const struct transport_msg *m)
{
	unsigned at = place_of(m);
	struct record_request *q = &r->place[at];

	if (!q->open || m->error != 0 || m->len != MAD_SIZE ||
		memcmp(q->mad + AT_TID, m->mad + AT_TID, 4) != 0 ||
		m->addr.lid != q->lid || m->addr.qpn != q->qpn ||
		m->addr.sl != q->sl || m->addr.grh.present ||
		m->addr.pkey_index != q->pkey_index)
		return -1;
	q->open = false;
	return (int)((r->last - at) % RECORD_REQUESTS);
}

const struct record_request *
record_requests_at(const struct record_requests *r, unsigned before)
{
	return &r->place[(r->last - before) % RECORD_REQUESTS];
}
