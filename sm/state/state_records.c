/*
 * The table of records, and those of the fabric itself: its prefix, LIDs,
 * blocked pairs, when the state was saved, and the lines of subnet
 * administration.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sm/base/map.h"
#include "sm/base/mem.h"
#include "sm/mad/port_values.h"
#include "sm/state/state_file_priv.h"

/* ---- the fabric ---- */

static int
read_prefix(struct state_file_reader *r, char *s)
{
	char *w = state_words_next(&s);

	if (r->has_prefix || s != NULL ||
		!state_words_number(w, 16, UINT64_MAX, &r->s->prefix))
		return state_words_complain(r, r->line, "fabric",
			r->has_prefix ? "given twice"
				      : "not a subnet prefix such as "
					"0xfe80000000000000");
	r->has_prefix = true;
	return 0;
}

static void
print_prefix(const struct state_file *s, struct buf *out)
{
	if (s->prefix != 0)
		buf_printf(out, "fabric 0x%016" PRIx64 "\n", s->prefix);
}

/* ---- ports and their LIDs ---- */

static const char *const held_word[STATE_FILE_HELD] = {
	[STATE_FILE_PLAIN] = "plain", [STATE_FILE_KEYS] = "keys"};

/* The rest of a lid line: nothing, or a name in quotes. */
static int
read_name(struct state_file_reader *r, char *s, const char **name)
{
	size_t n = s == NULL ? 0 : strlen(s);

	*name = NULL;
	if (n == 0)
		return 0;
	if (n < 2 || n > STATE_FILE_NAME + 2 || s[0] != '"' || s[n - 1] != '"')
		return state_words_complain(r, r->line, "name",
			"not a text in quotes of at most 64 bytes");
	s[n - 1] = '\0';
	*name = arena_strdup(r->s->arena, s + 1);
	return 0;
}

static int
read_lid(struct state_file_reader *r, char *s)
{
	struct state_file_lid rec = {0};
	uint64_t lid, lmc;

	if (state_words_guid(r, &s, &rec.guid) < 0)
		return -1;
	if (!state_words_number(
		    state_words_next(&s), 10, LID_UNICAST_MAX, &lid) ||
		lid == 0)
		return state_words_complain(
			r, r->line, "LID", "not a number from 1 to 49151");
	if (!state_words_number(state_words_next(&s), 10, LMC_MAX, &lmc))
		return state_words_complain(
			r, r->line, "LMC", "not a number from 0 to 7");
	rec.held = state_words_one_of(held_word, STATE_FILE_HELD, &s);
	if (read_name(r, s, &rec.name) < 0)
		return -1;
	rec.lid = (uint16_t)lid;
	rec.lmc = (uint8_t)lmc;
	state_rows_add(r, &(struct state_file_lid_line){rec, r->line});
	return 0;
}

static int
lid_by_guid(const void *a, const void *b)
{
	const struct state_file_lid_line *x = a, *y = b;

	if (x->rec.guid != y->rec.guid)
		return x->rec.guid < y->rec.guid ? -1 : 1;
	return x->line < y->line ? -1 : x->line > y->line;
}

static int
lid_by_lid(const void *a, const void *b)
{
	const struct state_file_lid_line *x = a, *y = b;

	if (x->rec.lid != y->rec.lid)
		return x->rec.lid < y->rec.lid ? -1 : 1;
	return x->line < y->line ? -1 : x->line > y->line;
}

/* The rules between LID records; leaves them sorted by GUID. */
static int
check_lids(struct state_file_reader *r)
{
	const struct state_file_lid_line *p;
	size_t i, n;
	struct state_file_lid_line *lid = state_rows_of(r, NULL, &n);

	if (n == 0)
		return 0;
	qsort(lid, n, sizeof(*lid), lid_by_lid);
	for (i = 0; i < n; i++) {
		uint32_t size = 1u << lid[i].rec.lmc;

		p = &lid[i];
		if (p->rec.lid % size != 0)
			return state_words_complain(r, p->line, "LID",
				"not a multiple of 2 to the power of its LMC");
		if (p->rec.lid + size - 1 > LID_UNICAST_MAX)
			return state_words_complain(r, p->line, "LID",
				"its range ends above 49151");
		if (i + 1 < n && p->rec.lid + size > p[1].rec.lid)
			return reason_set(r->why,
				"%s:%u: LID: %u is also in the range of line "
				"%u",
				r->path, p[1].line, p[1].rec.lid, p->line);
	}
	qsort(lid, n, sizeof(*lid), lid_by_guid);
	for (i = 1; i < n; i++)
		if (lid[i].rec.guid == lid[i - 1].rec.guid)
			return reason_set(r->why,
				"%s:%u: GUID: has a LID in line %u already",
				r->path, lid[i].line, lid[i - 1].line);
	return 0;
}

static void
print_lids(const struct state_file *s, struct buf *out)
{
	size_t i;

	for (i = 0; i < s->nlid; i++) {
		buf_printf(out, "lid 0x%016" PRIx64 " %u %u", s->lid[i].guid,
			s->lid[i].lid, s->lid[i].lmc);
		if (s->lid[i].held == STATE_FILE_PLAIN ||
			s->lid[i].held == STATE_FILE_KEYS)
			buf_printf(out, " %s", held_word[s->lid[i].held]);
		if (s->lid[i].name != NULL)
			state_words_print_name(s->lid[i].name, out);
		buf_put(out, "\n", 1);
	}
}

/* ---- blocked pairs, and when the state was saved ---- */

/* SLs that stay blocked, if any. */
static int
read_stays(struct state_file_reader *r, char *s, struct state_file_blocked *rec)
{
	uint64_t sls;

	if (s == NULL)
		return 0;
	if (!state_words_number(state_words_next(&s), 16, UINT16_MAX, &sls) ||
		sls == 0)
		return state_words_complain(r, r->line, "SLs",
			"not 0x and up to 4 hexadecimal digits, not all 0");
	if (s != NULL && strcmp(s, "settled") != 0)
		return state_words_complain(
			r, r->line, "block", "not \"settled\"");
	rec->stays = (uint16_t)sls;
	rec->settled = s != NULL;
	return 0;
}

/* A pair that has been blocked for too long raises an alarm although the daemon
 * that blocked it has ended. */
static int
read_block(struct state_file_reader *r, char *s)
{
	struct state_file_blocked rec = {0};
	uint64_t in, out;
	const char *row;
	const struct state_file_blocked *had;
	size_t n;
	char text[24];

	if (state_words_guid(r, &s, &rec.guid) < 0)
		return -1;
	if (!state_words_number(state_words_next(&s), 10, 254, &in) ||
		!state_words_number(state_words_next(&s), 10, 254, &out))
		return state_words_complain(
			r, r->line, "port", "not a number from 0 to 254");
	row = state_words_next(&s);
	(void)snprintf(text, sizeof(text), "0x%s", row != NULL ? row : "");
	if (row == NULL || strlen(row) != 16 ||
		!state_words_number(text, 16, UINT64_MAX, &rec.row))
		return state_words_complain(r, r->line, "row",
			"not 16 hexadecimal digits, one for each SL");
	if (!state_words_number(
		    state_words_next(&s), 10, UINT64_MAX, &rec.pairs))
		return state_words_complain(
			r, r->line, "pairs", "not a number");
	if (s != NULL && !state_words_number(state_words_next(&s), 10,
				 UINT32_MAX, &rec.age))
		return state_words_complain(
			r, r->line, "age", "not a 32-bit number");
	if (read_stays(r, s, &rec) < 0)
		return -1;
	rec.in = (uint8_t)in;
	rec.out = (uint8_t)out;
	had = state_rows_of(r, NULL, &n);
	for (size_t i = 0; i < n; i++)
		if (had[i].guid == rec.guid && had[i].in == rec.in &&
			had[i].out == rec.out)
			return state_words_complain(
				r, r->line, "block", "given twice");
	state_rows_add(r, &rec);
	return 0;
}

static int
read_saved(struct state_file_reader *r, char *s)
{
	struct state_file_stamp *at = &r->s->saved;

	if (at->when != 0)
		return state_words_complain(r, r->line, "saved", "given twice");
	if (!state_words_number(
		    state_words_next(&s), 10, UINT32_MAX, &at->when) ||
		at->when == 0)
		return state_words_complain(
			r, r->line, "saved", "not seconds since 1970");
	if (s != NULL &&
		(!state_words_number(
			 state_words_next(&s), 16, UINT64_MAX, &at->boot) ||
			!state_words_number(s, 10, UINT32_MAX, &at->up)))
		return state_words_complain(r, r->line, "boot",
			"not 0x and hexadecimal digits, and seconds");
	return 0;
}

static void
print_blocks(const struct state_file *s, struct buf *out)
{
	for (size_t i = 0; i < s->nblock; i++) {
		const struct state_file_blocked *b = &s->block[i];

		buf_printf(out,
			"block 0x%016" PRIx64 " %u %u %016" PRIx64 " %" PRIu64
			" %" PRIu64,
			b->guid, b->in, b->out, b->row, b->pairs, b->age);
		if (b->stays != 0)
			buf_printf(out, " 0x%04x%s", b->stays,
				b->settled ? " settled" : "");
		buf_put(out, "\n", 1);
	}
}

static void
print_saved(const struct state_file *s, struct buf *out)
{
	if (s->saved.when == 0)
		return;
	buf_printf(out, "saved %" PRIu64, s->saved.when);
	if (s->saved.boot != 0)
		buf_printf(out, " 0x%016" PRIx64 " %" PRIu64, s->saved.boot,
			s->saved.up);
	buf_printf(out, "\n");
}

/* ---- subnet administration ---- */

/* The SA judges the text itself. */
static int
read_sa(struct state_file_reader *r, char *s)
{
	if (s == NULL)
		return state_words_complain(r, r->line, "sa", "is empty");
	buf_printf(&r->rows[r->now].text, "%s\n", s);
	return 0;
}

/* ---- the configuration in force ---- */

/* The core parses the text. */
static int
read_config(struct state_file_reader *r, char *s)
{
	buf_printf(&r->rows[r->now].text, "%s\n", s != NULL ? s : "");
	return 0;
}

/* ---- the table ---- */

static const struct state_codec fabric = {
	.name = "fabric", .read = read_prefix, .print = print_prefix};
static const struct state_codec lid = {.name = "lid",
	.read = read_lid,
	.check = check_lids,
	.print = print_lids,
	STATE_ROWS(state_file_lid_line, state_file_lid, lid, nlid)};
static const struct state_codec block = {.name = "block",
	.read = read_block,
	.print = print_blocks,
	STATE_ROWS(state_file_blocked, state_file_blocked, block, nblock)};
static const struct state_codec saved = {
	.name = "saved", .read = read_saved, .print = print_saved};
static const struct state_codec sa = {
	.name = "sa", .read = read_sa, .text = offsetof(struct state_file, sa)};
static const struct state_codec config = {.name = "config",
	.read = read_config,
	.text = offsetof(struct state_file, config)};

static const struct state_codec *const codecs[STATE_RECORDS] = {
	&fabric,
	&lid,
	&state_routing_routed,
	&state_routing_former_root,
	&state_routing_order,
	&state_routing_rank,
	&state_routing_read,
	&state_routing_engine,
	&block,
	&saved,
	&sa,
	&state_groups_group,
	&state_groups_member,
	&state_routing_layers,
	&state_routing_leaf,
	&state_pairs_codec,
	&state_pins_pin,
	&state_pins_unnamed,
	&state_missing_codec,
	&state_drains_codec,
	&state_drains_watch,
	&config,
};

int
state_records_read(struct state_file_reader *r, char *s)
{
	char *w = state_words_next(&s);
	size_t i;

	for (i = 0; i < STATE_RECORDS; i++)
		if (w != NULL && strcmp(w, codecs[i]->name) == 0) {
			r->now = i;
			r->rows[i].codec = codecs[i];
			return codecs[i]->read(r, s);
		}
	return state_words_complain(r, r->line, "record",
		"none of lid, rank, order, read, engine, routed, turn, fabric, "
		"block, saved, sa, group, member, lanes, leaf, pairs, pin, "
		"unnamed, "
		"missing, drain, watch, config");
}

int
state_records_check(struct state_file_reader *r)
{
	int rc = 0;

	for (r->now = 0; rc == 0 && r->now < STATE_RECORDS; r->now++)
		if (codecs[r->now]->check != NULL)
			rc = codecs[r->now]->check(r);
	return rc;
}

static void
keep_rows(struct state_file *s, const struct state_codec *c,
	const struct state_rows *rows)
{
	char *kept = arena_array(s->arena, rows->n, c->kept);

	for (size_t i = 0; i < rows->n; i++)
		memcpy(kept + i * c->kept, rows->row + i * c->row, c->kept);
	memcpy((char *)s + c->first, &kept, sizeof(kept));
	memcpy((char *)s + c->number, &rows->n, sizeof(rows->n));
}

void
state_records_keep(struct state_file_reader *r)
{
	for (size_t i = 0; i < STATE_RECORDS; i++) {
		const struct state_codec *c = codecs[i];
		const char *text;

		if (c->row > 0)
			keep_rows(r->s, c, &r->rows[i]);
		if (r->rows[i].text.n == 0)
			continue;
		text = arena_strdup(r->s->arena, r->rows[i].text.text);
		memcpy((char *)r->s + c->text, &text, sizeof(text));
	}
}

void
state_records_print(const struct state_file *s, struct buf *out)
{
	for (size_t i = 0; i < STATE_RECORDS; i++) {
		const struct state_codec *c = codecs[i];
		const char *text;

		if (c->print != NULL)
			c->print(s, out);
		if (c->text == 0)
			continue;
		memcpy(&text, (const char *)s + c->text, sizeof(text));
		state_words_print_lines(c->name, text, out);
	}
}

void
state_records_free(struct state_file_reader *r)
{
	for (size_t i = 0; i < STATE_RECORDS; i++) {
		free(r->rows[i].row);
		buf_free(&r->rows[i].text);
	}
}
