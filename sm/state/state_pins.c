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
	r->pin = mem_grow(r->pin, r->npin, &r->pin_cap, sizeof(*r->pin));
	r->pin[r->npin++] =
		(struct state_file_pin){arena_strdup(r->s->arena, s + 1), guid};
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
	r->unnamed = mem_grow(
		r->unnamed, r->nunnamed, &r->unnamed_cap, sizeof(*r->unnamed));
	r->unnamed[r->nunnamed++] = guid;
	return 0;
}

static void
keep_pins(struct state_file_reader *r)
{
	struct state_file *s = r->s;
	struct state_file_pin *pin =
		arena_array(s->arena, r->npin, sizeof(*pin));
	uint64_t *unnamed =
		arena_array(s->arena, r->nunnamed, sizeof(*unnamed));

	for (size_t i = 0; i < r->npin; i++)
		pin[i] = r->pin[i];
	for (size_t i = 0; i < r->nunnamed; i++)
		unnamed[i] = r->unnamed[i];
	s->pin = pin;
	s->npin = r->npin;
	s->unnamed = unnamed;
	s->nunnamed = r->nunnamed;
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

const struct state_codec state_pins_pin = {
	"pin", read_pin, NULL, keep_pins, print_pins};
const struct state_codec state_pins_unnamed = {
	"unnamed", read_unnamed, NULL, NULL, NULL};
