/*
 * Names of members that an administrator accepted: records of the state file.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sm/base/mem.h"
#include "sm/state/state_file_priv.h"

enum { NAME_BYTES = 256 };

int
state_pins_read(struct state_file_reader *r, char *s)
{
	uint64_t guid = 0;
	size_t n;

	if (s != NULL && s[0] == '-' && s[1] == ' ')
		s += 2;
	else if (state_records_guid(r, &s, &guid) < 0)
		return -1;
	n = s == NULL ? 0 : strlen(s);
	if (n < 3 || n > NAME_BYTES + 2 || s[0] != '"' || s[n - 1] != '"')
		return state_records_complain(
			r, r->line, "name", "not a text in quotes");
	s[n - 1] = '\0';
	r->pin = mem_grow(r->pin, r->npin, &r->pin_cap, sizeof(*r->pin));
	r->pin[r->npin++] =
		(struct state_file_pin){arena_strdup(r->s->arena, s + 1), guid};
	return 0;
}

int
state_pins_read_unnamed(struct state_file_reader *r, char *s)
{
	uint64_t guid;

	if (state_records_guid(r, &s, &guid) < 0)
		return -1;
	if (s != NULL)
		return state_records_complain(
			r, r->line, "unnamed", "too much");
	r->unnamed = mem_grow(
		r->unnamed, r->nunnamed, &r->unnamed_cap, sizeof(*r->unnamed));
	r->unnamed[r->nunnamed++] = guid;
	return 0;
}

void
state_pins_keep(struct state_file_reader *r)
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

void
state_pins_print(const struct state_file *s, struct buf *out)
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
