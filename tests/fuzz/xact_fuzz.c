/*
 * xact_fuzz: a hostile wire. The input is a program: submit, answer a MAD that
 * was sent (or nearly so), let time pass, cancel. No request may complete
 * twice, and all must have completed at the end.
 */
#include <stdlib.h>
#include <string.h>

#include "sm/transport/xact.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { SENT = 256, TAGS = 4096 };

struct wire {
	struct transport t;
	struct xact *x;
	struct mono now;
	struct transport_msg sent[SENT]; /* the last MADs sent */
	size_t n;
	uint8_t done[TAGS];
	unsigned tags, completed, cancels;
	bool refuse;
};

static int
wire_send(struct transport *t, const struct transport_msg *m)
{
	struct wire *w = (struct wire *)(void *)t;

	w->sent[w->n++ % SENT] = *m;
	return w->refuse ? -1 : 0;
}

static void
on_done(void *cookie, uint64_t tag, const struct xact_result *res)
{
	struct wire *w = cookie;

	if (tag >= w->tags || w->done[tag]++ != 0)
		abort();
	if ((res->data != NULL) !=
		(res->outcome == XACT_OK || res->outcome == XACT_STATUS))
		abort();
	w->completed++;
	if (w->cancels > 0 && tag % 13 == 0) {
		w->cancels--;
		xact_cancel_all(w->x, w->now);
	}
}

static void
submit_request(struct wire *w, uint8_t arg)
{
	struct xact_request r = {.method = arg & 1 ? MAD_GET : MAD_SET,
		.attr = (uint16_t)(MAD_NODE_DESC + (arg >> 4)),
		.mod = arg >> 5,
		.target = 1 + arg % 5,
		.lid = arg & 2 ? arg : 0,
		.hops = arg & 63};

	if (w->tags < TAGS)
		xact_submit(w->x, &r, w->now, on_done, w, w->tags++);
}

/* Deliver an answer made from a sent message, perhaps with one byte changed. */
static void
deliver_answer(struct wire *w, const uint8_t *arg)
{
	struct transport_msg m;
	struct smp s;

	if (w->n == 0)
		return;
	m = w->sent[(w->n - 1 - arg[0] % (w->n < SENT ? w->n : SENT)) % SENT];
	if (arg[1] & 1) {
		m.mad[3] |= 0x80;
		m.mad[3] &= 0x81;
		m.mad[3] |= 1;
	} else {
		m.error = 110;
	}
	if (m.mad[1] == MAD_SUBN_DR && (arg[1] & 1))
		m.mad[4] |= 0x80;
	if (arg[1] & 6)
		m.mad[arg[2]] = arg[3];
	if (smp_decode(m.mad, m.len, &s, NULL) == 0)
		(void)xact_input(w->x, &m, &s, w->now);
}

static void
pass_time(struct wire *w, unsigned ms)
{
	w->now = mono_add(w->now, mono_ms(ms));
	if (!mono_before(w->now, xact_next(w->x)))
		xact_tick(w->x, w->now);
}

static void
run_step(struct wire *w, const uint8_t *op)
{
	struct xact_options o = {.timeout = mono_ms(1 + op[1] % 32),
		.retries = op[2] % 18,
		.window_start = op[3] % 9,
		.window_max = op[3] % 33,
		.target_max = op[4] % 5};

	switch (op[0] % 8) {
	case 0:
	case 1:
	case 2:
		submit_request(w, op[1]);
		break;
	case 3:
	case 4:
	case 5:
		deliver_answer(w, op + 1);
		break;
	case 6:
		pass_time(w, op[1]);
		break;
	default:
		w->refuse = op[1] & 1;
		if (op[1] & 2)
			xact_configure(w->x, &o);
		if (op[1] & 4)
			w->cancels = 2;
		if (op[1] % 32 == 24)
			xact_cancel_all(w->x, w->now);
		break;
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct xact_options o = {.timeout = mono_ms(20),
		.retries = 2,
		.window_start = 4,
		.window_max = 16,
		.target_max = 3};
	struct wire *w = calloc(1, sizeof(*w));

	if (w == NULL)
		return 0;
	w->t.send = wire_send;
	w->x = xact_new(&o, &w->t);
	w->now = mono_ms(1);
	for (size_t i = 0; i + 5 <= size; i += 5) {
		run_step(w, data + i);
		if (w->completed + xact_pending(w->x) != w->tags)
			abort();
	}
	xact_cancel_all(w->x, w->now);
	while (xact_pending(w->x) > 0)
		xact_cancel_all(w->x, w->now);
	if (w->completed != w->tags || xact_stats(w->x)->inflight != 0 ||
		xact_next(w->x).ns != INT64_MAX)
		abort();
	xact_free(w->x);
	free(w);
	return 0;
}
