#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "sm/base/be.h"
#include "sm/base/mem.h"
#include "tests/sim/serve/serve_int.h"

/* Byte positions and bits in a MAD. */
enum {
	AT_BASE_VERSION = 0,
	AT_CLASS_VERSION = 2,
	AT_STATUS = 4,
	AT_HOP_PTR = 6,
	AT_DR_LIDS = 32,
	D_BIT = 0x80,
	RESPONSE = 0x80,
	NEWEST_CLASS_VERSION = 2,
};

static bool
is_smp(const uint8_t *mad)
{
	return mad[SERVE_AT_CLASS] == MAD_SUBN_LID ||
	       mad[SERVE_AT_CLASS] == MAD_SUBN_DR;
}

static bool
expects_answer(const uint8_t *mad)
{
	uint8_t m = mad[SERVE_AT_METHOD];

	return !(m & RESPONSE) && m != MAD_TRAP && m != MAD_TRAP_REPRESS;
}

/* ibsim ignores MADs for which this is false. */
static bool
ibsim_takes(const uint8_t *mad)
{
	if (mad[AT_BASE_VERSION] != 1 ||
		mad[AT_CLASS_VERSION] > NEWEST_CLASS_VERSION)
		return false;
	return mad[SERVE_AT_CLASS] != MAD_SUBN_DR ||
	       (mad[AT_HOP_PTR] == 0 &&
		       !(mad[AT_STATUS] & D_BIT) ==
			       !(mad[SERVE_AT_METHOD] & RESPONSE) &&
		       be_get32(mad + AT_DR_LIDS) == UINT32_MAX);
}

void
serve_data_queue(struct serve_client *c, const uint8_t *wire)
{
	if (!c->used)
		return;
	if (c->out_n >= SERVE_QUEUE_MAX) {
		c->dropped++;
		return;
	}
	if (c->out_from > 0 && c->out_from + c->out_n == c->out_cap) {
		memmove(c->out, c->out + c->out_from, c->out_n * IBSIMWIRE_MSG);
		c->out_from = 0;
	}
	c->out = mem_grow(
		c->out, c->out_from + c->out_n, &c->out_cap, IBSIMWIRE_MSG);
	memcpy(c->out[c->out_from + c->out_n++], wire, IBSIMWIRE_MSG);
}

/* Write one batch; 0: the socket is full, or the client was dropped. */
static int
write_batch(struct serve_client *c)
{
	struct mmsghdr v[SERVE_BATCH];
	struct iovec iov[SERVE_BATCH];
	unsigned n = c->out_n < SERVE_BATCH ? (unsigned)c->out_n : SERVE_BATCH;
	int done;

	memset(v, 0, n * sizeof(v[0]));
	for (unsigned i = 0; i < n; i++) {
		iov[i].iov_base = c->out[c->out_from + i];
		iov[i].iov_len = IBSIMWIRE_MSG;
		v[i].msg_hdr.msg_iov = &iov[i];
		v[i].msg_hdr.msg_iovlen = 1;
	}
	done = sendmmsg(c->fd, v, n, MSG_DONTWAIT | MSG_NOSIGNAL);
	if (done <= 0) {
		if (errno != EAGAIN && errno != EINTR && errno != ENOBUFS)
			serve_client_drop(c);
		return 0;
	}
	c->out_from += (unsigned)done;
	c->out_n -= (unsigned)done;
	c->sent += (unsigned)done;
	if (c->out_n == 0)
		c->out_from = 0;
	return done;
}

void
serve_data_flush(struct serve *s)
{
	for (int i = 0; i < SERVE_CLIENTS; i++) {
		struct serve_client *c = &s->client[i];

		if (!c->used || c->out_n == 0)
			continue;
		while (c->out_n > 0 && write_batch(c) > 0)
			;
		if (c->used)
			loop_fd_set(c->watch,
				c->out_n ? LOOP_READ | LOOP_WRITE : LOOP_READ);
	}
}

void
serve_data_forget(struct serve_client *c)
{
	free(c->out);
	c->out = NULL;
	c->out_from = c->out_n = c->out_cap = 0;
	serve_wait_forget(c->s, (int)(c - c->s->client));
}

static void
queue_msg(struct serve_client *c, const struct transport_msg *m)
{
	const struct serve_place *p = c->place;
	uint8_t wire[IBSIMWIRE_MSG];
	uint16_t to = sim_port_info(c->s->sim, p->node, p->port)->lid;

	ibsimwire_msg_encode(
		m, m->mad[SERVE_AT_CLASS] == MAD_SUBN_DR ? 0xffff : to, wire);
	serve_data_queue(c, wire);
}

/*
 * Give an answer to the client that asked, if it is still connected and waits.
 */
static bool
arrived_answer(struct serve_place *p, const struct transport_msg *m)
{
	struct serve *s = p->s;
	uint64_t tid = be_get64(m->mad + SERVE_AT_TID);
	uint64_t ix = tid >> 48;
	bool current = s->now_valid && s->now_tid == tid;
	bool waited = serve_wait_done(s, tid);

	if (ix >= SERVE_CLIENTS || !s->client[ix].used ||
		s->client[ix].place != p)
		return false;
	/* like the kernel, which drops answers that no agent waits for any more
	 */
	if (!s->o.sim.ibsim && !waited && (!current || s->answered)) {
		s->late++;
		return true;
	}
	s->answered |= current;
	queue_msg(&s->client[ix], m);
	return true;
}

bool
serve_data_arrival(struct serve_place *p, const struct transport_msg *m)
{
	struct serve *s = p->s;
	struct serve_client *c;

	if (m->mad[SERVE_AT_METHOD] & RESPONSE)
		return arrived_answer(p, m);
	c = serve_client_sm(s, p);
	if (!c)
		return false;
	if (s->now_valid && s->now_tid == be_get64(m->mad + SERVE_AT_TID))
		s->forwarded = true;
	queue_msg(c, m);
	return true;
}

/* A request has had its immediate effects: wait for its answer, or fail it. */
static void
track_request(struct serve_client *c, uint64_t tid, uint8_t *wire, bool smp)
{
	struct serve *s = c->s;
	bool late = s->o.sim.hop.ns || s->o.sim.service.ns;

	if (s->answered)
		return;
	if (!s->o.sim.ibsim || late) {
		serve_wait_add(s, tid, (int)(c - s->client), !smp, wire);
	} else if (!s->forwarded) {
		s->returned++;
		ibsimwire_msg_fail(wire, ETIMEDOUT);
		serve_data_queue(c, wire);
	}
}

static void
take_request(struct serve_client *c, uint8_t *wire, size_t n, struct mono now)
{
	struct serve *s = c->s;
	struct transport_msg m;
	bool asks;

	if (ibsimwire_msg_decode(wire, n, &m) ||
		(s->o.sim.ibsim && !ibsim_takes(m.mad))) {
		c->garbage++;
		return;
	}
	c->received++;
	asks = expects_answer(m.mad);
	if (asks) {
		be_put16(m.mad + SERVE_AT_TID, (uint16_t)(c - s->client));
		memcpy(wire + n - MAD_SIZE, m.mad, SERVE_AT_TID + 8);
	}
	s->now_tid = be_get64(m.mad + SERVE_AT_TID);
	s->now_valid = asks;
	s->answered = s->forwarded = false;
	sim_send(c->place->e, &m);
	sim_run_until(s->sim, now);
	if (asks)
		track_request(c, s->now_tid, wire, is_smp(m.mad));
	s->now_valid = false;
}

static void
read_batch(struct serve_client *c, struct mono now)
{
	/* one byte more, to tell too long a message from one that fits */
	uint8_t wire[SERVE_BATCH][IBSIMWIRE_MSG + 8];
	struct mmsghdr v[SERVE_BATCH];
	struct iovec iov[SERVE_BATCH];
	int n;

	memset(v, 0, sizeof(v));
	for (unsigned i = 0; i < SERVE_BATCH; i++) {
		/* cppcheck-suppress legacyUninitvar ; only its address is taken
		 */
		iov[i] = (struct iovec){wire[i], sizeof(wire[i])};
		v[i].msg_hdr.msg_iov = &iov[i];
		v[i].msg_hdr.msg_iovlen = 1;
	}
	n = recvmmsg(c->fd, v, SERVE_BATCH, MSG_DONTWAIT, NULL);
	if (n < 0 && errno != EAGAIN && errno != EINTR && errno != ECONNRESET)
		serve_client_drop(c);
	for (int i = 0; i < n && c->used; i++)
		take_request(c, wire[i], v[i].msg_len, now);
}

void
serve_data_readable(void *cookie, unsigned events, struct mono now)
{
	struct serve_client *c = cookie;
	struct serve *s = c->s;
	struct mono t;

	(void)now;
	if (events & LOOP_READ && c->used) {
		t = serve_now(s);
		sim_run_until(s->sim, t);
		read_batch(c, t);
	}
	serve_settle(s);
}
