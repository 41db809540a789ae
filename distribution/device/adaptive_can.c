#include "distribution/device/adaptive_can.h"

#include <stdio.h>
#include <string.h>

#include "distribution/device/adaptive_seen.h"
#include "sm/mad/mad_vendor.h"

/* Why a switch that answered may not, or NULL. */
static const char *
find_reason(const struct device_store *h, const struct topo_node *n,
	struct adaptive_seen seen, const struct adaptive_can *can)
{
	if (seen.state == ADAPTIVE_UNREAD)
		return mad_vendor_has_general(n->vendor, n->device)
			       ? "was not asked for adaptive routing yet"
			       : "has no adaptive routing that is known here";
	if (seen.kind == ADAPTIVE_NONE)
		return "has no adaptive routing";
	if (seen.kind == ADAPTIVE_OLDER)
		return "has adaptive routing of an older kind";
	if (device_marked(h, device_at_switch(n->guid, DEVICE_AR_INFO),
		    DEVICE_REFUSES))
		return "did not take, or did not keep, its adaptive groups";
	if (can->info == NULL)
		return "does not say what adaptive routing it has";
	if (can->choice.groups == 0)
		return "has no room for adaptive groups";
	return NULL;
}

void
adaptive_can_of(const struct device_store *h, const struct topo *t, sw_ix s,
	bool by_sl, struct adaptive_can *out)
{
	const struct topo_node *n = &t->node[t->sw[s].node];
	struct adaptive_seen seen = adaptive_seen_of(h, n->guid);
	const char *why;
	struct device_at at = device_at_switch(n->guid, DEVICE_AR_INFO);
	struct mad_ar_info a;

	*out = (struct adaptive_can){.choice = {.kind = ROUTE_FIXED}};
	out->info = device_bytes(h, at);
	if (out->info != NULL) {
		(void)mad_ar_info_decode(out->info, &a, NULL);
		out->choice.groups = a.group_cap;
		out->sub_groups = a.sub_groups_sup;
		out->is_on = a.enabled;
		out->is_found = a.enabled && device_marked(h, at, DEVICE_FOUND);
		out->stays_on = device_marked(h, at, DEVICE_STAYS_ON);
		out->by_sl = a.by_sl_cap;
	}
	if (adaptive_is_on(seen)) {
		adaptive_seen_text(seen, out->why, sizeof(out->why));
		return;
	}
	why = find_reason(h, n, seen, out);
	if (why == NULL && by_sl && !out->by_sl)
		why = "cannot tell service levels apart";
	if (why != NULL)
		(void)snprintf(out->why, sizeof(out->why), "%s", why);
	else
		out->choice.kind = ROUTE_COMMITS;
}

/* Whether a switch that is not asked any more chooses, as far as is known: it
 * may where it was never asked, or not since a Set of its table. */
static bool
may_choose(const struct device_store *h, const struct topo *t, sw_ix s)
{
	const struct topo_node *n = &t->node[t->sw[s].node];
	struct adaptive_seen seen = adaptive_seen_of(h, n->guid);
	struct adaptive_can can;

	adaptive_can_of(h, t, s, false, &can);
	if (can.is_on || adaptive_is_on(seen))
		return true;
	return mad_vendor_has_general(n->vendor, n->device) &&
	       (seen.state == ADAPTIVE_UNREAD ||
		       (seen.kind == ADAPTIVE_REV1 && can.info == NULL));
}

bool
adaptive_can_unwritten(const struct device_store *h, const struct topo *t)
{
	for (sw_ix s = 0; s < t->nsw; s++)
		if ((t->node[t->sw[s].node].flags & TN_QUARANTINED) != 0 &&
			may_choose(h, t, s))
			return true;
	return false;
}

void
adaptive_can_not(struct device_store *h, uint64_t guid)
{
	device_mark(h, device_at_switch(guid, DEVICE_AR_INFO), DEVICE_REFUSES);
}
