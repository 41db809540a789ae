#include "sm/named.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sm/base/mem.h"

/* A description, or its first word. */
struct name {
	const char *text;
	size_t len;
	node_ix node;
};

struct named {
	const struct topo *t;
	struct name *name; /* sorted, once a name without pattern was asked */
	size_t n;
};

struct named *
named_new(const struct topo *t)
{
	struct named *n = mem_zalloc(1, sizeof(*n));

	n->t = t;
	return n;
}

void
named_free(struct named *n)
{
	if (n == NULL)
		return;
	free(n->name);
	free(n);
}

static int
compare(const void *pa, const void *pb)
{
	const struct name *a = pa, *b = pb;
	size_t n = a->len < b->len ? a->len : b->len;
	int c = memcmp(a->text, b->text, n);

	return c != 0 ? c : (a->len > b->len) - (a->len < b->len);
}

static void
sort(struct named *n)
{
	n->name = mem_zalloc((size_t)2 * n->t->nnodes, sizeof(*n->name));
	for (node_ix i = 0; i < n->t->nnodes; i++) {
		const char *desc = topo_desc(n->t, i);
		size_t len = strlen(desc), word = strcspn(desc, " ");

		n->name[n->n++] = (struct name){desc, len, i};
		if (word < len)
			n->name[n->n++] = (struct name){desc, word, i};
	}
	qsort(n->name, n->n, sizeof(*n->name), compare);
}

static bool
each_of_name(struct named *n, const char *text,
	void (*fn)(void *cookie, node_ix node), void *cookie)
{
	const struct name key = {.text = text, .len = strlen(text)};
	size_t low = 0, high;

	if (n->name == NULL)
		sort(n);
	for (high = n->n; low < high;) {
		size_t mid = low + (high - low) / 2;

		if (compare(&n->name[mid], &key) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	for (high = low; high < n->n && compare(&n->name[high], &key) == 0;
		high++)
		fn(cookie, n->name[high].node);
	return high > low;
}

bool
named_matches(const char *desc, const char *pattern)
{
	char word[65];

	if (fnmatch(pattern, desc, 0) == 0)
		return true;
	(void)snprintf(
		word, sizeof(word), "%.*s", (int)strcspn(desc, " "), desc);
	return fnmatch(pattern, word, 0) == 0;
}

bool
named_each(struct named *n, const char *pattern,
	void (*fn)(void *cookie, node_ix node), void *cookie)
{
	bool any = false;

	if (strpbrk(pattern, "*?[\\") == NULL)
		return each_of_name(n, pattern, fn, cookie);
	for (node_ix i = 0; i < n->t->nnodes; i++)
		if (named_matches(topo_desc(n->t, i), pattern)) {
			fn(cookie, i);
			any = true;
		}
	return any;
}
