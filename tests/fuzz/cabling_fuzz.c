/*
 * Any bytes as a plan, and behind a line "===" as a fabric: what can be read is
 * compared with itself, which shows no link that differs where all nodes are
 * found, and with the other one.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sm/cabling/cabling_read.h"
#include "sm/cabling/deviation.h"
#include "sm/report/verify_json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
require_true(bool ok, const char *what)
{
	if (!ok) {
		fprintf(stderr, "cabling_fuzz: %s\n", what);
		abort();
	}
}

static struct cabling *
read_plan(const char *text, size_t n)
{
	struct reason why = {""};
	char *copy = malloc(n + 1);
	struct cabling *c;

	require_true(copy != NULL, "no memory");
	memcpy(copy, text, n);
	copy[n] = '\0';
	c = cabling_read(copy, n, "F", &why);
	require_true((c == NULL) == (why.text[0] != '\0'), "no reason");
	free(copy);
	return c;
}

/* How many links differ; all of it is put into words. */
static uint32_t
compare_plans(const struct cabling *plan, const struct cabling *is)
{
	struct reason why;
	struct deviations *d = deviations_find(plan, is, &why);
	uint32_t links = 0;
	struct buf page = {0};
	json_t *j;

	if (d == NULL)
		return 0;
	for (size_t i = 0; i < d->n; i++)
		links += d->list[i].n > 0;
	require_true(d->right + d->unknown <= d->links, "more links than are");
	j = verify_json(d, SIZE_MAX);
	show_verify(j, &page);
	require_true(page.n > 0, "no page");
	require_true(json_array_size(json_object_get(j, "list")) == d->n,
		"another list");
	json_decref(j);
	buf_free(&page);
	if (d->matched < d->nodes)
		links = 0;
	deviations_free(d);
	return links;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char between[] = "\n===\n";
	const char *text = (const char *)data;
	const char *cut = memmem(text, size, between, sizeof(between) - 1);
	size_t n = cut != NULL ? (size_t)(cut - text) : size;
	struct cabling *a = read_plan(text, n), *b = NULL;

	if (cut != NULL)
		b = read_plan(cut + sizeof(between) - 1,
			size - n - (sizeof(between) - 1));
	if (a != NULL)
		require_true(compare_plans(a, a) == 0, "differs from itself");
	if (a != NULL && b != NULL)
		(void)compare_plans(a, b);
	cabling_free(a);
	cabling_free(b);
	return 0;
}
