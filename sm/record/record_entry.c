#include "sm/record/record_entry.h"

#include <string.h>

#include "sm/base/be.h"
#include "sm/base/hash.h"
#include "sm/mad/mad_perf.h"

/* Bytes of a MAD. */
enum { AT_CLASS = 1, AT_METHOD = 3, AT_TID = 12, AT_ATTR = 16, AT_MOD = 20 };

/* ---- writing ---- */

static void
put_u8(struct buf *out, unsigned v)
{
	const uint8_t b = (uint8_t)v;

	buf_put(out, &b, 1);
}

static void
put_u16(struct buf *out, uint16_t v)
{
	uint8_t b[2];

	be_put16(b, v);
	buf_put(out, b, sizeof(b));
}

static void
put_u32(struct buf *out, uint32_t v)
{
	uint8_t b[4];

	be_put32(b, v);
	buf_put(out, b, sizeof(b));
}

static void
put_u64(struct buf *out, uint64_t v)
{
	uint8_t b[8];

	be_put64(b, v);
	buf_put(out, b, sizeof(b));
}

/* With its zero byte; NULL as "". */
static void
put_text(struct buf *out, const char *s)
{
	if (s == NULL)
		s = "";
	buf_put(out, s, strlen(s) + 1);
}

static void
put_kind(struct buf *out, enum record_kind kind)
{
	out->n = 0;
	put_u8(out, kind);
}

void
record_put_begin(const struct record_begin *b, struct buf *out)
{
	put_kind(out, RECORD_BEGIN);
	put_u64(out, (uint64_t)b->now.ns);
	put_u64(out, b->wall);
	put_u64(out, b->port_guid);
	put_u32(out, b->tid_start);
	put_u8(out, b->writing);
	put_u8(out, b->unsaved);
	put_u64(out, b->away);
	put_text(out, b->config);
	put_text(out, b->state);
}

void
record_put_seconds(uint64_t seconds, struct buf *out)
{
	put_kind(out, RECORD_SECONDS);
	put_u64(out, seconds);
}

void
record_put_clock(struct mono now, uint64_t wall, struct buf *out)
{
	put_kind(out, RECORD_CLOCK);
	put_u64(out, (uint64_t)now.ns);
	put_u64(out, wall);
}

void
record_put_gap(uint64_t lost, struct buf *out)
{
	put_kind(out, RECORD_GAP);
	put_u64(out, lost);
}

static size_t
without_zeroes(const uint8_t *p, size_t n)
{
	while (n >= 8 && be_get64(p + n - 8) == 0)
		n -= 8;
	while (n > 0 && p[n - 1] == 0)
		n--;
	return n;
}

static void
put_message(const struct transport_msg *m, const struct record_mask *mask,
	struct buf *out)
{
	bool is_long = m->len > MAD_SIZE;
	const uint8_t *bytes = is_long ? m->body : m->mad;
	size_t n = is_long ? m->len : without_zeroes(bytes, m->len), at;

	put_u16(out, m->addr.lid);
	put_u16(out, m->addr.pkey_index);
	put_u32(out, m->addr.qpn);
	put_u8(out, m->addr.sl);
	put_u8(out, m->addr.grh.present);
	if (m->addr.grh.present) {
		buf_put(out, m->addr.grh.gid, sizeof(m->addr.grh.gid));
		put_u8(out, m->addr.grh.gid_index);
		put_u8(out, m->addr.grh.hop_limit);
		put_u8(out, m->addr.grh.traffic_class);
		put_u32(out, m->addr.grh.flow_label);
	}
	put_u32(out, m->timeout_ms);
	put_u32(out, (uint32_t)m->error);
	put_u32(out, (uint32_t)m->len);
	put_u32(out, (uint32_t)n);
	at = out->n;
	buf_put(out, bytes, n);
	record_mask_message(mask, (uint8_t *)out->text + at, n);
}

static void
put_drain(const struct sm_drain *d, struct buf *out)
{
	put_u64(out, d->guid);
	put_u32(out, d->port);
	put_u64(out, (uint64_t)d->duration.ns);
	put_u8(out, d->force);
	put_text(out, d->by);
	put_text(out, d->reason);
}

void
record_put_input(const struct sm_input *in, const char *config,
	const struct record_mask *mask, struct buf *out)
{
	put_kind(out, RECORD_INPUT);
	put_u8(out, in->kind);
	put_u64(out, (uint64_t)in->now.ns);
	switch (in->kind) {
	case SM_INPUT_RECEIVE:
		put_message(in->is.message, mask, out);
		break;
	case SM_INPUT_RECONFIGURE:
		for (size_t i = 0; i < SCHEMA_RELOADS; i++)
			put_u32(out,
				(uint32_t)in->is.reconfigure.changes->of[i]);
		put_text(out, config);
		break;
	case SM_INPUT_OWN_LINK:
		put_u8(out, in->is.up);
		break;
	case SM_INPUT_RESWEEP:
	case SM_INPUT_REBALANCE:
	case SM_INPUT_ACCEPT_NAMES:
	case SM_INPUT_HAND_OVER:
		put_text(out, in->is.cause);
		break;
	case SM_INPUT_DRAIN:
		put_drain(in->is.drain, out);
		break;
	case SM_INPUT_UNDRAIN:
		put_u64(out, in->is.undrain.guid);
		put_u32(out, in->is.undrain.port);
		put_text(out, in->is.undrain.by);
		break;
	case SM_INPUT_START:
	case SM_INPUT_TICK:
	case SM_INPUT_ROUTED:
	case SM_INPUT_ACCEPT_MISSING:
	case SM_INPUT_RESIGN:
	case SM_INPUT_SAVE:
	case SM_INPUTS:
		break;
	}
}

/* A Get whose answer is recorded, if there is one. */
static bool
is_get(const struct transport_msg *m)
{
	uint8_t class = m->mad[AT_CLASS];

	return m->len == MAD_SIZE && m->mad[AT_METHOD] == MAD_GET &&
	       !m->addr.grh.present &&
	       (class == MAD_SUBN_LID || class == MAD_SUBN_DR ||
		       class == MAD_PERF);
}

/* Four hashes side by side, so that their multiplications overlap. */
static uint64_t
digest_mad(const uint8_t mad[MAD_SIZE])
{
	uint64_t h[4] = {FNV_START, 1, 2, 3};

	for (size_t i = 0; i < MAD_SIZE; i += 32)
		for (size_t k = 0; k < 4; k++)
			h[k] = hash_mix(h[k], be_get64(mad + i + 8 * k));
	return hash_spread(
		hash_mix(hash_mix(h[0], h[1]), hash_mix(h[2], h[3])));
}

static void
put_asked(const struct transport_msg *m, const struct record_mask *mask,
	struct buf *out)
{
	uint8_t mad[MAD_SIZE];
	uint64_t digest;

	memcpy(mad, m->mad, sizeof(mad));
	record_mask_message(mask, mad, sizeof(mad));
	digest = hash_mix(digest_mad(mad), m->addr.lid);
	digest = hash_mix(digest, m->addr.qpn);
	digest = hash_mix(digest, (uint64_t)m->addr.sl << 32 | m->timeout_ms);
	put_u8(out, mad[AT_CLASS]);
	buf_put(out, mad + AT_ATTR, 2);
	buf_put(out, mad + AT_MOD, 4);
	buf_put(out, mad + AT_TID, 4);
	put_u16(out, m->addr.lid);
	put_u64(out, digest);
}

void
record_put_message(const struct transport_msg *m, bool failed,
	const struct record_mask *mask, struct buf *out)
{
	put_kind(out, is_get(m) ? RECORD_ASKED : RECORD_SENT);
	put_u8(out, failed);
	if (is_get(m))
		put_asked(m, mask, out);
	else
		put_message(m, mask, out);
}

/* ---- reading ---- */

struct entry_reader {
	uint8_t *p, *end;
	bool bad; /* it ended too early */
};

/* The next n bytes; zeroes, and bad, where there are fewer. */
static const uint8_t *
take_bytes(struct entry_reader *r, size_t n)
{
	static const uint8_t none[16];
	const uint8_t *p = r->p;

	if ((size_t)(r->end - r->p) < n) {
		r->bad = true;
		r->p = r->end;
		return none;
	}
	r->p += n;
	return p;
}

static uint8_t
take_u8(struct entry_reader *r)
{
	return *take_bytes(r, 1);
}

static uint16_t
take_u16(struct entry_reader *r)
{
	return be_get16(take_bytes(r, 2));
}

static uint32_t
take_u32(struct entry_reader *r)
{
	return be_get32(take_bytes(r, 4));
}

static uint64_t
take_u64(struct entry_reader *r)
{
	return be_get64(take_bytes(r, 8));
}

static struct mono
take_time(struct entry_reader *r)
{
	return (struct mono){(int64_t)take_u64(r)};
}

static const char *
take_text(struct entry_reader *r)
{
	uint8_t *s = r->p, *end;

	end = s < r->end ? memchr(s, '\0', (size_t)(r->end - s)) : NULL;
	if (end == NULL) {
		r->bad = true;
		return "";
	}
	r->p = end + 1;
	return (const char *)s;
}

static void
take_begin(struct entry_reader *r, struct record_begin *b)
{
	b->now = take_time(r);
	b->wall = take_u64(r);
	b->port_guid = take_u64(r);
	b->tid_start = take_u32(r);
	b->writing = take_u8(r) != 0;
	b->unsaved = take_u8(r) != 0;
	b->away = take_u64(r);
	b->config = take_text(r);
	b->state = take_text(r);
}

static void
take_grh(struct entry_reader *r, struct transport_addr *a)
{
	memcpy(a->grh.gid, take_bytes(r, sizeof(a->grh.gid)),
		sizeof(a->grh.gid));
	a->grh.gid_index = take_u8(r);
	a->grh.hop_limit = take_u8(r);
	a->grh.traffic_class = take_u8(r);
	a->grh.flow_label = take_u32(r);
}

/* The bytes of a message: in m where they fit, else they stay where they are.
 */
static void
take_content(struct entry_reader *r, struct transport_msg *m)
{
	uint32_t n;

	m->len = take_u32(r);
	n = take_u32(r);
	if (n > m->len || n > (size_t)(r->end - r->p) ||
		(m->len > MAD_SIZE && n != m->len)) {
		r->bad = true;
		m->len = 0;
		return;
	}
	if (m->len > MAD_SIZE)
		m->body = r->p;
	memcpy(m->mad, r->p, n < MAD_SIZE ? n : MAD_SIZE);
	r->p += n;
}

static void
take_message(struct entry_reader *r, struct transport_msg *m)
{
	*m = (struct transport_msg){0};
	m->addr.lid = take_u16(r);
	m->addr.pkey_index = take_u16(r);
	m->addr.qpn = take_u32(r);
	m->addr.sl = take_u8(r);
	m->addr.grh.present = take_u8(r) != 0;
	if (m->addr.grh.present)
		take_grh(r, &m->addr);
	m->timeout_ms = take_u32(r);
	m->error = (int)take_u32(r);
	take_content(r, m);
}

static void
take_drain(struct entry_reader *r, struct sm_drain *d)
{
	d->guid = take_u64(r);
	d->port = take_u32(r);
	d->duration = take_time(r);
	d->force = take_u8(r) != 0;
	d->by = take_text(r);
	d->reason = take_text(r);
}

static void
take_input(struct entry_reader *r, struct record_entry *e)
{
	struct sm_input *in = &e->is.input.in;
	uint8_t kind = take_u8(r);

	r->bad |= kind >= SM_INPUTS;
	*in = (struct sm_input){
		.kind = (enum sm_input_kind)kind, .now = take_time(r)};
	switch (in->kind) {
	case SM_INPUT_RECEIVE:
		take_message(r, &e->is.input.message);
		in->is.message = &e->is.input.message;
		break;
	case SM_INPUT_RECONFIGURE:
		e->is.input.changes = (struct config_changes){0};
		for (size_t i = 0; i < SCHEMA_RELOADS; i++)
			e->is.input.changes.of[i] = take_u32(r);
		in->is.reconfigure.changes = &e->is.input.changes;
		e->is.input.config = take_text(r);
		break;
	case SM_INPUT_OWN_LINK:
		in->is.up = take_u8(r) != 0;
		break;
	case SM_INPUT_RESWEEP:
	case SM_INPUT_REBALANCE:
	case SM_INPUT_ACCEPT_NAMES:
	case SM_INPUT_HAND_OVER:
		in->is.cause = take_text(r);
		break;
	case SM_INPUT_DRAIN:
		take_drain(r, &e->is.input.drain);
		in->is.drain = &e->is.input.drain;
		break;
	case SM_INPUT_UNDRAIN:
		in->is.undrain.guid = take_u64(r);
		in->is.undrain.port = take_u32(r);
		in->is.undrain.by = take_text(r);
		break;
	case SM_INPUT_START:
	case SM_INPUT_TICK:
	case SM_INPUT_ROUTED:
	case SM_INPUT_ACCEPT_MISSING:
	case SM_INPUT_RESIGN:
	case SM_INPUT_SAVE:
	case SM_INPUTS:
		break;
	}
}

static void
take_asked(struct entry_reader *r, struct record_asked *a)
{
	a->mgmt_class = take_u8(r);
	a->attr = take_u16(r);
	a->mod = take_u32(r);
	a->tid = take_u32(r);
	a->lid = take_u16(r);
	a->digest = take_u64(r);
}

static void
take_entry(struct entry_reader *r, struct record_entry *e)
{
	switch (e->kind) {
	case RECORD_BEGIN:
		take_begin(r, &e->is.begin);
		break;
	case RECORD_INPUT:
		take_input(r, e);
		break;
	case RECORD_SENT:
		e->is.sent.failed = take_u8(r) != 0;
		take_message(r, &e->is.sent.message);
		break;
	case RECORD_ASKED:
		e->is.asked.failed = take_u8(r) != 0;
		take_asked(r, &e->is.asked.get);
		break;
	case RECORD_SECONDS:
		e->is.seconds = take_u64(r);
		break;
	case RECORD_CLOCK:
		e->is.clock.now = take_time(r);
		e->is.clock.wall = take_u64(r);
		break;
	case RECORD_GAP:
		e->is.lost = take_u64(r);
		break;
	default:
		r->bad = true;
		break;
	}
}

int
record_entry_read(
	uint8_t *p, size_t n, struct record_entry *out, struct reason *why)
{
	struct entry_reader r = {.p = p, .end = p + n};

	out->kind = (enum record_kind)take_u8(&r);
	take_entry(&r, out);
	if (r.bad || r.p != r.end)
		return reason_set(why,
			"%zu bytes that begin with 0x%02x are no entry of a "
			"recording",
			n, n > 0 ? *p : 0);
	return 0;
}
