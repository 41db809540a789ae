#include "distribution/device/foreign_adaptive.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "distribution/device/device_request.h"
#include "sm/base/mem.h"
#include "sm/mad/mad_ar.h"
#include "sm/mad/mad_vendor.h"

/* What is asked of a switch, in this order; some of it is passed over. */
enum step {
	GET_GENERAL,
	GET_AR,
	GET_PLFT,
	SET_AR,
	CHECK_AR,
	SET_PLFT,
	CHECK_PLFT,
	STEPS,
};

static const struct {
	uint8_t method;
	uint16_t attr;
	uint32_t mod;
} requests[STEPS] = {
	[GET_GENERAL] = {MAD_GET, MAD_VENDOR_GENERAL, MAD_VENDOR_GENERAL_CAPS},
	[GET_AR] = {MAD_GET, MAD_AR_INFO, 0},
	[GET_PLFT] = {MAD_GET, MAD_AR_PLFT_INFO, 0},
	[SET_AR] = {MAD_SET, MAD_AR_INFO, 0},
	[CHECK_AR] = {MAD_GET, MAD_AR_INFO, 0},
	[SET_PLFT] = {MAD_SET, MAD_AR_PLFT_INFO, 0},
	[CHECK_PLFT] = {MAD_GET, MAD_AR_PLFT_INFO, 0},
};

/* A switch that is asked. */
struct asked {
	sw_ix sw;
	enum step step;
	bool has_ar, has_plft;
	bool told_ar; /* ar_info was read */
	enum adaptive_kind kind;
	unsigned ar, plft;	   /* on by the last answer: enum mad_ar_on */
	unsigned found;		   /* on when it was asked first */
	enum adaptive_state set;   /* how a Set failed, or ADAPTIVE_OFF */
	uint8_t ar_info[MAD_DATA]; /* as read */
	uint8_t plft_info[MAD_DATA];
};

struct foreign_adaptive {
	struct topo *topo;
	struct device_store *hw;
	struct xact *x;
	bool switch_off, keep_groups;
	struct asked *asked;
	uint32_t nasked;
	uint32_t *ready; /* [nasked] ring: whose next step can be sent */
	uint32_t head, nready, inflight;
	uint32_t switched;
	sw_ix first;
	unsigned first_on;
};

static bool
needs_asking(const struct foreign_adaptive_job *job, const struct topo_node *n)
{
	struct adaptive_seen seen = adaptive_seen_of(job->hw, n->guid);

	if ((n->flags & TN_QUARANTINED) != 0 ||
		!mad_vendor_has_general(n->vendor, n->device))
		return false;
	if (seen.state == ADAPTIVE_UNREAD ||
		(seen.state == ADAPTIVE_LEFT && job->switch_off))
		return true;
	if (seen.kind == ADAPTIVE_REV1 &&
		device_bytes(job->hw,
			device_at_switch(n->guid, DEVICE_AR_INFO)) == NULL)
		return true;
	return adaptive_is_on(seen) && map_get(job->suspects, n->guid, NULL);
}

struct foreign_adaptive *
foreign_adaptive_new(struct topo *t, const struct foreign_adaptive_job *job)
{
	struct foreign_adaptive *f = mem_zalloc(1, sizeof(*f));
	uint32_t n = 0;

	f->topo = topo_ref(t);
	f->hw = job->hw;
	f->x = job->x;
	f->switch_off = job->switch_off;
	f->keep_groups = job->keep_groups;
	for (sw_ix s = 0; s < t->nsw; s++)
		n += needs_asking(job, &t->node[t->sw[s].node]);
	f->asked = mem_zalloc(n, sizeof(*f->asked));
	f->ready = mem_zalloc(n, sizeof(*f->ready));
	for (sw_ix s = 0; s < t->nsw; s++)
		if (needs_asking(job, &t->node[t->sw[s].node])) {
			f->asked[f->nasked] =
				(struct asked){.sw = s, .set = ADAPTIVE_OFF};
			f->ready[f->nready++] = f->nasked++;
		}
	return f;
}

void
foreign_adaptive_free(struct foreign_adaptive *f)
{
	if (f == NULL)
		return;
	assert(f->inflight == 0);
	topo_unref(f->topo);
	free(f->asked);
	free(f->ready);
	free(f);
}

bool
foreign_adaptive_done(const struct foreign_adaptive *f)
{
	return f->nready == 0 && f->inflight == 0;
}

uint32_t
foreign_adaptive_switched(
	const struct foreign_adaptive *f, sw_ix *first, unsigned *on)
{
	*first = f->first;
	*on = f->first_on;
	return f->switched;
}

/* The switch is asked nothing more. */
static void
end_asking(struct foreign_adaptive *f, struct asked *a, enum adaptive_state s)
{
	unsigned on = a->ar | a->plft;
	uint64_t guid = f->topo->node[f->topo->sw[a->sw].node].guid;

	if (s == ADAPTIVE_OFF && a->found != 0 && f->switched++ == 0) {
		f->first = a->sw;
		f->first_on = a->found;
	}
	/* it lost its memory, and with it what it did not take */
	if (adaptive_seen_of(f->hw, guid).state == ADAPTIVE_UNREAD)
		device_forget_tables(f->hw, guid, DEVICE_AR_INFO);
	adaptive_seen_put(f->hw, guid, (struct adaptive_seen){s, on, a->kind});
	if (s == ADAPTIVE_OFF && a->told_ar)
		device_put(f->hw, device_at_switch(guid, DEVICE_AR_INFO),
			a->ar_info);
}

static void
ask_next(struct foreign_adaptive *f, struct asked *a, enum step step)
{
	uint32_t at = (f->head + f->nready++) % f->nasked;

	a->step = step;
	f->ready[at] = (uint32_t)(a - f->asked);
}

/* Whether groups alone are on, and may be ours. */
static bool
keeps_groups(const struct foreign_adaptive *f, const struct asked *a)
{
	uint64_t guid = f->topo->node[f->topo->sw[a->sw].node].guid;

	return f->keep_groups && a->kind == ADAPTIVE_REV1 &&
	       a->found == MAD_AR_ON_GROUPS &&
	       !adaptive_is_on(adaptive_seen_of(f->hw, guid)) &&
	       !device_marked(f->hw, device_at_switch(guid, DEVICE_AR_INFO),
		       DEVICE_REFUSES);
}

/* They stay on until the plan has compared them. */
static void
leave_groups_on(struct foreign_adaptive *f, struct asked *a)
{
	uint64_t guid = f->topo->node[f->topo->sw[a->sw].node].guid;

	a->found = a->ar = 0;
	end_asking(f, a, ADAPTIVE_OFF);
	device_mark(
		f->hw, device_at_switch(guid, DEVICE_AR_INFO), DEVICE_FOUND);
}

/* All that is on has been read: switch it off, or be done. */
static void
leave_reading(struct foreign_adaptive *f, struct asked *a)
{
	a->found = a->ar | a->plft;
	if (a->found == 0)
		end_asking(f, a, ADAPTIVE_OFF);
	else if (keeps_groups(f, a))
		leave_groups_on(f, a);
	else if (!f->switch_off)
		end_asking(f, a, ADAPTIVE_LEFT);
	else
		ask_next(f, a, a->ar != 0 ? SET_AR : SET_PLFT);
}

/* All that was on has been written and read again. */
static void
leave_writing(struct foreign_adaptive *f, struct asked *a)
{
	if ((a->ar | a->plft) == 0)
		end_asking(f, a, ADAPTIVE_OFF);
	else
		end_asking(
			f, a, a->set != ADAPTIVE_OFF ? a->set : ADAPTIVE_KEPT);
}

static void
got_general(struct foreign_adaptive *f, struct asked *a,
	const struct xact_result *res)
{
	struct mad_vendor_general g;

	if (res->outcome != XACT_OK) {
		end_asking(f, a,
			res->outcome == XACT_STATUS ? ADAPTIVE_OFF
						    : ADAPTIVE_UNTOLD);
		return;
	}
	mad_vendor_general_decode(res->data, &g);
	a->has_ar = mad_vendor_has(&g, MAD_VENDOR_CAP_AR) ||
		    mad_vendor_has(&g, MAD_VENDOR_CAP_AR_REV1);
	a->has_plft = mad_vendor_has(&g, MAD_VENDOR_CAP_PLFT);
	if (a->has_ar)
		a->kind = mad_vendor_has(&g, MAD_VENDOR_CAP_AR_REV1)
				  ? ADAPTIVE_REV1
				  : ADAPTIVE_OLDER;
	if (a->has_ar || a->has_plft)
		ask_next(f, a, a->has_ar ? GET_AR : GET_PLFT);
	else
		end_asking(f, a, ADAPTIVE_OFF);
}

/* A Get, the first one or the one after a Set; false: there is no answer. */
static bool
take_info(struct asked *a, const struct xact_result *res)
{
	if (res->outcome != XACT_OK)
		return false;
	if (requests[a->step].attr == MAD_AR_INFO) {
		a->ar = mad_ar_info_on(res->data);
		a->told_ar = true;
		memcpy(a->ar_info, res->data, MAD_DATA);
	} else {
		a->plft = mad_ar_plft_on(res->data);
		memcpy(a->plft_info, res->data, MAD_DATA);
	}
	return true;
}

static void
got_info(struct foreign_adaptive *f, struct asked *a,
	const struct xact_result *res)
{
	if (!take_info(a, res))
		end_asking(f, a, ADAPTIVE_UNTOLD);
	else if (a->step == GET_AR && a->has_plft)
		ask_next(f, a, GET_PLFT);
	else
		leave_reading(f, a);
}

/*
 * The answer to a Set. Whatever it is, the attribute is read next: a Set may
 * take effect and its answer be lost, or be acknowledged and have no effect.
 */
static void
got_set(struct foreign_adaptive *f, struct asked *a,
	const struct xact_result *res)
{
	unsigned on = 0;

	if (res->outcome == XACT_OK)
		on = a->step == SET_AR ? mad_ar_info_on(res->data)
				       : mad_ar_plft_on(res->data);
	if (res->outcome == XACT_STATUS)
		a->set = ADAPTIVE_REFUSED;
	else if (res->outcome == XACT_TIMEOUT)
		a->set = ADAPTIVE_SILENT;
	else if (on != 0)
		a->set = ADAPTIVE_KEPT;
	ask_next(f, a, a->step + 1);
}

static void
got_check(struct foreign_adaptive *f, struct asked *a,
	const struct xact_result *res)
{
	if (!take_info(a, res))
		a->set = ADAPTIVE_SILENT;
	if (a->step == CHECK_AR && a->plft != 0)
		ask_next(f, a, SET_PLFT);
	else
		leave_writing(f, a);
}

static void
answer_done(void *cookie, uint64_t tag, const struct xact_result *res)
{
	struct foreign_adaptive *f = cookie;
	struct asked *a = &f->asked[tag];

	f->inflight--;
	/* it stays unread: the fabric has changed, or the run has ended */
	if (res->outcome == XACT_CANCELLED || res->cut)
		return;
	switch (a->step) {
	case GET_GENERAL:
		got_general(f, a, res);
		break;
	case GET_AR:
	case GET_PLFT:
		got_info(f, a, res);
		break;
	case SET_AR:
	case SET_PLFT:
		got_set(f, a, res);
		break;
	case CHECK_AR:
	case CHECK_PLFT:
		got_check(f, a, res);
		break;
	case STEPS:
		break;
	}
}

static void
send_step(struct foreign_adaptive *f, uint32_t i, struct mono now)
{
	struct asked *a = &f->asked[i];
	struct xact_request q;

	if (device_request(f->topo, f->topo->sw[a->sw].node, &q) != 0)
		return;
	q.method = requests[a->step].method;
	q.attr = requests[a->step].attr;
	q.mod = requests[a->step].mod;
	if (a->step == SET_AR) {
		memcpy(q.data, a->ar_info, MAD_DATA);
		mad_ar_info_off(q.data);
	} else if (a->step == SET_PLFT) {
		memcpy(q.data, a->plft_info, MAD_DATA);
		mad_ar_plft_off(q.data);
	}
	f->inflight++;
	xact_submit(f->x, &q, now, answer_done, f, i);
}

void
foreign_adaptive_feed(struct foreign_adaptive *f, struct mono now)
{
	while (f->nready > 0 && xact_room(f->x)) {
		uint32_t i = f->ready[f->head];

		f->head = (f->head + 1) % f->nasked;
		f->nready--;
		send_step(f, i, now);
	}
}
