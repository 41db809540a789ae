/*
 * suggest: the word that the user may have meant: the known word nearest to a
 * wrong one, by Damerau's distance (a letter too many, missing, wrong, or two
 * swapped).
 */
#ifndef HEDDLE_SM_BASE_SUGGEST_H
#define HEDDLE_SM_BASE_SUGGEST_H

#include <stddef.h>

struct suggest {
	const char *word; /* the wrong word */
	const char *best; /* nearest so far, or NULL */
	size_t distance;
};

/* Start with a wrong word (borrowed); nothing suggested yet. */
struct suggest suggest_for(const char *word);

/*
 * Offer a known word (borrowed). It becomes the suggestion when it is at most
 * two steps away, and at most half as many as either word has letters, or
 * begins with what was written (three letters at least), and no word offered
 * before is nearer.
 */
void suggest_offer(struct suggest *s, const char *known);

/* Damerau distance of two words, or SIZE_MAX when either is too long. */
size_t suggest_distance(const char *a, const char *b);

#endif
