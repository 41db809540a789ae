#include "sm/what_if/choices.h"

#include <stdio.h>
#include <stdlib.h>

#include "config/qos_options.h"
#include "sm/base/mem.h"
#include "sm/mad/mad_vendor.h"
#include "sm/what_if/snapshot_read.h"

/* What the daemon knows of a switch, or NULL. */
static const struct snapshot_choice *
find_told(const struct snapshot *given, uint64_t guid)
{
	node_ix n = given != NULL && given->choice != NULL
			    ? topo_by_node_guid(given->topo, guid)
			    : TOPO_NONE;

	return n == TOPO_NONE || given->topo->node[n].sw == TOPO_NONE
		       ? NULL
		       : &given->choice[given->topo->node[n].sw];
}

/* Why switch s cannot choose, or NULL; *can is what it can, *told whether that
 * is known. */
static const char *
find_choice(const struct config *c, const struct snapshot *given,
	const struct topo_node *n, struct route_choice *can, bool *told)
{
	const struct snapshot_choice *is = find_told(given, n->guid);

	*told = is != NULL;
	if (is != NULL) {
		*can = is->can;
		return is->can.kind == ROUTE_FIXED ? is->why
		       : !is->by_sl && qos_tells_adaptive(c)
			       ? "cannot tell service levels apart"
			       : NULL;
	}
	*can = (struct route_choice){ROUTE_COMMITS, CHOICES_GROUPS};
	return n->vendor == 0 || mad_vendor_has_general(n->vendor, n->device)
		       ? NULL
		       : "has no adaptive routing that is known here";
}

const struct route_adaptive *
choices_find(const struct config *c, const struct snapshot *given,
	const struct topo *t, struct choices *out)
{
	*out = (struct choices){0};
	if (!c->routing.adaptive.enabled)
		return NULL;
	out->can = mem_zalloc(t->nsw, sizeof(*out->can));
	for (sw_ix s = 0; s < t->nsw; s++) {
		const struct topo_node *n = &t->node[t->sw[s].node];
		bool told;
		const char *why = find_choice(c, given, n, &out->can[s], &told);

		if (why == NULL) {
			if (schema_devices_have(&c->routing.adaptive.escapes,
				    n->vendor, n->device))
				out->can[s].kind = ROUTE_ESCAPES;
			out->assumed += !told;
			continue;
		}
		out->can[s] = (struct route_choice){.kind = ROUTE_FIXED};
		if (out->cannot++ == 0)
			(void)snprintf(out->first, sizeof(out->first), "%s %s",
				topo_name(t, t->sw[s].node).s, why);
	}
	out->use = (struct route_adaptive){.can = out->can,
		.default_first =
			c->routing.adaptive.prefer == CONFIG_PREFER_DEFAULT};
	return &out->use;
}

void
choices_free(struct choices *c)
{
	free(c->can);
	*c = (struct choices){0};
}
