#include "tests/sim/replay/entry_show.h"

#include <stdio.h>
#include <string.h>

#include "sm/mad/mad_perf.h"
#include "sm/mad/mad_sa.h"

enum { AT_CLASS = 1, AT_METHOD = 3 };

/* ---- an entry as a line ---- */

static void
show_path(const struct smp *s, struct buf *out)
{
	buf_printf(out, "by path 0");
	for (unsigned i = 1; i <= s->hop_cnt && i < sizeof(s->path); i++)
		buf_printf(out, ",%u", s->path[i]);
}

static void
show_smp(const struct smp *s, struct buf *out)
{
	buf_printf(out, "%s %s", mad_method_name(s->method),
		mad_attr_name(s->attr));
	if (s->mod != 0)
		buf_printf(out, " 0x%x", s->mod);
	if (s->status != 0)
		buf_printf(out, ", status %s", mad_status_name(s->status));
}

/* In an entry of that kind: an answer's has no path. */
static void
show_message(
	const struct transport_msg *m, enum record_kind kind, struct buf *out)
{
	bool of_us = kind == RECORD_SENT;
	struct smp s;
	struct mad_sa sa;

	if (smp_decode(m->mad, m->len, &s, NULL) == 0) {
		show_smp(&s, out);
		if (kind != RECORD_ANSWER || s.mgmt_class != MAD_SUBN_DR)
			buf_printf(out, "%s", of_us ? " " : ", asked ");
		if (s.mgmt_class != MAD_SUBN_DR)
			buf_printf(out, "%s LID %u", of_us ? "to" : "from",
				m->addr.lid);
		else if (kind != RECORD_ANSWER)
			show_path(&s, out);
	} else if (mad_sa_decode(m->mad, m->len, &sa, NULL) == 0) {
		buf_printf(out,
			"subnet administration: %s 0x%x, status 0x%x, %s LID "
			"%u, %zu bytes",
			mad_method_name(sa.method), sa.attr, sa.status,
			of_us ? "to" : "from", m->addr.lid, m->len);
	} else {
		buf_printf(out, "class 0x%02x method 0x%02x %s LID %u",
			m->mad[AT_CLASS], m->mad[AT_METHOD],
			of_us ? "to" : "from", m->addr.lid);
	}
	if (m->error != 0)
		buf_printf(out, ", came back: %s", strerror(m->error));
}

static void
show_input(const struct record_entry *e, struct buf *out)
{
	const struct sm_input *in = &e->is.input.in;
	static const char *const what[SM_INPUTS] = {
		[SM_INPUT_START] = "start",
		[SM_INPUT_RECEIVE] = "received ",
		[SM_INPUT_TICK] = "timer",
		[SM_INPUT_ROUTED] = "routes are computed",
		[SM_INPUT_RECONFIGURE] = "configuration reloaded",
		[SM_INPUT_OWN_LINK] = "the link of our own port ",
		[SM_INPUT_RESWEEP] = "sweep: ",
		[SM_INPUT_REBALANCE] = "rebalance: ",
		[SM_INPUT_DRAIN] = "drain",
		[SM_INPUT_UNDRAIN] = "undrain",
		[SM_INPUT_ACCEPT_NAMES] = "names accepted: ",
		[SM_INPUT_ACCEPT_MISSING] = "missing links accepted",
		[SM_INPUT_HAND_OVER] = "hand-over: ",
		[SM_INPUT_RESIGN] = "the daemon ends, and hands over",
		[SM_INPUT_SAVE] = "the daemon ends",
	};

	buf_printf(out, "%s", what[in->kind]);
	switch (in->kind) {
	case SM_INPUT_RECEIVE:
		show_message(in->is.message, e->kind, out);
		break;
	case SM_INPUT_OWN_LINK:
		buf_printf(out, "%s", in->is.up ? "came up" : "went down");
		break;
	case SM_INPUT_RESWEEP:
	case SM_INPUT_REBALANCE:
	case SM_INPUT_ACCEPT_NAMES:
	case SM_INPUT_HAND_OVER:
		buf_printf(out, "%s", in->is.cause);
		break;
	case SM_INPUT_DRAIN:
		buf_printf(out, " of 0x%016llx port %u by %s",
			(unsigned long long)in->is.drain->guid,
			in->is.drain->port, in->is.drain->by);
		break;
	case SM_INPUT_UNDRAIN:
		buf_printf(out, " of 0x%016llx port %u by %s",
			(unsigned long long)in->is.undrain.guid,
			in->is.undrain.port, in->is.undrain.by);
		break;
	case SM_INPUT_START:
	case SM_INPUT_TICK:
	case SM_INPUT_ROUTED:
	case SM_INPUT_RECONFIGURE:
	case SM_INPUT_ACCEPT_MISSING:
	case SM_INPUT_RESIGN:
	case SM_INPUT_SAVE:
	case SM_INPUTS:
		break;
	}
}

void
entry_show_sent(const struct transport_msg *m, struct buf *out)
{
	buf_printf(out, "sent ");
	show_message(m, RECORD_SENT, out);
}

void
entry_show_line(const struct record_entry *e, struct buf *out)
{
	switch (e->kind) {
	case RECORD_BEGIN:
		buf_printf(out, "a daemon begins on port 0x%016llx",
			(unsigned long long)e->is.begin.port_guid);
		break;
	case RECORD_INPUT:
	case RECORD_ANSWER:
		if (e->known)
			show_input(e, out);
		else
			buf_printf(out, "received an answer");
		break;
	case RECORD_SENT:
		entry_show_sent(&e->is.sent.message, out);
		break;
	case RECORD_ASKED:
		buf_printf(out, "digest of the requests 0x%04x", e->digest);
		break;
	case RECORD_SECONDS:
		buf_printf(out, "the time of day was asked for: %llu",
			(unsigned long long)e->is.seconds);
		break;
	case RECORD_CLOCK:
		buf_printf(out, "the time of day");
		break;
	case RECORD_GAP:
		buf_printf(out, "GAP: entries are missing here");
		break;
	}
}

/* ---- what differs ---- */

static void
show_side(const char *side, const struct record_entry *e, struct buf *out)
{
	buf_printf(out, "\n  %s: ", side);
	if (e != NULL)
		entry_show_line(e, out);
	else
		buf_printf(out, "nothing");
}

void
entry_show_difference(const struct record_entry *was, const uint8_t *is,
	size_t n, struct buf *out)
{
	struct buf copy = {0}; /* reading needs bytes that may be written */
	struct record_entry e;
	bool any = false;

	if (is != NULL) {
		buf_put(&copy, is, n);
		any = record_entry_read(
			      (uint8_t *)copy.text, n, NULL, &e, NULL) == 0;
	}
	show_side("recorded", was, out);
	show_side("replayed", any ? &e : NULL, out);
	buf_free(&copy);
}
