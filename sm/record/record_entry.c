#include "sm/record/record_entry.h"

#include <string.h>

#include "sm/base/be.h"

/* Bytes of a MAD. */
enum { AT_TID = 8, AT_ATTR = 16 };

/* Bytes of a block of a MAD; of an entry of a message with all of them. */
enum { WORD = 8, BLOCK = 32, MESSAGE_MAX = 192 + MAD_SIZE };

/* ---- writing ---- */

static void
put_u8(struct buf *out, unsigned v)
{
	const uint8_t b = (uint8_t)v;

	buf_put(out, &b, 1);
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

/* Answers are many: they are put together in a place of fixed size, by a
 * pointer that moves on. */
static uint8_t *
pen_u16(uint8_t *pen, uint16_t v)
{
	be_put16(pen, v);
	return pen + 2;
}

static uint8_t *
pen_u32(uint8_t *pen, uint32_t v)
{
	be_put32(pen, v);
	return pen + 4;
}

/* The address of almost all messages: directed by a path. */
static bool
is_plain(const struct transport_msg *m)
{
	return m->addr.lid == MAD_LID_PERMISSIVE && m->addr.pkey_index == 0 &&
	       m->addr.qpn == 0 && m->addr.sl == 0 && !m->addr.grh.present &&
	       m->timeout_ms == 0 && m->error == 0 && m->len == MAD_SIZE;
}

static uint8_t *
pen_address(uint8_t *pen, const struct transport_addr *a)
{
	pen = pen_u16(pen, a->lid);
	pen = pen_u16(pen, a->pkey_index);
	pen = pen_u32(pen, a->qpn);
	*pen++ = a->sl;
	*pen++ = a->grh.present;
	if (!a->grh.present)
		return pen;
	memcpy(pen, a->grh.gid, sizeof(a->grh.gid));
	pen += sizeof(a->grh.gid);
	*pen++ = a->grh.gid_index;
	*pen++ = a->grh.hop_limit;
	*pen++ = a->grh.traffic_class;
	return pen_u32(pen, a->grh.flow_label);
}

static uint64_t
word_of(const uint8_t *p)
{
	uint64_t x;

	memcpy(&x, p, sizeof(x));
	return x;
}

/*
 * The image of a MAD is its xor with ref. Of n bytes of it, a multiple of a
 * block: a bit for each word that is not as in last, and what differs in it;
 * last is that image then.
 */
static uint8_t *
pen_words(uint8_t *pen, const uint8_t *mad, const uint8_t *ref, uint8_t *last,
	size_t n)
{
	uint8_t *to = pen + 4;
	uint32_t bits = 0;

	for (size_t at = 0; at < n; at += BLOCK) {
		const uint8_t *p = mad + at, *q = ref + at;
		uint8_t *r = last + at;
		const uint64_t x[BLOCK / WORD] = {
			word_of(p) ^ word_of(q) ^ word_of(r),
			word_of(p + 8) ^ word_of(q + 8) ^ word_of(r + 8),
			word_of(p + 16) ^ word_of(q + 16) ^ word_of(r + 16),
			word_of(p + 24) ^ word_of(q + 24) ^ word_of(r + 24),
		};

		if ((x[0] | x[1] | x[2] | x[3]) == 0)
			continue;
		for (size_t k = 0; k < BLOCK / WORD; k++) {
			uint64_t is = word_of(r + k * WORD) ^ x[k];

			memcpy(r + k * WORD, &is, WORD);
			memcpy(to, &x[k], WORD);
			to += x[k] != 0 ? WORD : 0;
			bits |= (uint32_t)(x[k] != 0) << (at / WORD + k);
		}
	}
	be_put32(pen, bits);
	return to;
}

static uint8_t *
pen_mad(uint8_t *pen, const uint8_t *mad, const struct record_mask *mask)
{
	static const uint8_t zero[MAD_SIZE];
	uint8_t copy[MAD_SIZE], last[MAD_SIZE] = {0};

	memcpy(copy, mad, sizeof(copy));
	record_mask_message(mask, copy, sizeof(copy));
	return pen_words(pen, copy, zero, last, MAD_SIZE);
}

static void
xor_word(uint8_t *to, const uint8_t *from)
{
	uint64_t x = word_of(to) ^ word_of(from);

	memcpy(to, &x, WORD);
}

/* An answer. Its head, LID and attribute are in its image as they are: here
 * they are made what the xor with the request turns into these. */
static uint8_t *
pen_answer(uint8_t *pen, const struct sm_input *in,
	const struct record_mask *mask, const struct record_requests *requests,
	unsigned before, struct record_image *last)
{
	const struct transport_msg *m = in->is.message;
	const struct record_request *q = record_requests_at(requests, before);
	uint8_t mad[MAD_SIZE];

	memcpy(mad, m->mad, MAD_SIZE);
	record_mask_message(mask, mad, MAD_SIZE);
	be_put64(mad + AT_TID, m->addr.lid);
	xor_word(mad, q->mad);
	xor_word(mad + AT_TID, q->mad + AT_TID);
	mad[AT_ATTR] ^= q->mad[AT_ATTR];
	mad[AT_ATTR + 1] ^= q->mad[AT_ATTR + 1];
	*pen++ = (uint8_t)before;
	be_put64(pen, (uint64_t)(in->now.ns - last->now.ns));
	last->now = in->now;
	return pen_words(pen + WORD, mad, q->mad, last->mad,
		record_requests_length(q->mad));
}

void
record_image_follow(struct record_image *last, enum record_kind kind)
{
	if (kind != RECORD_ANSWER && kind != RECORD_CLOCK)
		*last = (struct record_image){.known = kind != RECORD_GAP};
}

/* Append a message. */
static void
put_message(const struct transport_msg *m, const struct record_mask *mask,
	struct buf *out)
{
	uint8_t place[MESSAGE_MAX], *pen = place;
	bool plain = is_plain(m);
	size_t at;

	*pen++ = plain;
	if (!plain) {
		pen = pen_address(pen, &m->addr);
		pen = pen_u32(pen, m->timeout_ms);
		pen = pen_u32(pen, (uint32_t)m->error);
		pen = pen_u32(pen, (uint32_t)m->len);
	}
	if (m->len == MAD_SIZE)
		pen = pen_mad(pen, m->mad, mask);
	buf_put(out, place, (size_t)(pen - place));
	if (m->len == MAD_SIZE)
		return;
	at = out->n;
	buf_put(out, m->len > MAD_SIZE ? m->body : m->mad, m->len);
	record_mask_message(mask, (uint8_t *)out->text + at, m->len);
}

/* An entry of a size that is known at its end: where it is written, and its
 * end. */
static uint8_t *
begin_entry(enum record_kind kind, struct buf *out)
{
	uint8_t *pen;

	out->n = 0;
	pen = buf_add(out, MESSAGE_MAX);
	*pen = (uint8_t)kind;
	return pen + 1;
}

static void
end_entry(const uint8_t *pen, struct buf *out)
{
	out->n = (size_t)(pen - (const uint8_t *)out->text);
}

/* What an event consists of, besides its time. */
enum content { NOTHING, MESSAGE, CONFIG, FLAG, CAUSE, DRAIN, UNDRAIN };

static const enum content content_of[SM_INPUTS] = {
	[SM_INPUT_RECEIVE] = MESSAGE,
	[SM_INPUT_RECONFIGURE] = CONFIG,
	[SM_INPUT_OWN_LINK] = FLAG,
	[SM_INPUT_RESWEEP] = CAUSE,
	[SM_INPUT_REBALANCE] = CAUSE,
	[SM_INPUT_ACCEPT_NAMES] = CAUSE,
	[SM_INPUT_HAND_OVER] = CAUSE,
	[SM_INPUT_DRAIN] = DRAIN,
	[SM_INPUT_UNDRAIN] = UNDRAIN,
};

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

/* The content of an event that is no message. */
static void
put_content(const struct sm_input *in, const char *config, struct buf *out)
{
	switch (content_of[in->kind]) {
	case CONFIG:
		for (size_t i = 0; i < SCHEMA_RELOADS; i++)
			put_u32(out,
				(uint32_t)in->is.reconfigure.changes->of[i]);
		put_text(out, config);
		break;
	case FLAG:
		put_u8(out, in->is.up);
		break;
	case CAUSE:
		put_text(out, in->is.cause);
		break;
	case DRAIN:
		put_drain(in->is.drain, out);
		break;
	case UNDRAIN:
		put_u64(out, in->is.undrain.guid);
		put_u32(out, in->is.undrain.port);
		put_text(out, in->is.undrain.by);
		break;
	case MESSAGE:
	case NOTHING:
		break;
	}
}

/* Of all requests so far, to be recorded. */
static uint16_t
take_digest(struct record_requests *requests)
{
	requests->fresh = 0;
	return record_requests_digest(requests);
}

void
record_put_input(const struct sm_input *in, const char *config,
	const struct record_mask *mask, struct record_requests *requests,
	struct record_image *last, struct buf *out)
{
	bool has_message = content_of[in->kind] == MESSAGE;
	int before = has_message
			     ? record_requests_answer(requests, in->is.message)
			     : -1;
	uint8_t *pen =
		begin_entry(before < 0 ? RECORD_INPUT : RECORD_ANSWER, out);

	if (before >= 0) {
		pen = pen_answer(
			pen, in, mask, requests, (unsigned)before, last);
		end_entry(pen, out);
		return;
	}
	pen = pen_u16(pen, take_digest(requests));
	be_put64(pen, (uint64_t)in->now.ns);
	pen[8] = (uint8_t)in->kind;
	end_entry(pen + 9, out);
	if (has_message)
		put_message(in->is.message, mask, out);
	else
		put_content(in, config, out);
}

void
record_put_sent(const struct transport_msg *m, bool failed,
	const struct record_mask *mask, struct buf *out)
{
	put_kind(out, RECORD_SENT);
	put_u8(out, failed);
	put_message(m, mask, out);
}

void
record_put_asked(struct record_requests *requests, struct buf *out)
{
	uint8_t place[2];

	put_kind(out, RECORD_ASKED);
	be_put16(place, take_digest(requests));
	buf_put(out, place, sizeof(place));
}

/* ---- reading ---- */

#define NOW_MAX (INT64_MAX / 2)

struct entry_reader {
	uint8_t *p, *end;
	bool bad; /* it ended too early */
};

/* The next n bytes; zeroes, and bad, where there are fewer. */
static const uint8_t *
take_bytes(struct entry_reader *r, size_t n)
{
	static const uint8_t none[BLOCK];
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

/* An instant or a duration: never before the start of the machine. */
static struct mono
take_time(struct entry_reader *r)
{
	struct mono t = {(int64_t)take_u64(r)};

	r->bad |= t.ns < 0;
	return t.ns < 0 ? (struct mono){0} : t;
}

/* When an event came: some centuries at most. */
static struct mono
take_now(struct entry_reader *r)
{
	struct mono t = take_time(r);

	r->bad |= t.ns > NOW_MAX;
	return t.ns > NOW_MAX ? (struct mono){0} : t;
}

static unsigned
take_port(struct entry_reader *r)
{
	uint32_t port = take_u32(r);

	r->bad |= port > MAD_PORT_MAX;
	return port;
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
	b->now = take_now(r);
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

/* Words as pen_words wrote them: mad is what they differ from. */
static void
take_words(struct entry_reader *r, uint8_t mad[MAD_SIZE])
{
	uint32_t bits = take_u32(r);

	for (unsigned at = 0; bits != 0; at += WORD, bits >>= 1) {
		const uint8_t *x = (bits & 1) != 0 ? take_bytes(r, WORD) : NULL;

		for (unsigned k = 0; x != NULL && k < WORD; k++)
			mad[at + k] ^= x[k];
	}
}

/* The bytes of a message: in m where they fit, else they stay where they are.
 */
static void
take_content(struct entry_reader *r, struct transport_msg *m)
{
	m->len = take_u32(r);
	if (m->len == MAD_SIZE) {
		take_words(r, m->mad);
		return;
	}
	if (m->len > (size_t)(r->end - r->p)) {
		r->bad = true;
		m->len = 0;
		return;
	}
	if (m->len > MAD_SIZE)
		m->body = r->p;
	memcpy(m->mad, r->p, m->len < MAD_SIZE ? m->len : MAD_SIZE);
	r->p += m->len;
}

static void
take_message(struct entry_reader *r, struct transport_msg *m)
{
	*m = (struct transport_msg){0};
	if (take_u8(r) != 0) {
		m->addr.lid = MAD_LID_PERMISSIVE;
		m->len = MAD_SIZE;
		take_words(r, m->mad);
		return;
	}
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
	d->port = take_port(r);
	d->duration = take_time(r);
	d->force = take_u8(r) != 0;
	d->by = take_text(r);
	d->reason = take_text(r);
}

/* An answer, as its image. */
static void
take_answer(struct entry_reader *r, struct record_image *last,
	struct record_entry *e)
{
	struct transport_msg *m = &e->is.input.message;

	e->before = take_u8(r);
	last->now.ns = (int64_t)((uint64_t)last->now.ns + take_u64(r));
	if (last->now.ns < 0 || last->now.ns > NOW_MAX) {
		r->bad = true;
		last->now.ns = 0;
	}
	take_words(r, last->mad);
	*m = (struct transport_msg){
		.addr.lid = (uint16_t)be_get64(last->mad + AT_TID),
		.len = MAD_SIZE};
	memcpy(m->mad, last->mad, MAD_SIZE);
	memset(m->mad + AT_TID, 0, WORD);
	e->is.input.in =
		(struct sm_input){.kind = SM_INPUT_RECEIVE, .is.message = m};
	if (last->known)
		e->is.input.in.now = last->now;
}

void
record_entry_answer(
	struct record_entry *e, const struct record_requests *requests)
{
	const struct record_request *q =
		record_requests_at(requests, e->before);
	struct transport_msg *m = &e->is.input.message;
	size_t n = record_requests_length(q->mad);

	memcpy(m->mad + AT_TID, q->mad + AT_TID, WORD);
	for (size_t i = AT_ATTR + 2; i < n; i++)
		m->mad[i] ^= q->mad[i];
	memcpy(m->mad + n, q->mad + n, MAD_SIZE - n);
	m->addr.qpn = q->qpn;
	m->addr.pkey_index = q->pkey_index;
	m->addr.sl = q->sl;
	e->is.input.in.is.message = m;
}

static void
take_content_of(struct entry_reader *r, struct record_entry *e)
{
	struct sm_input *in = &e->is.input.in;

	switch (content_of[in->kind]) {
	case MESSAGE:
		take_message(r, &e->is.input.message);
		in->is.message = &e->is.input.message;
		break;
	case CONFIG:
		e->is.input.changes = (struct config_changes){0};
		for (size_t i = 0; i < SCHEMA_RELOADS; i++)
			e->is.input.changes.of[i] = take_u32(r);
		in->is.reconfigure.changes = &e->is.input.changes;
		e->is.input.config = take_text(r);
		break;
	case FLAG:
		in->is.up = take_u8(r) != 0;
		break;
	case CAUSE:
		in->is.cause = take_text(r);
		break;
	case DRAIN:
		take_drain(r, &e->is.input.drain);
		in->is.drain = &e->is.input.drain;
		break;
	case UNDRAIN:
		in->is.undrain.guid = take_u64(r);
		in->is.undrain.port = take_port(r);
		in->is.undrain.by = take_text(r);
		break;
	case NOTHING:
		break;
	}
}

static void
take_input(struct entry_reader *r, struct record_entry *e)
{
	struct sm_input *in = &e->is.input.in;
	uint8_t kind;

	e->digest = take_u16(r);
	*in = (struct sm_input){.now = take_now(r)};
	kind = take_u8(r);
	if (kind >= SM_INPUTS) {
		r->bad = true;
		kind = SM_INPUT_TICK;
	}
	in->kind = (enum sm_input_kind)kind;
	take_content_of(r, e);
}

static void
take_entry(struct entry_reader *r, struct record_image *last,
	struct record_entry *e)
{
	switch (e->kind) {
	case RECORD_BEGIN:
		take_begin(r, &e->is.begin);
		break;
	case RECORD_INPUT:
		take_input(r, e);
		break;
	case RECORD_ANSWER:
		take_answer(r, last, e);
		break;
	case RECORD_SENT:
		e->is.sent.failed = take_u8(r) != 0;
		take_message(r, &e->is.sent.message);
		break;
	case RECORD_ASKED:
		e->digest = take_u16(r);
		break;
	case RECORD_SECONDS:
		e->is.seconds = take_u64(r);
		break;
	case RECORD_CLOCK:
		e->is.clock.now = take_now(r);
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
record_entry_read(uint8_t *p, size_t n, struct record_image *last,
	struct record_entry *out, struct reason *why)
{
	struct record_image none = {.known = false};
	struct entry_reader r = {.p = p, .end = p + n};

	if (last == NULL)
		last = &none;
	out->kind = (enum record_kind)take_u8(&r);
	out->known = last->known || out->kind != RECORD_ANSWER;
	take_entry(&r, last, out);
	if (r.bad || r.p != r.end)
		return reason_set(why,
			"%zu bytes that begin with 0x%02x are no entry of a "
			"recording",
			n, n > 0 ? *p : 0);
	record_image_follow(last, out->kind);
	return 0;
}
