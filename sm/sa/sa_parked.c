/*
 * Requests that cannot be answered yet: there is no view, or the view does not
 * have the LID of the requester. A port asks as soon as it is Active, and it is
 * made Active shortly before the view that has it is committed. Hosts take any
 * status as final, and repeat a request only after silence: such a request is
 * parked, and answered after the next commit if the view then has the LID, else
 * dropped.
 *
 * Bounded: a number of requests, of which the oldest is displaced, their age,
 * and their length.
 */
#include <stdlib.h>
#include <string.h>

#include "sm/base/mem.h"
#include "sm/sa/sa_priv.h"

enum {
	PARKED = 256,	  /* requests */
	PARKED_MS = 4000, /* their age: hosts have given up by then */
	/* a MultiPathRecord with as many GIDs as its counts can say */
	PARKED_LEN = MAD_SA_HEADER + MAD_SA_MULTI + 2 * 255 * 16,
};

struct parked {
	struct transport_msg m; /* body owned, or NULL */
	struct mono since;
	bool is_ripe; /* a view was committed after it arrived */
	struct parked *next;
};

struct sa_parked {
	struct parked *first, **last; /* oldest first: the ripe ones lead */
	unsigned n;
};

struct sa_parked *
sa_parked_new(void)
{
	struct sa_parked *s = mem_zalloc(1, sizeof(*s));

	s->last = &s->first;
	return s;
}

/* Unlink *link and free it. */
static void
free_parked(struct sa_parked *s, struct parked **link)
{
	struct parked *p = *link;

	*link = p->next;
	if (p->next == NULL)
		s->last = link;
	s->n--;
	free(p->m.body);
	free(p);
}

void
sa_parked_free(struct sa_parked *s)
{
	while (s->first != NULL)
		free_parked(s, &s->first);
	free(s);
}

void
sa_parked_drop(struct sa *sa)
{
	struct sa_parked *s = sa->parked;

	sa->stats.unanswered += s->n;
	while (s->first != NULL)
		free_parked(s, &s->first);
}

/* Remove the request of which m is a repetition: it would be answered twice. */
static void
drop_repeated(struct sa_parked *s, const struct transport_msg *m)
{
	for (struct parked **l = &s->first; *l != NULL; l = &(*l)->next)
		if ((*l)->m.addr.lid == m->addr.lid &&
			memcmp((*l)->m.mad, m->mad, MAD_SIZE) == 0) {
			free_parked(s, l);
			return;
		}
}

void
sa_parked_add(struct sa *sa, const struct transport_msg *m, struct mono now)
{
	struct sa_parked *s = sa->parked;
	struct parked *p;

	if (m->len > PARKED_LEN) {
		sa->stats.unanswered++;
		return;
	}
	sa->stats.parked++;
	drop_repeated(s, m);
	if (s->n >= PARKED && s->first != NULL) {
		sa->stats.unanswered++;
		free_parked(s, &s->first);
	}
	p = mem_zalloc(1, sizeof(*p));
	p->m = *m;
	p->m.body = m->len > MAD_SIZE ? mem_dup(m->body, m->len) : NULL;
	p->since = now;
	*s->last = p;
	s->last = &p->next;
	s->n++;
}

void
sa_parked_commit(struct sa *sa)
{
	for (struct parked *p = sa->parked->first; p != NULL; p = p->next)
		p->is_ripe = true;
}

struct mono
sa_parked_next(const struct sa *sa)
{
	const struct parked *p = sa->parked->first;

	if (p == NULL)
		return MONO_NEVER;
	return p->is_ripe ? (struct mono){0}
			  : mono_add(p->since, mono_ms(PARKED_MS));
}

const struct transport_msg *
sa_parked_due(const struct sa *sa, struct mono now, bool *ripe)
{
	const struct parked *p = sa->parked->first;

	if (p == NULL || mono_before(now, sa_parked_next(sa)))
		return NULL;
	*ripe = p->is_ripe;
	return &p->m;
}

void
sa_parked_done(struct sa *sa)
{
	free_parked(sa->parked, &sa->parked->first);
}
