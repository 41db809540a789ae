/*
 * Nodes and links that were there and are not: records of the state file.
 */
#include <inttypes.h>
#include <string.h>

#include "sm/base/mem.h"
#include "sm/state/state_file_priv.h"

/* Cut the number that *s begins with off; false: there is none up to max. */
static bool
read_count(char **s, uint64_t max, uint64_t *v)
{
	char *end = *s != NULL ? strchr(*s, ' ') : NULL;
	char *word = *s;

	if (end == NULL)
		return false;
	*end = '\0';
	*s = end + 1;
	return state_words_number(word, 10, max, v);
}

/* The word that says what a node is, or NULL if none is there. */
static const char *
read_is(char **s)
{
	static const char *const word[] = {"switch", "host", "other"};

	for (size_t i = 0; i < sizeof(word) / sizeof(word[0]); i++) {
		size_t n = strlen(word[i]);

		if (strncmp(*s, word[i], n) != 0 ||
			((*s)[n] != ' ' && (*s)[n] != '\0'))
			continue;
		*s += n + ((*s)[n] == ' ');
		return word[i];
	}
	return NULL;
}

/* GUID, port, name in quotes, and perhaps what it is. */
static int
read_end(struct state_file_reader *r, char **s, struct state_file_end *out)
{
	uint64_t port;
	char *quote;

	if (state_words_guid(r, s, &out->guid) < 0)
		return -1;
	if (!read_count(s, UINT8_MAX, &port))
		return state_words_complain(
			r, r->line, "port", "not a number from 0 to 255");
	quote = **s == '"' ? strchr(*s + 1, '"') : NULL;
	if (quote == NULL || quote - *s > STATE_FILE_NAME + 1)
		return state_words_complain(r, r->line, "name",
			"not a text in quotes of at most 64 bytes");
	*quote = '\0';
	out->port = (uint8_t)port;
	out->name = arena_strdup(r->s->arena, *s + 1);
	*s = quote[1] == ' ' ? quote + 2 : quote + 1;
	out->is = read_is(s);
	return 0;
}

static int
read_missing(struct state_file_reader *r, char *s)
{
	struct state_file_missing m = {0};

	m.is_node = s != NULL && strncmp(s, "node ", 5) == 0;
	if (s == NULL || (!m.is_node && strncmp(s, "link ", 5) != 0))
		return state_words_complain(
			r, r->line, "missing", "neither node nor link");
	s += 5;
	if (!read_count(&s, UINT32_MAX, &m.age))
		return state_words_complain(
			r, r->line, "age", "not a 32-bit number");
	if (read_end(r, &s, &m.a) < 0 ||
		((!m.is_node || *s != '\0') && read_end(r, &s, &m.b) < 0))
		return -1;
	if (*s != '\0')
		return state_words_complain(r, r->line, "missing", "too much");
	state_rows_add(r, &m);
	return 0;
}

static void
print_end(const struct state_file_end *e, struct buf *out)
{
	buf_printf(out, " 0x%016" PRIx64 " %u", e->guid, e->port);
	state_words_print_name(e->name, out);
	if (e->is != NULL)
		buf_printf(out, " %s", e->is);
}

static void
print_missing(const struct state_file *s, struct buf *out)
{
	for (size_t i = 0; i < s->nmissing; i++) {
		const struct state_file_missing *m = &s->missing[i];

		buf_printf(out, "missing %s %" PRIu64,
			m->is_node ? "node" : "link", m->age);
		print_end(&m->a, out);
		if (m->b.guid != 0)
			print_end(&m->b, out);
		buf_put(out, "\n", 1);
	}
}

const struct state_codec state_missing_codec = {.name = "missing",
	.read = read_missing,
	.print = print_missing,
	STATE_ROWS(state_file_missing, state_file_missing, missing, nmissing)};
