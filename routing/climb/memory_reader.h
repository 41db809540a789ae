/*
 * memory_reader: what order_memory and place_memory have printed, word by word.
 */
#ifndef HEDDLE_ROUTING_CLIMB_MEMORY_READER_H
#define HEDDLE_ROUTING_CLIMB_MEMORY_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* A text that is read word by word. */
struct memory_reader {
	const char *at;
	unsigned line;
};

static inline bool
memory_reader_takes_word(struct memory_reader *r, const char *word)
{
	size_t n = strlen(word);

	if (strncmp(r->at, word, n) != 0)
		return false;
	r->at += n;
	return true;
}

static inline bool
memory_reader_takes_guid(struct memory_reader *r, uint64_t *guid)
{
	char *end;

	if (!memory_reader_takes_word(r, " 0x"))
		return false;
	*guid = strtoull(r->at, &end, 16);
	if (end != r->at + 16)
		return false;
	r->at = end;
	return true;
}

static inline bool
memory_reader_takes_number(
	struct memory_reader *r, long least, long most, long *out)
{
	char *end;

	if (!memory_reader_takes_word(r, " ") ||
		(r->at[0] != '-' && (r->at[0] < '0' || r->at[0] > '9')))
		return false;
	*out = strtol(r->at, &end, 10);
	if (end == r->at || *out < least || *out > most)
		return false;
	r->at = end;
	return true;
}

/* The lines of a text that begin with a word. */
static inline size_t
memory_reader_count_lines(const char *text, const char *word)
{
	size_t n = 0, len = strlen(word);

	for (; *text != '\0'; text++) {
		n += strncmp(text, word, len) == 0;
		text = strchr(text, '\n');
		if (text == NULL)
			break;
	}
	return n;
}

#endif
