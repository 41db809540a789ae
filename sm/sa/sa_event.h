/*
 * Events and who hears of them; shared by sa_inform.c and sa_report.c only.
 *
 * Events are numbered and kept in a ring; a subscription has the number of the
 * event that it looks at next. Reports leave as long as few are unanswered, so
 * that ten thousand GIDs that come into service at once are a steady stream
 * and not a flood; who is slower than the ring is long misses the oldest. Few
 * of them are one port's, so that it takes many mute ports to hold up others.
 */
#ifndef HEDDLE_SM_SA_SA_EVENT_H
#define HEDDLE_SM_SA_SA_EVENT_H

#include "sm/sa/sa_priv.h"

enum {
	EVENT_ANY = 0xffff,
	EVENT_RING = 16384,
	EVENT_WINDOW = 1024, /* reports unanswered, of all */
	EVENT_PORT = 8,	     /* of one port: who is mute holds up nobody */
	EVENT_OWN = 4,	     /* of one subscription */
	EVENT_TRIES = 6,
	EVENT_MS = 500, /* until the first repetition; then twice that, ... */
	EVENT_DEAD = 3, /* reports in a row without an answer */
};

struct event {
	uint8_t notice[MAD_SA_NOTICE];
	uint16_t lid;			    /* of the port that it is about */
	struct mad_gid about;		    /* 64 to 67: the GID */
	uint16_t key[VIEW_PARTITION_BLOCK]; /* partitions of that port, then */
	bool security;
};

struct event_sub {
	uint32_t id;
	size_t at;		/* in sa_informs.sub */
	uint64_t owner;		/* port GUID */
	struct event_sub *mate; /* next one of the same owner */
	struct mad_sa_inform inform;
	uint8_t sl;
	bool trusted;
	uint64_t next;	     /* event */
	unsigned open;	     /* reports unanswered */
	unsigned unanswered; /* given up, in a row */
};

struct event_report {
	uint32_t sub; /* id; 0: free */
	uint32_t tid; /* without the try's number */
	uint16_t lid;
	uint32_t qpn;
	uint8_t sl;
	unsigned tries;
	struct mono due;
	uint8_t notice[MAD_SA_NOTICE];
};

struct sa_informs {
	struct event_sub **sub;
	size_t n, cap;
	struct map by_id, by_owner; /* where they are; an owner's first */
	struct map open_of;	    /* reports unanswered of an owner */
	uint32_t last_id;
	struct event *ring;  /* [EVENT_RING], from the first event on */
	uint64_t begin, end; /* events in it */
	size_t turn;	     /* subscription that comes first now */
	bool pending;	     /* some subscription is behind */
	struct event_report report[EVENT_WINDOW];
	unsigned open;
	uint32_t tid;
};

/* sa_report.c: a subscription ends; the first one of an owner. */
void sa_informs_drop(struct sa *sa, struct event_sub *sub);
struct event_sub *sa_informs_of(const struct sa_informs *s, uint64_t owner);

#endif
