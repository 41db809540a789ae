/*
 * path_fate: what becomes of packets to one LID, switch by switch: each switch
 * is looked at once, and those on one path share its end. The caller says what
 * a step is, and so which tables, links and moments count.
 */
#ifndef HEDDLE_ROUTING_CORE_PATH_FATE_H
#define HEDDLE_ROUTING_CORE_PATH_FATE_H

#include <stdlib.h>
#include <string.h>

#include "discovery/topo.h"
#include "sm/base/mem.h"

enum { PATH_FATE_OPEN = 255, PATH_FATE_FOLLOWED = 254 };

struct path_fate {
	uint32_t nsw;
	uint8_t *of; /* [nsw] the caller's fates; PATH_FATE_OPEN: not followed,
			PATH_FATE_FOLLOWED: on the path that is followed now */
	sw_ix *path; /* [nsw] */
};

/* How the packets end at *s; PATH_FATE_OPEN: they go on, to *s then. */
typedef uint8_t path_fate_step(void *arg, sw_ix *s);

/* What becomes of packets at s, from what becomes of them at the next one. */
typedef uint8_t path_fate_pass(void *arg, sw_ix s, uint8_t next);

static inline struct path_fate
path_fate_new(uint32_t nsw)
{
	return (struct path_fate){.nsw = nsw,
		.of = mem_alloc(nsw),
		.path = mem_alloc(nsw * sizeof(sw_ix))};
}

static inline void
path_fate_free(struct path_fate *f)
{
	free(f->of);
	free(f->path);
}

/* Begin with another LID. */
static inline void
path_fate_reset(struct path_fate *f)
{
	memset(f->of, PATH_FATE_OPEN, f->nsw);
}

/*
 * Follow the path from s as far as it is not known: f->of of the switches on
 * it. loop: the fate of packets that come to a switch again. pass: NULL where
 * all of a path have the same fate. Returns the fate at s.
 */
static inline uint8_t
path_fate_follow(struct path_fate *f, sw_ix s, uint8_t loop,
	path_fate_step *step, path_fate_pass *pass, void *arg)
{
	uint8_t end = PATH_FATE_OPEN;
	uint32_t n = 0;

	while (end == PATH_FATE_OPEN && f->of[s] == PATH_FATE_OPEN) {
		f->of[s] = PATH_FATE_FOLLOWED;
		f->path[n++] = s;
		end = step(arg, &s);
	}
	if (end == PATH_FATE_OPEN)
		end = f->of[s] == PATH_FATE_FOLLOWED ? loop : f->of[s];
	while (n > 0) {
		s = f->path[--n];
		if (pass != NULL)
			end = pass(arg, s, end);
		f->of[s] = end;
	}
	return end;
}

#endif
