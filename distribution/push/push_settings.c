/*
 * push_settings: what ports hold of what they were sent. A port answers a Set
 * with the PortInfo that it has from then on. Where that lacks something that
 * is needed the Set is repeated, without a change of state: a host that
 * restarted between two Sets, or a device that takes parameters only so, has it
 * then. What a port does not take is recorded in the device store, as sent and
 * as held, and later Sets of this plan send to it what it holds.
 */
#include <string.h>

#include "distribution/push/push_priv.h"
#include "distribution/tables/port_settings.h"
#include "sm/base/mem.h"

enum { RESENDS = 2 };

static const struct device_kept *
kept_by(const struct push *p, const struct plan_step *s)
{
	return device_kept(
		p->job.hw, push_guid(p, s), push_topo(p)->port[s->port].num);
}

static uint32_t
times_resent(const struct push *p, size_t ix)
{
	uint32_t n = 0;

	(void)map_get(&p->rewrites, ix, &n);
	return n;
}

/* In what the port differs from what it was sent, when that was recorded. */
static uint32_t
fields_kept(const struct push *p, const struct plan_step *s,
	const struct device_kept *k)
{
	return port_settings_differ(push_topo(p), s->port, &k->held, &k->want);
}

static bool
changes_state(const struct plan_step *s)
{
	return s->kind == PLAN_ARM || s->kind == PLAN_ACTIVATE;
}

/*
 * A Set that changes the state repeats what the port has; what it was sent and
 * did not take is not sent along.
 */
void
push_settings_load(
	const struct push *p, const struct plan_step *s, uint8_t data[MAD_DATA])
{
	const struct device_kept *k = kept_by(p, s);
	struct mad_port_info i;

	memcpy(data, p->plan->payload[s->payload], MAD_DATA);
	if (changes_state(s) && k != NULL && p->port_keeps[s->port] &&
		mad_port_info_decode(data, &i, NULL) == 0) {
		port_settings_copy(fields_kept(p, s, k), &k->held, &i);
		mad_port_info_encode(&i, data);
	}
	if (times_resent(p, (size_t)(s - p->plan->step)) > 0)
		mad_port_info_put_state(data, PORT_NO_CHANGE);
}

/*
 * What the port was sent. A live port was not sent MTU and VLs that it did not
 * take when it came up: it lacks them still.
 */
static void
add_kept_link(const struct push *p, const struct plan_step *s,
	const struct mad_port_info *is, struct mad_port_info *want)
{
	const struct device_kept *k = kept_by(p, s);
	uint32_t link;

	if (k == NULL || s->kind == PLAN_PREPARE)
		return;
	link = port_settings_link(fields_kept(p, s, k));
	if ((port_settings_differ(push_topo(p), s->port, &k->held, is) &
		    link) == 0)
		port_settings_copy(link, &k->want, want);
}

void
push_settings_note(struct push *p, port_ix port, enum plan_keeps what)
{
	p->kept = mem_grow(p->kept, p->nkept, &p->capkept, sizeof(*p->kept));
	p->kept[p->nkept++] = (struct plan_kept){.port = port, .what = what};
}

/* Record what the port holds of what it was sent. */
static void
record_settings(struct push *p, const struct plan_step *s,
	const struct mad_port_info *is, const struct mad_port_info *want)
{
	struct device_kept k = {.guid = push_guid(p, s),
		.port = push_topo(p)->port[s->port].num,
		.want = *want,
		.held = *is};

	add_kept_link(p, s, is, &k.want);
	p->port_keeps[s->port] = fields_kept(p, s, &k) != 0;
	if (!p->port_keeps[s->port]) {
		device_took(p->job.hw, k.guid, k.port);
		return;
	}
	device_set_kept(p->job.hw, &k);
	push_settings_note(p, s->port, PLAN_KEEPS_SETTINGS);
}

bool
push_settings_resend(struct push *p, size_t ix, struct mono now)
{
	uint32_t times = times_resent(p, ix);

	if (times >= RESENDS)
		return false;
	map_put(&p->rewrites, ix, times + 1);
	push_send(p, ix, now);
	return true;
}

bool
push_settings_taken(
	struct push *p, size_t ix, const uint8_t is[MAD_DATA], struct mono now)
{
	const struct plan_step *s = &p->plan->step[ix];
	struct mad_port_info has, want;
	uint8_t sent[MAD_DATA];
	uint32_t lacks;

	if (s->kind == PLAN_DOWN) /* it has what a port has in Init */
		return true;
	push_settings_load(p, s, sent);
	lacks = device_attribute_lacks(
		s->attr, push_topo(p), s->port, s->block, is, sent);
	if (port_settings_needed(lacks) != 0 &&
		push_settings_resend(p, ix, now))
		return false;
	if (port_settings_addresses(lacks) != 0) {
		push_ack_fail(p, s, PUSH_LIED, "acknowledged another LID");
		return false;
	}
	if ((lacks == 0 && changes_state(s)) ||
		mad_port_info_decode(is, &has, NULL) != 0 ||
		mad_port_info_decode(sent, &want, NULL) != 0)
		return true;
	if (has.mkey == 0) /* a key that is protected is not shown */
		has.mkey = want.mkey;
	record_settings(p, s, &has, &want);
	return true;
}
