/*
 * push_priv: shared by push.c (phases, sending), push_ack.c (answers,
 * recording), push_settings.c (what ports hold of what they were sent),
 * push_tables.c (blocks of tables), push_slvl.c (SL2VL) and push_doubts.c
 * (copies of older Sets), and included by no other file.
 */
#ifndef HEDDLE_DISTRIBUTION_PUSH_PUSH_PRIV_H
#define HEDDLE_DISTRIBUTION_PUSH_PUSH_PRIV_H

#include "distribution/push/push.h"
#include "distribution/push/push_lid_routed.h"
#include "sm/base/map.h"

struct push {
	struct push_job job;
	const struct plan *plan;
	size_t phase;
	size_t next; /* next step to submit */
	bool open;   /* the phase has begun */
	bool broken, stopped;
	bool overwritten;  /* broken by a copy of an older Set */
	bool reading;	   /* blocks in doubt, before a phase */
	bool drain_first;  /* before any phase */
	bool settle_first; /* blocks in doubt, before any phase */
	bool drain_last;   /* after all phases */
	unsigned inflight; /* of this phase */
	struct mono ended; /* when the phase before was over */
	struct mono wake;  /* of a drain or a poll */
	size_t *again;	   /* steps to send once more, at again_at */
	size_t nagain, capagain;
	struct mono settle_by; /* ports must be up again */
	struct map rewrites;   /* step -> how often it was sent again */
	bool *node_failed;     /* [nnodes]: no further steps */
	bool *port_failed;     /* [nports]: not to be made Active */
	struct push_failure *failure;
	size_t nfailures, capfailures;
	bool *port_keeps;	/* [nports]: holds not all that it was sent */
	struct plan_kept *kept; /* of these, found by this push; and switches */
	size_t nkept, capkept;
	uint32_t *sample; /* [nsw]: 1 + an acknowledged block */
	struct push_counts counts;
	struct push_lid_routed *by_lid; /* or NULL: everything is directed */
};

static inline const struct topo *
push_topo(const struct push *p)
{
	return p->plan->topo;
}

/* The switch that a step is for, or TOPO_NONE. */
static inline sw_ix
push_switch(const struct push *p, const struct plan_step *s)
{
	const struct topo *t = push_topo(p);

	return t->node[t->port[s->port].node].sw;
}

static inline uint64_t
push_guid(const struct push *p, const struct plan_step *s)
{
	const struct topo *t = push_topo(p);

	return t->node[t->port[s->port].node].guid;
}

/* The block that a step is for. */
static inline struct device_at
push_at(const struct push *p, const struct plan_step *s)
{
	return (struct device_at){push_guid(p, s), (enum device_attr)s->attr,
		push_topo(p)->port[s->port].num, s->block};
}

/* Why a request has no answer. */
static inline enum push_cause
push_silence(const struct xact_result *res)
{
	return res->cut ? PUSH_CUT : PUSH_SILENT;
}

/* push_ack.c: the answer to a step; tag is its number. */
void push_ack_done(void *cookie, uint64_t tag, const struct xact_result *res);
void push_ack_fail(struct push *p, const struct plan_step *s,
	enum push_cause cause, const char *how);
/* Whether later phases rely on this step. */
bool push_ack_is_needed(const struct push *p, const struct plan_step *s);

/*
 * push_tables.c: blocks of tables. in_place: whether the step's value is in
 * place already.
 */
bool push_tables_in_place(const struct push *p, const struct plan_step *s);
/* Whether its switch has refused what the step belongs to. */
bool push_tables_are_void(const struct push *p, const struct plan_step *s);
/* A Set of a forwarding table leaves: its switch may choose no more from now
 * on, where it is not known to go on. It is read when all are written. */
void push_tables_lose_choice(struct push *p, const struct plan_step *s);
void push_tables_load(
	struct push *p, const struct plan_step *s, uint8_t data[MAD_DATA]);
void push_tables_done(struct push *p, const struct plan_step *s,
	const struct xact_result *res);

/*
 * push_settings.c: the data of a Set(PortInfo); and whether its answer settles
 * it. False: it was sent again, or failed. resend: once more, without a change
 * of a port's state; false: it was often enough.
 */
void push_settings_load(const struct push *p, const struct plan_step *s,
	uint8_t data[MAD_DATA]);
bool push_settings_taken(
	struct push *p, size_t ix, const uint8_t is[MAD_DATA], struct mono now);
bool push_settings_resend(struct push *p, size_t ix, struct mono now);
/* The port keeps its own. */
void push_settings_note(struct push *p, port_ix port, enum plan_keeps what);

/* push_slvl.c: rows of SL2VL. */
bool push_slvl_in_place(const struct push *p, const struct plan_step *s);
void push_slvl_load(
	struct push *p, const struct plan_step *s, uint8_t data[MAD_DATA]);
void push_slvl_row_done(
	struct push *p, size_t ix, const struct xact_result *res);

/*
 * push_doubts.c: when no copy of a Set can change a forwarding block, or what
 * a switch chooses by, any more behind what is known; 0: none can. From then
 * on, call it until it is true: every such block was read and holds what is
 * known.
 */
struct mono push_doubts_end(const struct push *p);
bool push_doubts_settled(struct push *p, struct mono now);

/* push.c: send step ix, or a Get of what it writes. */
void push_send(struct push *p, size_t ix, struct mono now);
int push_ask(struct push *p, size_t ix, struct mono now, xact_done *done);

#endif
