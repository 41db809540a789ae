/*
 * heard: what a writer in a thread of its own has told: that it wrote, or why
 * not.
 */
#ifndef HEDDLE_TESTS_UNIT_HEARD_H
#define HEDDLE_TESTS_UNIT_HEARD_H

#include <stdio.h>

struct heard {
	unsigned good, bad;
	char why[512]; /* of the last one that was bad */
};

/* For a writer's callback; cookie: the struct heard. */
static inline void
heard_told(void *cookie, const char *why)
{
	struct heard *h = cookie;

	if (why == NULL) {
		h->good++;
		return;
	}
	h->bad++;
	(void)snprintf(h->why, sizeof(h->why), "%s", why);
}

#endif
