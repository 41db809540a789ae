#include "sm/base/argument.h"

#include <assert.h>
#include <getopt.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "sm/base/suggest.h"

/* What getopt_long returns for known[0] by its word: no letter, and none of its
 * own answers ('?', ':', 1). */
enum { BY_WORD = 256, OPERAND = 1 };

void
argument_begin(struct argument_line *l, int argc, char *const *argv)
{
	*l = (struct argument_line){.argc = argc, .argv = argv};
	optind = 0; /* begin again, by the C library's own rule */
}

void
argument_know(struct argument_line *l, const struct argument *o)
{
	assert(l->n < ARGUMENT_MOST);
	l->known[l->n++] = o;
}

/* getopt_long of the next word: operands in their order, no messages. */
static int
take_word(const struct argument_line *l)
{
	struct option longs[ARGUMENT_MOST + 1] = {{NULL, 0, NULL, 0}};
	char shorts[3 + 2 * ARGUMENT_MOST] = "-:";
	size_t n = 2;

	for (unsigned i = 0; i < l->n; i++) {
		const struct argument *o = l->known[i];
		bool valued = o->arg != NULL;

		longs[i] = (struct option){o->word + 2,
			valued ? required_argument : no_argument, NULL,
			BY_WORD + (int)i};
		if (o->letter == NULL)
			continue;
		shorts[n++] = o->letter[1];
		if (valued)
			shorts[n++] = ':';
	}
	shorts[n] = '\0';
	return getopt_long(l->argc, l->argv, shorts, longs, NULL);
}

/* The option of this answer of getopt_long, or NULL. */
static const struct argument *
find_option(struct argument_line *l, int c)
{
	for (l->ix = 0; l->ix < l->n; l->ix++) {
		const struct argument *o = l->known[l->ix];

		if (c == BY_WORD + (int)l->ix ||
			(o->letter != NULL && c == o->letter[1]))
			return o;
	}
	return NULL;
}

/* True if the word is the name of the option as a whole, or a letter. */
static bool
is_whole(const char *word, const struct argument *o)
{
	size_t n = strlen(o->word);

	return word[1] != '-' || (strncmp(word, o->word, n) == 0 &&
					 (word[n] == '\0' || word[n] == '='));
}

static enum argument_kind
fail_unknown(struct argument_line *l)
{
	const char *word = l->argv[l->at];
	struct suggest s = suggest_for(word);

	(void)reason_set(&l->why, "unknown option '%.200s'", word);
	for (unsigned i = 0; i < l->n; i++)
		suggest_offer(&s, l->known[i]->word);
	if (s.best != NULL)
		(void)reason_add(&l->why, "; did you mean '%s'?", s.best);
	return ARGUMENT_WRONG;
}

enum argument_kind
argument_next(struct argument_line *l)
{
	const struct argument *o;
	int c = -1;

	l->at = optind == 0 ? 1 : optind;
	if (!l->operands_only)
		c = take_word(l);
	if (c == -1) {
		/* past "--", if that is what ended the options */
		l->operands_only = true;
		l->at = optind;
		l->value = optind < l->argc ? l->argv[optind++] : NULL;
		return l->value != NULL ? ARGUMENT_OPERAND : ARGUMENT_END;
	}
	l->value = optarg;
	if (c == OPERAND)
		return ARGUMENT_OPERAND;
	o = find_option(l, c == '?' || c == ':' ? optopt : c);
	if (o == NULL || !is_whole(l->argv[l->at], o))
		return fail_unknown(l);
	if (c == ':')
		(void)reason_set(&l->why, "%s needs %s", o->word, o->arg);
	if (c == '?')
		(void)reason_set(&l->why, "%s takes no value", o->word);
	return c == ':' || c == '?' ? ARGUMENT_WRONG : ARGUMENT_OPTION;
}

void
argument_help(struct buf *out, const struct argument *o, unsigned indent,
	const char *help)
{
	enum { WIDTH = 20 };
	char left[64];

	(void)snprintf(left, sizeof(left), "%s%s%s%s%s",
		o->letter != NULL ? o->letter : "",
		o->letter != NULL ? ", " : "", o->word,
		o->arg != NULL ? " " : "", o->arg != NULL ? o->arg : "");
	buf_printf(out, "%*s%-*s  %s\n", (int)indent, "", WIDTH, left, help);
}
