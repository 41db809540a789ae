#include <stdio.h>

#include "distribution/plan/plan.h"
#include "sm/mad/mad.h"

const char *
plan_kind_name(enum plan_kind k)
{
	static const char *const name[] = {
		[PLAN_KEYS] = "add P_Keys",
		[PLAN_PARAMS] = "parameters",
		[PLAN_QUENCH] = "discard first",
		[PLAN_TOP] = "raise top first",
		[PLAN_LFT] = "tables",
		[PLAN_ARBS] = "VL arbitration",
		[PLAN_SLVL] = "SL2VL",
		[PLAN_LEARN] = "read SL2VL",
		[PLAN_BLOCK] = "block",
		[PLAN_DOWN] = "ports down",
		[PLAN_SETTLE] = "wait for Init",
		[PLAN_CLEAR] = "clear changes",
		[PLAN_VERIFY] = "verify ports",
		[PLAN_PREPARE] = "port parameters",
		[PLAN_ARM] = "arm",
		[PLAN_ACTIVATE] = "activate",
		[PLAN_UNBLOCK] = "unblock",
		[PLAN_RAISE] = "raise top",
		[PLAN_TABLES] = "alias GUIDs",
		[PLAN_LOWER] = "lower top",
		[PLAN_UNKEY] = "remove P_Keys",
		[PLAN_GUARD] = "enforce partitions",
		[PLAN_ADAPTIVE_OFF] = "adaptive routing off",
		[PLAN_ADAPTIVE_SHRINK] = "adaptive groups lose ports",
		[PLAN_ADAPTIVE_FILL] = "new adaptive groups",
		[PLAN_ADAPTIVE_TOP] = "adaptive settings",
		[PLAN_ADAPTIVE_MOVE] = "adaptive entries",
		[PLAN_ADAPTIVE_GROW] = "adaptive groups gain ports",
		[PLAN_ADAPTIVE_READ] = "read adaptive routing",
		[PLAN_ADAPTIVE_ON] = "adaptive routing on",
		[PLAN_MCAST_TOP] = "multicast tops",
		[PLAN_MCAST_BREAK] = "break multicast trees",
		[PLAN_MCAST_MAKE] = "multicast trees",
	};

	return k < PLAN_KINDS ? name[k] : "?";
}

bool
plan_reads(const struct plan_step *s)
{
	return s->kind == PLAN_LEARN || s->kind == PLAN_SETTLE ||
	       s->kind == PLAN_VERIFY || s->kind == PLAN_ADAPTIVE_READ;
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

static void
sl2vl_text(const struct plan_step *s, unsigned port, const char *name,
	char *out, size_t n)
{
	const char *verb = plan_reads(s) ? "Get" : "Set";
	char in[8] = "all", to[8] = "all";

	if ((s->block & PLAN_ALL_IN) == 0)
		(void)snprintf(in, sizeof(in), "%u", s->block & 0xff);
	if ((s->block & PLAN_ALL_OUT) == 0)
		(void)snprintf(to, sizeof(to), "%u", port);
	(void)snprintf(out, n, "%s(SL2VL %s to %s) on %s", verb, in, to, name);
}

void
plan_step_text(
	const struct plan *p, const struct plan_step *s, char *out, size_t n)
{
	const struct topo *t = p->topo;
	const char *verb = plan_reads(s) ? "Get" : "Set";
	char name[80];

	node_name(t, t->port[s->port].node, name, sizeof(name));
	if (s->attr == DEVICE_LFT)
		(void)snprintf(
			out, n, "Set(LFT block %u) on %s", s->block, name);
	else if (s->attr == DEVICE_SL2VL)
		sl2vl_text(s, t->port[s->port].num, name, out, n);
	else
		(void)snprintf(out, n, "%s(%s) on %s port %u", verb,
			mad_attr_name(device_attribute[s->attr].attr), name,
			t->port[s->port].num);
}
