/* Steps and phases of a plan, one after the other. */
#include <string.h>

#include "distribution/plan/plan_priv.h"
#include "sm/base/mem.h"

void
plan_add_step(struct plan_maker *m, port_ix port, enum device_attr attr,
	uint32_t block, uint32_t payload)
{
	struct plan *p = m->p;

	p->step = mem_grow(p->step, p->nsteps, &m->capsteps, sizeof(*p->step));
	p->step[p->nsteps++] = (struct plan_step){
		.port = port,
		.attr = (uint8_t)attr,
		.kind = (uint8_t)m->now->kind,
		.block = block,
		.payload = payload,
	};
}

uint8_t *
plan_add_payload(struct plan_maker *m, uint32_t *ix)
{
	struct plan *p = m->p;

	p->payload = mem_grow(
		p->payload, p->npayload, &m->cappayload, sizeof(*p->payload));
	*ix = (uint32_t)p->npayload++;
	memset(p->payload[*ix], 0, sizeof(*p->payload));
	return p->payload[*ix];
}

void
plan_note_kept(struct plan_maker *m, port_ix port, enum plan_keeps what)
{
	struct plan *p = m->p;

	p->kept = mem_grow(p->kept, p->nkept, &m->capkept, sizeof(*p->kept));
	p->kept[p->nkept++] = (struct plan_kept){.port = port, .what = what};
}

void
plan_begin(struct plan_maker *m, enum plan_kind kind)
{
	struct plan *p = m->p;

	p->phase = mem_grow(
		p->phase, p->nphases, &m->capphases, sizeof(*p->phase));
	m->now = &p->phase[p->nphases++];
	*m->now = (struct plan_phase){.kind = kind, .first = p->nsteps};
}

bool
plan_end(struct plan_maker *m)
{
	struct plan *p = m->p;

	m->now->end = p->nsteps;
	if (m->now->end > m->now->first) {
		m->now->drain |= m->drain;
		m->drain = false;
		return true;
	}
	p->nphases--;
	return false;
}
