/*
 * What is drained for maintenance, and links that were bad: records of the
 * state file.
 */
#include <inttypes.h>
#include <string.h>

#include "sm/base/mem.h"
#include "sm/state/state_file_priv.h"

/* A number, or "-": there is none. */
static bool
read_left(char *word, uint64_t *out)
{
	*out = STATE_FILE_FOREVER;
	return word != NULL &&
	       (strcmp(word, "-") == 0 ||
		       state_words_number(word, 10, UINT32_MAX, out));
}

/* A text in quotes, which *s is moved behind. */
static bool
read_text(struct state_file_reader *r, char **s, const char **out)
{
	char *quote = *s != NULL && **s == '"' ? strchr(*s + 1, '"') : NULL;

	if (quote == NULL || quote - *s > STATE_FILE_TEXT + 1)
		return false;
	*quote = '\0';
	*out = arena_strdup(r->s->arena, *s + 1);
	*s = quote[1] == ' ' ? quote + 2 : quote + 1;
	return true;
}

static int
read_drain(struct state_file_reader *r, char *s)
{
	static const char *const word[] = {"", "asked", "forced"};
	static const char *const narrow[] = {"", "narrow"};
	struct state_file_drain d = {0};
	uint64_t port;
	char *at;

	if (state_words_guid(r, &s, &d.guid) < 0)
		return -1;
	at = state_words_next(&s);
	if (at == NULL || !state_words_number(at, 10, UINT8_MAX - 1, &port))
		return state_words_complain(
			r, r->line, "port", "not a number from 0 to 254");
	d.port = (uint8_t)port;
	at = state_words_next(&s);
	if (at == NULL || !state_words_number(at, 10, UINT32_MAX, &d.age) ||
		!read_left(state_words_next(&s), &d.left))
		return state_words_complain(
			r, r->line, "time", "not two 32-bit numbers");
	d.forced = state_words_one_of(word, 3, &s) == 2;
	d.narrow = state_words_one_of(narrow, 2, &s) == 1;
	if (!read_text(r, &s, &d.name) || !read_text(r, &s, &d.by) ||
		!read_text(r, &s, &d.reason) || *s != '\0')
		return state_words_complain(r, r->line, "text",
			"not three texts in quotes of at most 255 bytes");
	state_rows_add(r, &d);
	return 0;
}

/* Quotes would end the text, and control characters the line. */
static void
print_text(const char *text, struct buf *out)
{
	buf_put(out, " \"", 2);
	for (; *text != '\0'; text++)
		buf_put(out,
			*text == '"' || (unsigned char)*text < 0x20 ? "'"
								    : text,
			1);
	buf_put(out, "\"", 1);
}

static void
print_drains(const struct state_file *s, struct buf *out)
{
	for (size_t i = 0; i < s->ndrain; i++) {
		const struct state_file_drain *d = &s->drain[i];

		buf_printf(out, "drain 0x%016" PRIx64 " %u %" PRIu64, d->guid,
			d->port, d->age);
		if (d->left == STATE_FILE_FOREVER)
			buf_printf(out, " -");
		else
			buf_printf(out, " %" PRIu64, d->left);
		buf_printf(out, " %s%s", d->forced ? "forced" : "asked",
			d->narrow ? " narrow" : "");
		print_text(d->name, out);
		print_text(d->by, out);
		print_text(d->reason, out);
		buf_put(out, "\n", 1);
	}
}

const struct state_codec state_drains_codec = {.name = "drain",
	.read = read_drain,
	.print = print_drains,
	STATE_ROWS(state_file_drain, state_file_drain, drain, ndrain)};

/* ---- links that were bad ---- */

static const char *const watch_states[] = {"used", "drained", "spared"};

enum { WATCH_STATES = 3 };

static int
read_watch_end(struct state_file_reader *r, char **s,
	struct state_file_watch *w, unsigned end)
{
	uint64_t port;
	char *at;

	if (state_words_guid(r, s, &w->end[end].guid) < 0)
		return -1;
	at = state_words_next(s);
	if (at == NULL || !state_words_number(at, 10, UINT8_MAX - 1, &port) ||
		port == 0)
		return state_words_complain(
			r, r->line, "port", "not a number from 1 to 254");
	w->end[end].port = (uint8_t)port;
	return 0;
}

/* A number from 0 or 1 to 2^32 - 1. */
static bool
read_count(char **s, uint64_t least, uint64_t *out)
{
	char *at = state_words_next(s);

	return at != NULL && state_words_number(at, 10, UINT32_MAX, out) &&
	       *out >= least;
}

static int
read_watch(struct state_file_reader *r, char *s)
{
	struct state_file_watch w = {0};
	uint64_t drained;
	char *state;

	if (read_watch_end(r, &s, &w, 0) != 0 ||
		read_watch_end(r, &s, &w, 1) != 0)
		return -1;
	state = state_words_next(&s);
	while (w.state < WATCH_STATES &&
		(state == NULL || strcmp(state, watch_states[w.state]) != 0))
		w.state++;
	if (w.state == WATCH_STATES)
		return state_words_complain(
			r, r->line, "state", "not used, drained or spared");
	if (!read_count(&s, 1, &drained) || !read_count(&s, 0, &w.quiet) ||
		!read_count(&s, 0, &w.left))
		return state_words_complain(r, r->line, "time",
			"not a number of drains, and two of seconds");
	w.drained = (uint32_t)drained;
	if (!read_text(r, &s, &w.why) || *s != '\0')
		return state_words_complain(r, r->line, "text",
			"not a text in quotes of at most 255 bytes");
	state_rows_add(r, &w);
	return 0;
}

static void
print_watches(const struct state_file *s, struct buf *out)
{
	for (size_t i = 0; i < s->nwatch; i++) {
		const struct state_file_watch *w = &s->watch[i];

		buf_printf(out,
			"watch 0x%016" PRIx64 " %u 0x%016" PRIx64
			" %u %s %" PRIu32 " %" PRIu64 " %" PRIu64,
			w->end[0].guid, w->end[0].port, w->end[1].guid,
			w->end[1].port, watch_states[w->state], w->drained,
			w->quiet, w->left);
		print_text(w->why, out);
		buf_put(out, "\n", 1);
	}
}

const struct state_codec state_drains_watch = {.name = "watch",
	.read = read_watch,
	.print = print_watches,
	STATE_ROWS(state_file_watch, state_file_watch, watch, nwatch)};
