#include "sm/core/shared_drains.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sm/base/hash.h"
#include "sm/base/mem.h"
#include "sm/core/sm_priv.h"
#include "sm/mad/mad_sm_page.h"

enum {
	WINDOW = 8,	    /* pages asked for at once */
	TEXT_MAX = 1 << 20, /* of the text */
	SKIP = 60,	    /* polls of a master that tells nothing */
};

static uint32_t
hash_text(const void *text, size_t n)
{
	uint64_t h = fnv_more(FNV_START, text, n);

	h ^= h >> 32;
	return (uint32_t)h != 0 ? (uint32_t)h : 1;
}

/* ---- as a master ---- */

static uint64_t
mix_text(uint64_t h, const char *text)
{
	return fnv_more(h, text, strlen(text) + 1);
}

/* What the text says, but for times that only go on. */
static uint64_t
print_drains(const struct sm *sm)
{
	const struct link_watches *w = &sm->health_drains.links;
	uint64_t h = FNV_START;

	for (size_t i = 0; i < sm->maintenance.n; i++) {
		const struct drain *d = &sm->maintenance.list[i];

		h = hash_mix(h, d->guid);
		h = hash_mix(h, (unsigned)d->port << 2 |
					(unsigned)d->forced << 1 |
					(unsigned)d->narrow);
		h = hash_mix(h, (uint64_t)d->until.ns);
		h = mix_text(mix_text(mix_text(h, d->name), d->by), d->reason);
	}
	for (size_t i = 0; i < w->n; i++) {
		const struct link_watch *l = &w->list[i];

		if (l->drained == 0)
			continue; /* not told */
		h = hash_mix(hash_mix(h, l->a.guid), l->a.port);
		h = hash_mix(hash_mix(h, l->state), l->drained);
	}
	return h;
}

static void
print_text(struct sm *sm, struct mono now)
{
	struct shared_drains *s = &sm->shared;
	uint64_t print = print_drains(sm);
	struct state_file told = {0};
	struct state_file_drain *drain;
	struct state_file_watch *watch;

	if (s->text.n > 0 && s->print == print)
		return;
	sm->now = now; /* ages count up to it */
	drain = maintenance_gather(sm, &told);
	watch = health_drain_gather(sm, &told);
	buf_free(&s->text);
	state_file_print(&told, &s->text);
	free(watch);
	free(drain);
	s->hash = hash_text(s->text.text, s->text.n);
	s->print = print;
	s->made = now;
}

void
shared_drains_say(
	struct sm *sm, uint32_t mod, struct mono now, uint8_t d[MAD_DATA])
{
	const struct shared_drains *s = &sm->shared;
	size_t at = (size_t)(mod & MAD_SM_PAGE_NUMBER) * MAD_SM_PAGE_TEXT, n;
	struct mad_sm_page page = {0};

	if ((mod & ~(uint32_t)MAD_SM_PAGE_NUMBER) != MAD_SM_PAGE)
		return;
	if (at == 0)
		print_text(sm, now);
	if (at >= s->text.n)
		return;
	n = s->text.n - at;
	memcpy(page.text, s->text.text + at,
		n < MAD_SM_PAGE_TEXT ? n : MAD_SM_PAGE_TEXT);
	page.hash = s->hash;
	page.size = (uint32_t)s->text.n;
	page.age = (uint32_t)mono_seconds(mono_sub(now, s->made));
	mad_sm_page_encode(&page, d);
}

/* ---- as a standby ---- */

static void
close_reading(struct sm *sm)
{
	sm->shared.reading.open = false;
	sm->shared.reading.round++;
	free(sm->shared.reading.text);
	sm->shared.reading.text = NULL;
}

/* What the master tells is not taken: said once. */
static void
refuse_text(struct sm *sm, uint32_t hash, const char *why)
{
	const struct sm_other *m = &sm->mastership.master.id;

	sm->shared.refused = hash;
	log_warn("standby: what the master 0x%016" PRIx64 " \"%s\" has drained "
		 "is not known here, and would be used after a take-over: %s",
		m->guid, m->name, why);
}

static void
take_drains(struct sm *sm, const struct state_file *told, struct mono now)
{
	maintenance_adopt(sm, told, now);
	health_drain_forget(sm);
	health_drain_load(sm, told);
	health_drain_configure(sm, now);
	sm->shared.taken = true;
	sm->now = now;
	if (sm->view == NULL)
		state_keep_save(sm, false);
	else
		timer_sooner(&sm->timers, TIMER_SAVE, now);
}

static void
take_text(struct sm *sm, struct mono now)
{
	const char *text = (const char *)sm->shared.reading.text;
	uint32_t size = sm->shared.reading.size, hash = sm->shared.reading.hash;
	struct state_file told;
	struct reason why;

	if (hash_text(text, size) != hash)
		return; /* pages of two texts with one hash: asked again */
	if (state_file_parse(text, size, "drains", &told, &why) != 0) {
		refuse_text(sm, hash, why.text);
		return;
	}
	told.away = sm->shared.reading.age;
	if (told.ndrain > DRAINS_MAX) {
		refuse_text(sm, hash, "more drains than there can be");
	} else {
		take_drains(sm, &told, now);
		sm->shared.known = hash;
	}
	state_file_free(&told);
}

/* The first page: true if the others are to be read. */
static bool
take_head(struct sm *sm, const struct mad_sm_page *page)
{
	struct shared_drains *s = &sm->shared;

	s->teller = sm->mastership.master.id.guid;
	if (page->hash == s->known || page->hash == s->refused)
		return false;
	if (page->size == 0 || page->size > TEXT_MAX) {
		refuse_text(sm, page->hash, "its size is out of range");
		return false;
	}
	s->reading.hash = page->hash;
	s->reading.size = page->size;
	s->reading.age = page->age;
	s->reading.text = mem_zalloc(page->size, 1);
	return true;
}

/* False: reading is over, for whatever reason. */
static bool
take_page(struct sm *sm, uint32_t n, const struct xact_result *res)
{
	struct shared_drains *s = &sm->shared;
	size_t at = (size_t)n * MAD_SM_PAGE_TEXT, left;
	struct mad_sm_info from;
	struct mad_sm_page page;

	if (res->outcome != XACT_OK)
		return false;
	mad_sm_info_decode(res->data, &from);
	if (from.guid != sm->mastership.master.id.guid ||
		!peers_key_fits(sm, from.key))
		return false;
	if (!mad_sm_page_decode(res->data, &page)) {
		s->skip = SKIP;
		s->teller = 0;
		return false;
	}
	if (n == 0 && !take_head(sm, &page))
		return false;
	if (page.hash != s->reading.hash || page.size != s->reading.size)
		return false; /* it has changed meanwhile */
	left = s->reading.size - at;
	memcpy(s->reading.text + at, page.text,
		left < MAD_SM_PAGE_TEXT ? left : MAD_SM_PAGE_TEXT);
	return true;
}

static void page_answered(
	void *cookie, uint64_t tag, const struct xact_result *res);

static void
ask_page(struct sm *sm, uint32_t n, struct mono now)
{
	struct sm_peer *p = &sm->mastership.master;
	struct xact_request r;

	peers_request(sm, p, peers_may_see_key(sm, p), now, &r);
	r.mod = MAD_SM_PAGE | n;
	r.once = sm->cfg->smp.timeout;
	sm->shared.reading.inflight++;
	xact_submit(sm->x, &r, now, page_answered, sm,
		(uint64_t)sm->shared.reading.round << 16 | n);
}

static void
ask_pages(struct sm *sm, struct mono now)
{
	const uint32_t pages =
		(sm->shared.reading.size + MAD_SM_PAGE_TEXT - 1) /
		MAD_SM_PAGE_TEXT;

	while (sm->shared.reading.next < pages &&
		sm->shared.reading.inflight < WINDOW)
		ask_page(sm, sm->shared.reading.next++, now);
}

static void
page_answered(void *cookie, uint64_t tag, const struct xact_result *res)
{
	struct sm *sm = cookie;

	if (!sm->shared.reading.open || tag >> 16 != sm->shared.reading.round)
		return; /* given up meanwhile */
	sm->shared.reading.inflight--;
	if (!take_page(sm, (uint32_t)tag & MAD_SM_PAGE_NUMBER, res)) {
		close_reading(sm);
		return;
	}
	ask_pages(sm, res->now);
	if (sm->shared.reading.inflight > 0)
		return;
	take_text(sm, res->now);
	close_reading(sm);
}

void
shared_drains_ask(struct sm *sm, struct mono now)
{
	const struct sm_peer *p = &sm->mastership.master;
	struct shared_drains *s = &sm->shared;

	if (sm->role != SM_STANDING_BY || s->reading.open || !p->id.answers ||
		p->id.state != SMI_MASTER || p->key != SM_KEY_SHARED)
		return;
	if (s->skip > 0) {
		s->skip--;
		return;
	}
	s->reading.open = true;
	s->reading.inflight = 0;
	s->reading.next = 1;
	s->reading.size = 0;
	ask_page(sm, 0, now);
}

bool
shared_drains_is_reading(const struct sm *sm)
{
	return sm->shared.reading.open;
}

int
shared_drains_allow(const struct sm *sm, struct reason *why)
{
	const struct sm_other *m = &sm->mastership.master.id;

	if (sm->role != SM_STANDING_BY || sm->shared.teller == 0)
		return 0;
	return reason_set(why,
		"this is a standby, and has the drains of its master: ask the "
		"master 0x%016" PRIx64 " \"%s\"",
		m->guid, m->name);
}

void
shared_drains_reset(struct sm *sm)
{
	close_reading(sm);
	sm->shared.teller = 0;
	sm->shared.known = sm->shared.refused = 0;
	sm->shared.skip = 0;
}

void
shared_drains_free(struct sm *sm)
{
	close_reading(sm);
	buf_free(&sm->shared.text);
}
