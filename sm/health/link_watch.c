#include "sm/health/link_watch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sm/base/mem.h"

static int
compare_ends(const struct link_watch_end *x, const struct link_watch_end *y)
{
	if (x->guid != y->guid)
		return x->guid < y->guid ? -1 : 1;
	return (x->port > y->port) - (x->port < y->port);
}

/* The place of the first record that is not before this link. */
static size_t
place_of(const struct link_watches *w, const struct link_watch_end *a,
	const struct link_watch_end *b)
{
	size_t low = 0, high = w->n;

	while (low < high) {
		size_t at = low + (high - low) / 2;
		int order = compare_ends(&w->list[at].a, a);

		if (order == 0)
			order = compare_ends(&w->list[at].b, b);
		if (order < 0)
			low = at + 1;
		else
			high = at;
	}
	return low;
}

struct link_watch *
link_watch_find(const struct link_watches *w, const struct link_watch_end *x,
	const struct link_watch_end *y)
{
	bool reversed = compare_ends(x, y) > 0;
	const struct link_watch_end *a = reversed ? y : x,
				    *b = reversed ? x : y;
	size_t at = place_of(w, a, b);

	return at < w->n && compare_ends(&w->list[at].a, a) == 0 &&
			       compare_ends(&w->list[at].b, b) == 0
		       ? &w->list[at]
		       : NULL;
}

struct link_watch *
link_watch_get(struct link_watches *w, const struct link_watch_end *x,
	const struct link_watch_end *y)
{
	struct link_watch *l = link_watch_find(w, x, y);
	bool reversed = compare_ends(x, y) > 0;
	size_t at;

	if (l != NULL)
		return l;
	at = place_of(w, reversed ? y : x, reversed ? x : y);
	w->list = mem_grow(w->list, w->n, &w->cap, sizeof(*w->list));
	l = &w->list[at];
	memmove(l + 1, l, (w->n - at) * sizeof(*l));
	w->n++;
	*l = (struct link_watch){.a = reversed ? *y : *x,
		.b = reversed ? *x : *y,
		.left = w->bound};
	return l;
}

/* The time that a state lasts. */
static struct mono
length_of(const struct link_watches *w, const struct link_watch *l)
{
	return l->state == LINK_WATCH_USED ? w->bound : l->quiet;
}

void
link_watch_note(
	struct link_watches *w, struct link_watch *l, bool bad, const char *why)
{
	l->bad = bad;
	l->read = true;
	if (!bad) {
		l->kept[0] = '\0';
		l->limit = 0;
		return;
	}
	(void)snprintf(l->why, sizeof(l->why), "%s", why);
	if (l->state != LINK_WATCH_SPARED)
		l->left = length_of(w, l);
}

static void
enter_state(struct link_watches *w, struct link_watch *l,
	enum link_watch_state state)
{
	l->state = state;
	l->left = length_of(w, l);
	l->kept[0] = '\0';
	l->limit = 0;
}

void
link_watch_drain(struct link_watches *w, struct link_watch *l)
{
	struct mono twice = mono_add(l->quiet, l->quiet);

	l->quiet = l->drained == 0 ? w->first : mono_min(twice, w->bound);
	l->drained += l->drained < UINT32_MAX ? 1 : 0;
	enter_state(w, l, LINK_WATCH_DRAINED);
}

void
link_watch_use(struct link_watches *w, struct link_watch *l)
{
	enter_state(w, l, LINK_WATCH_USED);
}

void
link_watch_spare(struct link_watches *w, struct link_watch *l)
{
	enter_state(w, l, LINK_WATCH_SPARED);
}

void
link_watch_pass(struct link_watch *l, struct mono time)
{
	bool told = l->read && !l->full;
	bool counts = l->state == LINK_WATCH_SPARED ||
		      (!l->bad && (told || l->state == LINK_WATCH_USED));

	l->read = false;
	if (counts)
		l->left = mono_before(time, l->left) ? mono_sub(l->left, time)
						     : (struct mono){0};
}

bool
link_watch_is_over(const struct link_watch *l)
{
	return l->left.ns <= 0;
}

void
link_watch_forget(struct link_watches *w)
{
	size_t n = 0;

	for (size_t i = 0; i < w->n; i++) {
		const struct link_watch *l = &w->list[i];

		if (l->state == LINK_WATCH_USED && !l->bad &&
			(l->drained == 0 || link_watch_is_over(l)))
			continue;
		w->list[n++] = *l;
	}
	w->n = n;
}

void
link_watch_free(struct link_watches *w)
{
	free(w->list);
	*w = (struct link_watches){0};
}
