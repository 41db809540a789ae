/*
 * Events and their subscribers; shared by sa_inform.c and sa_report.c only.
 *
 * Events are numbered and kept in a ring; a subscription has the number of the
 * event that it examines next. Only few reports may be unanswered at a time, so
 * that ten thousand GIDs that come into service at once make a steady stream
 * and not a flood; a subscriber that lags by more than the length of the ring
 * misses the oldest events. Of the unanswered reports only few may belong to
 * one port, so that it takes many ports that do not answer to hold up others.
 */
#ifndef HEDDLE_SM_SA_SA_EVENT_H
#define HEDDLE_SM_SA_SA_EVENT_H

#include "sm/sa/sa_priv.h"

enum {
	EVENT_ANY = 0xffff,
	EVENT_RING = 16384,
	EVENT_WINDOW = 1024, /* unanswered reports in all */
	EVENT_PORT = 8,	     /* of one port: a silent port holds up no other */
	EVENT_OWN = 4,	     /* of one subscription */
	EVENT_TRIES = 6,
	EVENT_MS = 500, /* until the first repetition; doubled each time */
	EVENT_DEAD = 3, /* reports in a row without an answer */
};

struct event {
	uint8_t notice[MAD_SA_NOTICE];
	uint16_t lid;	      /* of the port that the event is about */
	struct mad_gid about; /* 64 to 67: the GID */
	uint16_t key[VIEW_PARTITION_BLOCK]; /* partitions of that port at that
					       time */
	bool security;
};

struct event_sub {
	uint32_t id;
	size_t at;		/* in sa_informs.sub */
	uint64_t owner;		/* port GUID */
	struct event_sub *mate; /* next one of the same owner */
	struct mad_sa_inform inform;
	struct transport_addr addr; /* that subscribed; its LID may change */
	bool trusted;
	uint64_t next;	     /* event */
	unsigned open;	     /* reports unanswered */
	unsigned unanswered; /* reports given up, in a row */
};

struct event_report {
	uint32_t sub; /* id; 0: free */
	uint32_t tid; /* without the number of the try */
	struct transport_addr addr;
	unsigned tries;
	struct mono due;
	uint8_t notice[MAD_SA_NOTICE];
};

struct sa_informs {
	struct event_sub **sub;
	size_t n, cap;
	struct map by_id, by_owner; /* place in sub; of an owner: its first */
	struct map open_of;	    /* unanswered reports of an owner */
	uint32_t last_id;
	struct event *ring;  /* [EVENT_RING], from the first event on */
	uint64_t begin, end; /* events in it */
	size_t first;	     /* the subscription to begin with next time */
	bool pending;	     /* some subscription has events to examine */
	struct event_report report[EVENT_WINDOW];
	unsigned open;
	uint32_t tid;
};

/* sa_report.c: end a subscription; the first subscription of an owner. */
void sa_informs_drop(struct sa *sa, struct event_sub *sub);
struct event_sub *sa_informs_of(const struct sa_informs *s, uint64_t owner);

#endif
