#include "sm/core/name_accept.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sm/base/mem.h"
#include "sm/core/sm_priv.h"

void
name_accept_load(struct sm *sm, const struct state_file *s)
{
	struct name_pin *pin;

	if (s->npin == 0)
		return;
	pin = mem_zalloc(s->npin, sizeof(*pin));
	for (size_t i = 0; i < s->npin; i++)
		pin[i] = (struct name_pin){s->pin[i].name, s->pin[i].guid};
	sm->names.pins = name_pins_new(pin, s->npin, s->unnamed, s->nunnamed);
	free(pin);
}

struct state_file_pin *
name_accept_gather(const struct sm *sm, struct state_file *s)
{
	const struct name_pins *p = sm->names.pins;
	struct state_file_pin *pin;

	if (p == NULL)
		return NULL;
	pin = mem_zalloc(p->n, sizeof(*pin));
	for (size_t i = 0; i < p->n; i++)
		pin[i] =
			(struct state_file_pin){p->pin[i].name, p->pin[i].guid};
	s->pin = pin;
	s->npin = p->n;
	s->unnamed = p->unnamed;
	s->nunnamed = p->nunnamed;
	return pin;
}

/* True if these pins are other ones, which take effect and are saved. */
static bool
take_pins(struct sm *sm, struct name_pins *p)
{
	bool other = p != sm->names.pins;

	name_pins_unref(sm->names.pins);
	sm->names.pins = p;
	if (other)
		timer_sooner(&sm->timers, TIMER_SAVE, sm->now);
	return other;
}

void
name_accept_update(struct sm *sm)
{
	if (sm->cfg->fabric.names == CONFIG_NAMES_TRUSTED)
		(void)take_pins(sm, NULL);
	else if (sm->names.pins != NULL || pkeys_by_name(sm->cfg) ||
		 qos_by_name(sm->cfg))
		(void)take_pins(sm, name_pins_update(sm->names.pins, sm->cfg,
					    sm->run.topo));
}

/* ---- what waits ---- */

/* Tells a node that waits for a name from others. */
static uint64_t
wait_key(const struct topo *t, const struct name_wait *w)
{
	uint64_t h = t->node[w->node].guid ^ (w->joins ? 1 : 0);

	for (const char *c = w->name; *c != '\0'; c++)
		h = (h ^ (uint8_t)*c) * UINT64_C(0x100000001b3);
	return h;
}

static void
tell_wait(struct sm *sm, const struct topo *t, const struct name_wait *w,
	struct mono now)
{
	struct event e = {.kind = EVENT_NAME_WAITS};
	struct event_end node;
	char why[192];

	(void)snprintf(why, sizeof(why), "%s \"%.100s\": heddlectl partitions",
		w->joins ? "would join as" : "would leave", w->name);
	topo_event_end_of(t, w->node, 0, &node);
	event_end(&e, "node", &node);
	event_text(&e, "why", why);
	events_tell(sm, &e, now);
}

static void
describe_waits(struct sm *sm, const struct topo *t, const struct name_wait *w,
	size_t n)
{
	sm->stat.names[0] = '\0';
	if (n > 0)
		(void)snprintf(sm->stat.names, sizeof(sm->stat.names),
			"%zu name%s to be accepted, first \"%.64s\" "
			"(0x%016llx) as \"%.64s\": heddlectl partitions "
			"accept",
			n, n == 1 ? "" : "s", topo_desc(t, w->node),
			(unsigned long long)t->node[w->node].guid, w->name);
}

void
name_accept_review(struct sm *sm, struct mono now)
{
	const struct topo *t = sm->view->topo;
	struct name_wait *w = NULL;
	size_t n = sm->names.pins != NULL
			   ? name_pins_waiting(sm->names.pins, t, &w)
			   : 0;
	struct map told = {0};

	for (size_t i = 0; i < n; i++) {
		uint64_t key = wait_key(t, &w[i]);

		if (!map_get(&sm->names.told, key, NULL))
			tell_wait(sm, t, &w[i], now);
		map_put(&told, key, 0);
	}
	map_free(&sm->names.told);
	sm->names.told = told;
	describe_waits(sm, t, w, n);
	free(w);
}

void
name_accept_all(struct sm *sm, struct mono now, const char *cause)
{
	if (sm->names.pins == NULL || sm->view == NULL ||
		!take_pins(sm, name_pins_accept(sm->names.pins, sm->cfg,
				       sm->view->topo)))
		return;
	name_accept_review(sm, now);
	dirty_mark_replan(sm, now, DIRTY_RENAMED, cause);
}

void
name_accept_free(struct sm *sm)
{
	name_pins_unref(sm->names.pins);
	map_free(&sm->names.told);
}
