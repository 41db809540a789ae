#include <stdio.h>

#include "distribution/plan.h"
#include "sm/mad/mad.h"

const char *
plan_kind_name(enum plan_kind k)
{
	static const char *const name[] = {
		[PLAN_PARAMS] = "parameters",
		[PLAN_TOP] = "top first",
		[PLAN_LFT] = "tables",
		[PLAN_LANES] = "lanes",
		[PLAN_LEARN] = "read lanes",
		[PLAN_BLOCK] = "block",
		[PLAN_DOWN] = "ports down",
		[PLAN_SETTLE] = "wait for Init",
		[PLAN_CLEAR] = "clear changes",
		[PLAN_VERIFY] = "verify ports",
		[PLAN_ARM] = "arm",
		[PLAN_ACTIVATE] = "activate",
		[PLAN_UNBLOCK] = "unblock",
		[PLAN_RAISE] = "raise top",
		[PLAN_LOWER] = "lower top",
	};

	return k < PLAN_KINDS ? name[k] : "?";
}

bool
plan_reads(const struct plan_step *s)
{
	return s->kind == PLAN_LEARN || s->kind == PLAN_SETTLE ||
	       s->kind == PLAN_VERIFY;
}

static void
node_name(const struct topo *t, node_ix node, char *out, size_t n)
{
	const char *name = topo_desc(t, node);

	if (*name != '\0')
		(void)snprintf(out, n, "%s", name);
	else
		(void)snprintf(out, n, "0x%016llx",
			(unsigned long long)t->node[node].guid);
}

void
plan_step_text(
	const struct plan *p, const struct plan_step *s, char *out, size_t n)
{
	const struct topo *t = p->routes->topo;
	const char *verb = plan_reads(s) ? "Get" : "Set";
	char name[80];

	node_name(t, t->port[s->port].node, name, sizeof(name));
	if (s->attr == MAD_LFT)
		(void)snprintf(out, n, "Set(LFT block %u) on %s", s->mod, name);
	else if (s->attr == MAD_SL2VL)
		(void)snprintf(out, n, "%s(SL2VL %u to %u) on %s", verb,
			s->mod >> 8 & 0xff, s->mod & 0xff, name);
	else
		(void)snprintf(out, n, "%s(%s) on %s port %u", verb,
			mad_attr_name(s->attr), name, t->port[s->port].num);
}

static void
turn_text(const struct plan *p, const struct safe_turn *u, struct buf *out)
{
	const struct topo *t = p->routes->topo;
	char name[80];

	node_name(t, t->sw[u->sw].node, name, sizeof(name));
	if (u->by_port)
		buf_printf(out, "down: %s port %u, %llu pairs lose packets\n",
			name, u->in, (unsigned long long)u->pairs);
	else
		buf_printf(out,
			"blocked: %s port %u to %u, %llu pairs lose packets\n",
			name, u->in, u->out, (unsigned long long)u->pairs);
}

void
plan_text(const struct plan *p, struct buf *out)
{
	const struct safe_transition *x = p->change;
	size_t i;

	buf_printf(out, "method=%s way=%s stages=%u entries=%llu blocks=%llu "
			"kept=%llu smps=%zu\n",
		safe_method_name(x->method), safe_way_name(x->way), x->nstages,
		(unsigned long long)x->entries, (unsigned long long)x->blocks,
		(unsigned long long)x->kept, p->nsteps);
	if (x->cause[0] != '\0')
		buf_printf(out, "because: %s\n", x->cause);
	for (i = 0; i < p->nphases; i++) {
		const struct plan_phase *f = &p->phase[i];

		buf_printf(out, "phase %zu: %s", i + 1, plan_kind_name(f->kind));
		if (f->kind == PLAN_LFT && f->fresh)
			buf_printf(out, " of new switches");
		else if (f->kind == PLAN_LFT && x->nstages > 1)
			buf_printf(out, " stage %u", f->stage + 1U);
		buf_printf(out, " smps=%zu%s\n", f->end - f->first,
			f->drain ? " after a drain" : "");
	}
	for (i = 0; i < x->nturns; i++)
		turn_text(p, &x->turn[i], out);
}
