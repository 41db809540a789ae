/*
 * Traces of Sets, read back and folded: fields that 0 leaves alone, sequences
 * of states, rows of SL2VL by one Set of many, refusals, files that are none.
 */
#include <check.h>
#include <infiniband/mad.h>
#include <stdio.h>
#include <string.h>

#include "sm/mad/mad.h"
#include "tests/e2e/setfold.h"
#include "tests/unit/suite.h"

static const char fabric[] = "node 00000000000000a0 switch 2 sw a\n"
			     "node 00000000000000b0 ca 1 b\n"
			     "link 00000000000000a0 1 00000000000000b0 1\n";

/* A trace of this fabric and these lines, or NULL with a reason. */
static struct setlog *
read_text(const char *lines, struct reason *why)
{
	FILE *f = tmpfile();
	struct setlog *l;

	ck_assert_ptr_nonnull(f);
	ck_assert(fputs(fabric, f) >= 0 && fputs(lines, f) >= 0);
	rewind(f);
	l = setlog_read(f, why);
	(void)fclose(f);
	return l;
}

/* Append a Set: of a node, with what was held (NULL: unknown) and what is. */
static void
add_line(char *text, size_t n, const char *head, const uint8_t *before,
	const uint8_t *data)
{
	size_t at = strlen(text);

	at += (size_t)snprintf(text + at, n - at, "set 1 %s ", head);
	for (int k = 0; k < 2; k++) {
		const uint8_t *d = k ? data : before;

		for (int i = 0; d && i < SETLOG_DATA; i++)
			at += (size_t)snprintf(text + at, n - at, "%02x", d[i]);
		at += (size_t)snprintf(text + at, n - at, "%s%s", d ? "" : "-",
			k ? "\n" : " ");
	}
}

TEST(zero_leaves_a_field)
{
	uint8_t held[SETLOG_DATA] = {0}, d[3][SETLOG_DATA] = {{0}};
	char text[4096] = "";
	const struct setfold_unit *u;
	struct reason why = {{0}};
	struct setfold *f;
	struct setlog *l;

	mad_set_field(held, 0, IB_PORT_NEIGHBOR_MTU_F, 1);
	mad_set_field(held, 0, IB_PORT_LINK_WIDTH_ENABLED_F, 3);
	mad_set_field(d[0], 0, IB_PORT_NEIGHBOR_MTU_F, 5);
	mad_set_field(d[0], 0, IB_PORT_HOQ_LIFE_F, 16);
	mad_set_field(d[1], 0, IB_PORT_STATE_F, 3);
	mad_set_field(d[2], 0, IB_PORT_STATE_F, 4);
	for (int i = 0; i < 3; i++)
		add_line(text, sizeof(text),
			"00000000000000b0 1 15 80000000 77 0", held, d[i]);
	add_line(text, sizeof(text), "00000000000000b0 1 15 1 77 1c", held,
		held);
	l = read_text(text, &why);
	ck_assert_msg(l != NULL, "%s", why.text);
	f = setfold_new(l);
	/* a host's port 0 is the port of arrival */
	u = setfold_find(f, 1, MAD_PORT_INFO, 1);
	ck_assert_ptr_nonnull(u);
	ck_assert_uint_eq(u->sets, 3);
	ck_assert_str_eq(u->state, "0 3 4");
	ck_assert_str_eq(u->phys, "0");
	ck_assert_int_eq(u->refusal, 0x1c);
	ck_assert_uint_eq(u->mkey, 0x77);
	memcpy(d[0], u->value, SETLOG_DATA);
	ck_assert_uint_eq(mad_get_field(d[0], 0, IB_PORT_NEIGHBOR_MTU_F), 5);
	ck_assert_uint_eq(
		mad_get_field(d[0], 0, IB_PORT_LINK_WIDTH_ENABLED_F), 3);
	/* this one 0 changes */
	ck_assert_uint_eq(mad_get_field(d[0], 0, IB_PORT_HOQ_LIFE_F), 0);
	setfold_free(f);
	setlog_free(l);
}

TEST(rows_and_tables)
{
	uint8_t row[SETLOG_DATA] = {0x01, 0x23}, lft[SETLOG_DATA];
	char text[4096] = "";
	struct reason why = {{0}};
	struct setfold *f;
	struct setlog *l;

	memset(lft, 0xff, sizeof(lft));
	lft[3] = 1;
	/* all inputs to output 2; block 1; the first group */
	add_line(text, sizeof(text), "00000000000000a0 1 17 20002 0 0", NULL,
		row);
	add_line(text, sizeof(text), "00000000000000a0 1 19 1 0 0", NULL, lft);
	add_line(text, sizeof(text), "00000000000000a0 1 1b 0 0 0", NULL, row);
	add_line(text, sizeof(text), "00000000000000a0 1 19 2 0 -", NULL, lft);
	l = read_text(text, &why);
	ck_assert_msg(l != NULL, "%s", why.text);
	ck_assert_str_eq(l->node[0].name, "sw a");
	ck_assert(l->node[0].port[1].linked && !l->node[0].port[2].linked);
	f = setfold_new(l);
	for (uint32_t in = 0; in <= 2; in++)
		ck_assert_ptr_nonnull(
			setfold_find(f, 0, MAD_SL2VL, in << 8 | 2));
	ck_assert_ptr_null(setfold_find(f, 0, MAD_SL2VL, 1));
	ck_assert_uint_eq(f->tables[0].lft_sets, 1);
	ck_assert(f->tables[0].known[64] && !f->tables[0].known[63]);
	ck_assert_uint_eq(f->tables[0].lft[67], 1);
	ck_assert_uint_eq(f->tables[0].top_mlid, 0xc000);
	ck_assert_int_eq(
		setfold_find(f, 0, MAD_LFT, 2)->refusal, SETLOG_SILENT);
	setfold_free(f);
	setlog_free(l);
}

TEST(other_files_are_refused)
{
	static const char *const bad[][2] = {
		{"hello\n", "line 4: none of"},
		{"node 1\n", "line 4: no node"},
		{"link 00000000000000a0 1 00000000000000c0 1\n",
			"line 4: no node has GUID"},
		{"link 00000000000000a0 9 00000000000000b0 1\n", "no port 9"},
		{"set 1 00000000000000a0 1 15 0 0 0 - 00\n", "not 64 bytes"},
		{"set 1 00000000000000a0 1 15 0 0 x - 00\n", "no Set"},
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct reason why = {{0}};

		ck_assert_ptr_null(read_text(bad[i][0], &why));
		ck_assert_msg(strstr(why.text, bad[i][1]) != NULL, "\"%s\"",
			why.text);
	}
}
