#include "sm/core/run_adaptive.h"

#include <stdio.h>
#include <string.h>

#include "sm/base/hash.h"
#include "sm/base/mem.h"
#include "sm/core/sm_priv.h"
#include "sm/mad/mad_ar.h"

static struct adaptive_seen
seen_of(const struct sm *sm, const struct topo *t, sw_ix s)
{
	return adaptive_seen_of(sm->hw, t->node[t->sw[s].node].guid);
}

/* How many switches, and as many of them as there is room for. */
void
run_adaptive_name(struct sm *sm, const struct topo *t)
{
	char *out = sm->stat.adaptive, why[160];
	size_t size = sizeof(sm->stat.adaptive), n = 0;
	unsigned all = 0, named = 0;

	for (sw_ix s = 0; s < t->nsw; s++)
		all += adaptive_is_on(seen_of(sm, t, s));
	if (all > 0)
		n = (size_t)snprintf(out, size,
			"%u switch%s may not forward by the verified routes: ",
			all, all == 1 ? "" : "es");
	else
		out[0] = '\0';
	for (sw_ix s = 0; s < t->nsw && n + 280 < size; s++) {
		const struct topo_node *node = &t->node[t->sw[s].node];

		if (!adaptive_is_on(seen_of(sm, t, s)))
			continue;
		adaptive_seen_text(seen_of(sm, t, s), why, sizeof(why));
		n += (size_t)snprintf(out + n, size - n,
			"%s0x%016llx \"%s\" %s", named++ > 0 ? "; " : "",
			(unsigned long long)node->guid,
			topo_desc(t, t->sw[s].node), why);
	}
	if (named < all)
		(void)snprintf(out + n, size - n, "; and %u more", all - named);
}

static void
start_reading(struct sm *sm)
{
	const struct foreign_adaptive_job job = {
		.hw = sm->hw,
		.x = sm->x,
		.suspects = &sm->run.probed,
		.switch_off = sm->cfg->routing.foreign_adaptive ==
				      CONFIG_ADAPTIVE_OFF ||
			      sm->cfg->routing.adaptive.enabled,
		.keep_groups = sm->cfg->routing.adaptive.enabled,
	};

	sm->run.adaptive = foreign_adaptive_new(sm->run.topo, &job);
}

/* It is off on n switches where it was found on. */
static void
note_switched_off(struct sm *sm, uint32_t n, sw_ix first, unsigned was_on)
{
	const struct topo *t = sm->run.topo;
	char what[160];

	adaptive_on_text(was_on, what, sizeof(what));
	log_warn("adaptive: switched off on switches=%u first guid=0x%016llx "
		 "\"%s\" was_on=\"%s\"",
		n, (unsigned long long)t->node[t->sw[first].node].guid,
		topo_desc(t, t->sw[first].node), what);
	sm->stat.adaptive_off += n;
}

static void
finish_reading(struct sm *sm, struct mono now)
{
	char was[sizeof(sm->stat.adaptive)];
	unsigned on;
	uint32_t n;
	sw_ix first;

	n = foreign_adaptive_switched(sm->run.adaptive, &first, &on);
	foreign_adaptive_free(sm->run.adaptive);
	sm->run.adaptive = NULL;
	if (n > 0) {
		note_switched_off(sm, n, first, on);
		sm->in_flight.adaptive_off_at = now;
	}
	memcpy(was, sm->stat.adaptive, sizeof(was));
	run_adaptive_name(sm, sm->run.topo);
	if (log_is_news(was, sizeof(was), sm->stat.adaptive))
		log_error("adaptive: %s", sm->stat.adaptive);
}

/* Go on with the groups that were found; true when they are read. */
static bool
read_groups(struct sm *sm, struct mono now)
{
	uint32_t n = adaptive_read_switches(sm->run.groups_read);

	adaptive_read_feed(sm->run.groups_read, now);
	if (!adaptive_read_done(sm->run.groups_read))
		return false;
	adaptive_read_free(sm->run.groups_read);
	sm->run.groups_read = NULL;
	if (n > 0)
		log_info(
			"adaptive: groups that were found are read switches=%u",
			n);
	return true;
}

bool
run_adaptive_read(struct sm *sm, struct mono now)
{
	if (sm->run.groups_read != NULL)
		return read_groups(sm, now);
	if (sm->run.adaptive == NULL)
		start_reading(sm);
	foreign_adaptive_feed(sm->run.adaptive, now);
	if (!foreign_adaptive_done(sm->run.adaptive))
		return false;
	finish_reading(sm, now);
	sm->run.groups_read = adaptive_read_new(sm->run.topo, sm->hw, sm->x);
	return read_groups(sm, now);
}

/*
 * Whether the plan has decided what was found on a switch, of which the ARInfo
 * is at `at`: it switched it off (*off), or a whole plan found nothing to
 * write.
 */
static bool
is_decided(const struct sm *sm, struct device_at at, bool *off)
{
	const uint8_t *is;

	if (!device_marked(sm->hw, at, DEVICE_FOUND))
		return false;
	is = device_bytes(sm->hw, at);
	*off = is != NULL && mad_ar_info_on(is) == 0;
	return is != NULL && (*off || push_complete(sm->run.push));
}

void
run_adaptive_decided(struct sm *sm)
{
	const struct topo *t = sm->run.topo;
	uint32_t n = 0;
	sw_ix first = 0;
	bool off;

	for (sw_ix s = 0; s < t->nsw; s++) {
		const struct device_at at = device_at_switch(
			t->node[t->sw[s].node].guid, DEVICE_AR_INFO);

		if (!topo_sw_live(t, s) || !is_decided(sm, at, &off))
			continue;
		device_unmark(sm->hw, at, DEVICE_FOUND);
		if (off && n++ == 0)
			first = s;
	}
	if (n > 0)
		note_switched_off(sm, n, first, MAD_AR_ON_GROUPS);
}

bool
run_adaptive_drains(const struct sm *sm, struct mono now)
{
	return sm->in_flight.adaptive_off_at.ns != MONO_NEVER.ns &&
	       mono_before(now, mono_add(sm->in_flight.adaptive_off_at,
					in_flight_drain(sm)));
}

/* What is on, and where: the same as long as no switch of t differs. */
static uint64_t
hash_of_seen(const struct sm *sm, const struct topo *t)
{
	uint64_t hash = 0;

	for (sw_ix s = 0; s < t->nsw; s++) {
		struct adaptive_seen seen = seen_of(sm, t, s);

		if (adaptive_is_on(seen))
			hash = hash_mix(hash_mix(hash, seen.state + 1U),
				(uint64_t)s << 32 | seen.on);
	}
	return hash;
}

bool
run_adaptive_changed(const struct sm *sm)
{
	return sm->view == NULL ||
	       sm->view->adaptive_hash != hash_of_seen(sm, sm->view->topo);
}

void
run_adaptive_list(struct sm *sm, struct view *v)
{
	const struct topo *t = v->topo;

	v->adaptive = mem_zalloc(t->nsw, sizeof(*v->adaptive));
	for (sw_ix s = 0; s < t->nsw; s++) {
		struct view_quarantine *a = &v->adaptive[v->nadaptive];

		if (!adaptive_is_on(seen_of(sm, t, s)))
			continue;
		a->node = t->sw[s].node;
		a->guid = t->node[a->node].guid;
		adaptive_seen_text(seen_of(sm, t, s), a->why, sizeof(a->why));
		v->nadaptive++;
	}
	v->adaptive =
		mem_resize(v->adaptive, v->nadaptive, sizeof(*v->adaptive));
	v->adaptive_hash = hash_of_seen(sm, t);
}

void
run_adaptive_retry(struct sm *sm, const struct topo *t)
{
	for (sw_ix s = 0; s < t->nsw; s++) {
		struct adaptive_seen seen = seen_of(sm, t, s);

		if (adaptive_is_on(seen) && seen.state != ADAPTIVE_LEFT)
			retry_port(sm, t, t->node[t->sw[s].node].first_port);
	}
}

void
run_adaptive_stop(struct sm *sm, struct mono now)
{
	if (sm->run.groups_read != NULL) {
		adaptive_read_stop(sm->run.groups_read, now);
		adaptive_read_free(sm->run.groups_read);
		sm->run.groups_read = NULL;
	}
	if (sm->run.adaptive == NULL)
		return;
	xact_cancel(sm->x, sm->run.adaptive, now);
	foreign_adaptive_free(sm->run.adaptive);
	sm->run.adaptive = NULL;
}
