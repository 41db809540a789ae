/*
 * Records of the state file: the nodes that names of members mean, as an
 * administrator accepted them.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sm/base/mem.h"
#include "sm/state/state_file_priv.h"

enum { NAME_BYTES = 256 };

static int
read_pin(struct state_file_reader *r, char *s)
{
	struct state_file_pin pin;
	uint64_t guid = 0;
	size_t n;

	if (s != NULL && s[0] == '-' && s[1] == ' ')
		s += 2;
	else if (state_words_guid(r, &s, &guid) < 0)
		return -1;
	n = s == NULL ? 0 : strlen(s);
	if (n < 3 || n > NAME_BYTES + 2 || s[0] != '"' || s[n - 1] != '"')
		return state_words_complain(
			r, r->line, "name", "not a text in quotes");
	s[n - 1] = '\0';
	pin = (struct state_file_pin){arena_strdup(r->s->arena, s + 1), guid};
	state_rows_add(r, &pin);
	return 0;
}

static int
read_unnamed(struct state_file_reader *r, char *s)
{
	uint64_t guid;

	if (state_words_guid(r, &s, &guid) < 0)
		return -1;
	if (s != NULL)
		return state_words_complain(r, r->line, "unnamed", "too much");
	state_rows_add(r, &guid);
	return 0;
}

static void
print_pins(const struct state_file *s, struct buf *out)
{
	for (size_t i = 0; i < s->npin; i++) {
		if (s->pin[i].guid == 0)
			buf_printf(out, "pin - \"%s\"\n", s->pin[i].name);
		else
			buf_printf(out, "pin 0x%016" PRIx64 " \"%s\"\n",
				s->pin[i].guid, s->pin[i].name);
	}
	for (size_t i = 0; i < s->nunnamed; i++)
		buf_printf(out, "unnamed 0x%016" PRIx64 "\n", s->unnamed[i]);
}

const struct state_codec state_pins_pin = {.name = "pin",
	.read = read_pin,
	.print = print_pins,
	STATE_ROWS(state_file_pin, state_file_pin, pin, npin)};
const struct state_codec state_pins_unnamed = {.name = "unnamed",
	.read = read_unnamed,
	.row = sizeof(uint64_t),
	.kept = sizeof(uint64_t),
	.first = offsetof(struct state_file, unnamed),
	.number = offsetof(struct state_file, nunnamed)};
