#include "sm/base/suggest.h"

#include <stdint.h>
#include <string.h>

enum { LONGEST = 40, NEAR = 2, PREFIX = 3 };

static size_t
min_size(size_t a, size_t b)
{
	return a < b ? a : b;
}

size_t
suggest_distance(const char *a, const char *b)
{
	size_t d[LONGEST + 1][LONGEST + 1];
	size_t n = strlen(a), m = strlen(b), i, j;

	if (n > LONGEST || m > LONGEST)
		return SIZE_MAX;
	for (i = 0; i <= n; i++)
		d[i][0] = i;
	for (j = 0; j <= m; j++)
		d[0][j] = j;
	for (i = 1; i <= n; i++) {
		for (j = 1; j <= m; j++) {
			size_t change = a[i - 1] != b[j - 1];

			d[i][j] = min_size(
				min_size(d[i - 1][j] + 1, d[i][j - 1] + 1),
				d[i - 1][j - 1] + change);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] &&
				a[i - 2] == b[j - 1])
				d[i][j] =
					min_size(d[i][j], d[i - 2][j - 2] + 1);
		}
	}
	return d[n][m];
}

struct suggest
suggest_for(const char *word)
{
	return (struct suggest){.word = word, .distance = SIZE_MAX};
}

void
suggest_offer(struct suggest *s, const char *known)
{
	size_t n = strlen(s->word), distance;

	distance = suggest_distance(s->word, known);
	/* two changes make a word of three letters another one: half of both
	 * has to be in common */
	if (distance > NEAR || 2 * distance > min_size(strlen(known), n)) {
		if (n < PREFIX || strncmp(s->word, known, n) != 0)
			return;
		distance = NEAR + 1;
	}
	if (distance < s->distance) {
		s->distance = distance;
		s->best = known;
	}
}
