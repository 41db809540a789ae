/* refusal: a switch that refuses Sets of an attribute, although it announces
 * what they ask for. */
#ifndef HEDDLE_TESTS_UNIT_REFUSAL_H
#define HEDDLE_TESTS_UNIT_REFUSAL_H

#include "sm/mad/mad.h"
#include "tests/sim/model/world.h"

struct refusal {
	struct world *w;
	uint32_t node;
	uint16_t attr;
	bool many; /* of SL2VL: only Sets for many port pairs */
	unsigned times;
};

/* A filter of the simulator, with a refusal as its cookie. */
static inline enum sim_verdict
refuse_set(void *cookie, struct sim_msg *m)
{
	struct refusal *x = cookie;
	struct transport_msg answer = m->m;
	struct smp smp;

	if (m->where != SIM_AT_SMA || m->node != x->node ||
		smp_decode(m->m.mad, m->m.len, &smp, NULL) != 0 ||
		smp.attr != x->attr || smp.method != MAD_SET ||
		(x->many && smp.mod >> 16 == 0))
		return SIM_PASS;
	x->times++;
	smp.method = MAD_GET_RESP;
	smp.response = true;
	smp.status = MAD_STATUS_FIELD;
	smp_encode(&smp, answer.mad);
	sim_inject(x->w->ep, &answer, mono_us(10));
	return SIM_DROP;
}

#endif
