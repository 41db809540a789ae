#include <string.h>

#include "sm/base/be.h"
#include "tests/sim/model/sim_int.h"

enum { AT_STATUS = 4, STATUS_BITS = 0x7fff };

void
sim_trace(struct sim *s, void (*trace)(void *, const struct sim_set *),
	void *cookie)
{
	s->trace = trace;
	s->trace_cookie = cookie;
}

bool
sim_trace_act(struct sim *s, struct sim_msg *q)
{
	struct sim_set t = {.now = s->now, .node = q->node, .port = q->port};
	struct smp req;

	if (!s->trace || smp_decode(q->m.mad, q->m.len, &req, NULL) ||
		req.method != MAD_SET || !sim_int_alive(&s->node[q->node]))
		return sim_smp_act(s, q);
	t.attr = req.attr;
	t.mod = req.mod;
	t.mkey = req.mkey;
	memcpy(t.data, req.data, MAD_DATA);
	/* what a Get would show now; Notice and SMInfo are not read */
	if (t.attr != MAD_NOTICE && t.attr != MAD_SM_INFO)
		t.has_before = sim_read(s, t.node, t.port, t.attr, t.mod,
				       t.before) == 0;
	t.answered = sim_smp_act(s, q);
	if (t.answered)
		t.status = be_get16(q->m.mad + AT_STATUS) & STATUS_BITS;
	s->trace(s->trace_cookie, &t);
	return t.answered;
}
