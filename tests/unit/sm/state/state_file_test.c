/* The state file: round trips, refusals with their texts, damaged files set
 * aside. */
#include "sm/state/state_file.h"

#include <check.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sm/base/buf.h"
#include "sm/base/hash.h"
#include "sm/base/mem.h"
#include "sm/base/rng.h"
#include "tests/unit/scratch.h"
#include "tests/unit/sm/state/save_state.h"
#include "tests/unit/suite.h"

static char *
path_of(const char *name)
{
	static char path[128];

	(void)snprintf(path, sizeof(path), "%s/%s", scratch_dir, name);
	return path;
}

static bool
file_exists(const char *name)
{
	return access(path_of(name), F_OK) == 0;
}

static void
write_file(const char *text, size_t n)
{
	FILE *f = fopen(path_of(STATE_FILE_FILE), "w");

	ck_assert_ptr_nonnull(f);
	ck_assert_uint_eq(fwrite(text, 1, n, f), n);
	ck_assert_int_eq(fclose(f), 0);
}

static struct buf
read_file(void)
{
	struct buf b = {0};
	FILE *f = fopen(path_of(STATE_FILE_FILE), "r");
	char chunk[4096];
	size_t n;

	ck_assert_ptr_nonnull(f);
	while ((n = fread(chunk, 1, sizeof(chunk), f)) > 0)
		buf_put(&b, chunk, n);
	ck_assert_int_eq(fclose(f), 0);
	return b;
}

/* Writes records with a header and the right checksum. */
static void
write_records(const char *records)
{
	AUTO(buf) struct buf b = {0};

	buf_printf(&b, "heddle-state 1\n%s", records);
	buf_printf(&b, "checksum 0x%016" PRIx64 "\n",
		fnv_more(FNV_START, b.text, b.n));
	write_file(b.text, b.n);
}

static const struct state_file_lid lids[] = {
	{0x0002c90300000001, 4, 2, STATE_FILE_PLAIN, "host 1 HCA-1"},
	{0x0002c90300000002, 1, 0, STATE_FILE_KEYS, NULL},
	{0x0002c90300000003, 0xbfff, 0, STATE_FILE_UNKNOWN, ""},
	{UINT64_MAX, 0xbf80, 3, STATE_FILE_KEYS, "quote \" and\nnewline"},
};
static const struct route_rank ranks[] = {
	{0x0002c90200000001, 0, 2, ROUTE_READ_TREE},
	{0x0002c90200000002, UINT32_MAX, UINT32_MAX, ROUTE_READ_MESH},
	{0x0002c90200000003, 1, 0, ROUTE_READ_NEVER},
};

static const struct state_file_blocked blocks[] = {
	{0x0002c90200000002, 3, 254, 0x0123456789abcdef, 40, 2, 0, false},
	{0x0002c90200000001, 0, 1, UINT64_MAX, UINT64_MAX, UINT32_MAX, 0x8001,
		false},
	{0x0002c90200000001, 0, 2, 1, 0, 0, 1, true},
};

static const struct state_file_member members[] = {
	{0x0002c90300000001, 0x0002c90300000001, 1, false},
	{UINT64_MAX, 0x0002c90300000002, 15, true},
};

static const struct state_file_group groups[] = {
	{.mgid = {0xff12401bffff0000, 0xffffffff},
		.mlid = 0xc000,
		.pkey = 0xffff,
		.qkey = 0xb1b,
		.mtu = 4,
		.rate = 3,
		.life = 18},
	{.mgid = {UINT64_MAX, UINT64_MAX},
		.mlid = 0xfffd,
		.pkey = 1,
		.qkey = UINT32_MAX,
		.mtu = 5,
		.rate = 24,
		.life = 63,
		.sl = 15,
		.tclass = 255,
		.flow = 0xfffff,
		.hops = 255,
		.n = 2},
};

static const uint16_t masks[] = {1, 0, 0xff, 1, 0x8003, 1};
static const struct state_file_sl_history leaves[] = {
	{0x0002c90200000001, false, masks},
	{0x0002c90200000003, true, NULL},
	{0x0002c90200000002, false, masks + 3},
};

static const struct state_file_pin pins[] = {
	{"a \"b\" c*", 0},
	{"a \"b\" c*", UINT64_MAX},
};
static const uint64_t unnamed[] = {7};

/* A name cannot end its record. */
static const struct state_file_missing missing[] = {
	{true, {1, 0, "gone \"\n", "host"}, {UINT64_MAX, 255, "", NULL}, 3600},
	{true, {2, 0, "", "other"}, {0}, 0},
	{false, {3, 254, "leaf 1", NULL}, {4, 1, "spine 1", "switch"},
		UINT32_MAX},
};

/* Nor can the texts of a drain. */
static const struct state_file_drain drains[] = {
	{1, 0, false, false, 3600, 7200, "spine \"1\"", "root (uid 0)", "a\nb"},
	{UINT64_MAX, 254, true, true, 0, STATE_FILE_FOREVER, "", "", ""},
};

static const struct state_file_watch watches[] = {
	{{{0x11, 3}, {0x22, 254}}, 1, 2, 7200, 3601, "went down \"often\""},
	{{{0x11, 4}, {0x33, 1}}, 2, UINT32_MAX, 0, 0, ""},
};

static void
check_watches(const struct state_file *back)
{
	ck_assert_uint_eq(back->nwatch, 2);
	for (size_t i = 0; i < 2; i++) {
		const struct state_file_watch *a = &watches[i],
					      *b = &back->watch[i];

		for (size_t k = 0; k < 2; k++) {
			ck_assert_uint_eq(a->end[k].guid, b->end[k].guid);
			ck_assert_uint_eq(a->end[k].port, b->end[k].port);
		}
		ck_assert_uint_eq(a->state, b->state);
		ck_assert_uint_eq(a->drained, b->drained);
		ck_assert_uint_eq(a->quiet, b->quiet);
		ck_assert_uint_eq(a->left, b->left);
	}
	ck_assert_str_eq(back->watch[0].why, "went down 'often'");
}

static void
check_drains(const struct state_file *back)
{
	ck_assert_uint_eq(back->ndrain, 2);
	for (size_t i = 0; i < 2; i++) {
		const struct state_file_drain *a = &drains[i],
					      *b = &back->drain[i];

		ck_assert_uint_eq(a->guid, b->guid);
		ck_assert_uint_eq(a->port, b->port);
		ck_assert_int_eq(a->forced, b->forced);
		ck_assert_int_eq(a->narrow, b->narrow);
		ck_assert_uint_eq(a->age, b->age);
		ck_assert_uint_eq(a->left, b->left);
		ck_assert_str_eq(a->by, b->by);
	}
	ck_assert_str_eq(back->drain[0].name, "spine '1'");
	ck_assert_str_eq(back->drain[0].reason, "a'b");
	ck_assert_str_eq(back->drain[1].reason, "");
	check_watches(back);
}

static void
check_missing(const struct state_file *back)
{
	ck_assert_uint_eq(back->nmissing, 3);
	ck_assert_str_eq(back->missing[0].a.name, "gone ??");
	for (size_t i = 0; i < 3; i++) {
		const struct state_file_missing *a = &missing[i],
						*b = &back->missing[i];

		ck_assert_int_eq(a->is_node, b->is_node);
		ck_assert_uint_eq(a->age, b->age);
		ck_assert_uint_eq(a->a.guid, b->a.guid);
		ck_assert_uint_eq(a->a.port, b->a.port);
		ck_assert_uint_eq(a->b.guid, b->b.guid);
		ck_assert_uint_eq(a->b.port, b->b.port);
		ck_assert_pstr_eq(a->a.is, b->a.is);
		ck_assert_pstr_eq(a->b.is, b->b.is);
	}
	ck_assert_str_eq(back->missing[2].b.name, "spine 1");
}

static void
check_pins(const struct state_file *back)
{
	ck_assert_uint_eq(back->npin, 2);
	for (size_t i = 0; i < 2; i++) {
		ck_assert_str_eq(back->pin[i].name, pins[i].name);
		ck_assert_uint_eq(back->pin[i].guid, pins[i].guid);
	}
	ck_assert_uint_eq(back->nunnamed, 1);
	ck_assert_uint_eq(back->unnamed[0], 7);
	ck_assert_str_eq(
		back->config, "fabric:\n  priority: 3\n\nend: \"x\"\n");
}

static void
check_leaves(const struct state_file *back)
{
	ck_assert_uint_eq(back->layers, 8);
	ck_assert_str_eq(back->sls, "0.1.2.3.4.5.6.7.");
	ck_assert_uint_eq(back->nleaf, 3);
	for (size_t i = 0; i < 3; i++) {
		ck_assert_uint_eq(back->leaf[i].guid, leaves[i].guid);
		ck_assert(back->leaf[i].any == leaves[i].any);
		ck_assert((back->leaf[i].mask == NULL) == leaves[i].any);
		if (!leaves[i].any)
			ck_assert_mem_eq(back->leaf[i].mask, leaves[i].mask, 3);
	}
}

static void
check_place(const struct route_rank *back, const struct route_rank *is)
{
	ck_assert_uint_eq(back->read, is->read);
	ck_assert_uint_eq(back->place, is->place);
}

static void
check_groups(const struct state_file *back)
{
	ck_assert_uint_eq(back->ngroup, 2);
	ck_assert_uint_eq(back->nmember, 2);
	for (size_t i = 0; i < 2; i++) {
		const struct state_file_group *is = &back->group[i];
		const struct state_file_group *was = &groups[i];

		ck_assert_uint_eq(is->mgid[0], was->mgid[0]);
		ck_assert_uint_eq(is->mgid[1], was->mgid[1]);
		ck_assert_uint_eq(is->mlid, was->mlid);
		ck_assert_uint_eq(is->pkey, was->pkey);
		ck_assert_uint_eq(is->qkey, was->qkey);
		ck_assert_uint_eq(is->mtu, was->mtu);
		ck_assert_uint_eq(is->rate, was->rate);
		ck_assert_uint_eq(is->life, was->life);
		ck_assert_uint_eq(is->sl, was->sl);
		ck_assert_uint_eq(is->tclass, was->tclass);
		ck_assert_uint_eq(is->flow, was->flow);
		ck_assert_uint_eq(is->hops, was->hops);
		ck_assert_uint_eq(is->first, was->first);
		ck_assert_uint_eq(is->n, was->n);
		ck_assert_uint_eq(back->member[i].guid, members[i].guid);
		ck_assert_uint_eq(back->member[i].owner, members[i].owner);
		ck_assert_uint_eq(back->member[i].state, members[i].state);
		ck_assert_uint_eq(back->member[i].proxy, members[i].proxy);
	}
}

static void
check_blocks(const struct state_file *back)
{
	ck_assert_uint_eq(back->nblock, 3);
	for (size_t i = 0; i < 3; i++) {
		ck_assert_uint_eq(back->block[i].guid, blocks[i].guid);
		ck_assert_uint_eq(back->block[i].in, blocks[i].in);
		ck_assert_uint_eq(back->block[i].out, blocks[i].out);
		ck_assert_uint_eq(back->block[i].row, blocks[i].row);
		ck_assert_uint_eq(back->block[i].pairs, blocks[i].pairs);
		ck_assert_uint_eq(back->block[i].age, blocks[i].age);
		ck_assert_uint_eq(back->block[i].stays, blocks[i].stays);
		ck_assert(back->block[i].settled == blocks[i].settled);
	}
}

static void
check_lids(const struct state_file *back)
{
	ck_assert_uint_eq(back->nlid, 4);
	for (size_t i = 0; i < 4; i++) {
		ck_assert_uint_eq(back->lid[i].guid, lids[i].guid);
		ck_assert_uint_eq(back->lid[i].lid, lids[i].lid);
		ck_assert_uint_eq(back->lid[i].lmc, lids[i].lmc);
		ck_assert_uint_eq(back->lid[i].held, lids[i].held);
	}
}

static const struct state_file_pairs pairs[] = {{0x8, "0"}, {0x9, "73"}};

static void
check_pairs(const struct state_file *back)
{
	ck_assert_str_eq(back->remembered, "nue layers 4 2\nnue switch 0x1\n");
	ck_assert_uint_eq(back->npairs, 2);
	ck_assert_uint_eq(back->pairs[1].guid, 0x9);
	ck_assert_str_eq(back->pairs[1].layer, "73");
}

TEST(test_round)
{
	struct state_file s = {.prefix = 0xfe80000000000000,
		.group = groups,
		.ngroup = 2,
		.member = members,
		.nmember = 2,
		.block = blocks,
		.nblock = 3,
		.layers = 8,
		.sls = "0.1.2.3.4.5.6.7.",
		.leaf = leaves,
		.nleaf = 3,
		.pairs = pairs,
		.npairs = 2,
		.remembered = "nue layers 4 2\nnue switch 0x1\n",
		.pin = pins,
		.npin = 2,
		.unnamed = unnamed,
		.nunnamed = 1,
		.missing = missing,
		.nmissing = 3,
		.drain = drains,
		.ndrain = 2,
		.watch = watches,
		.nwatch = 2,
		.config = "fabric:\n  priority: 3\n\nend: \"x\"\n",
		.lid = lids,
		.nlid = 4,
		.rank = ranks,
		.nrank = 3,
		.routed = UINT64_MAX,
		.load = 72,
		.saved = {1763722111, UINT64_MAX, 7200},
		.away = 7, /* not written */
		.sa = "service 0x1 2 03\ninform 0x4 5 06\n",
		.engine = "ftree",
		.options = UINT64_MAX,
		.read = 1763722110,
		.order = "tiers"};
	struct state_file back;
	struct reason why = {""};
	AUTO(buf) struct buf first, second;

	ck_assert_msg(save_state(scratch_dir, &s, &why) == 0, "%s", why.text);
	first = read_file();
	ck_assert_msg(
		state_file_load(scratch_dir, &back, &why) == 0, "%s", why.text);
	ck_assert_uint_eq(back.prefix, s.prefix);
	ck_assert_str_eq(back.order, "tiers");
	ck_assert_uint_eq(back.routed, UINT64_MAX);
	ck_assert_uint_eq(back.load, 72);
	ck_assert_uint_eq(back.saved.when, 1763722111);
	ck_assert_uint_eq(back.saved.boot, UINT64_MAX);
	ck_assert_uint_eq(back.saved.up, 7200);
	ck_assert_uint_eq(back.away, 0);
	ck_assert_str_eq(back.sa, s.sa);
	check_blocks(&back);
	ck_assert_uint_eq(back.nrank, 3);
	check_lids(&back);
	check_groups(&back);
	check_leaves(&back);
	check_pairs(&back);
	check_missing(&back);
	check_drains(&back);
	check_pins(&back);
	ck_assert_str_eq(back.lid[0].name, "host 1 HCA-1");
	ck_assert_ptr_null(back.lid[1].name);
	ck_assert_str_eq(back.lid[3].name, "quote ? and?newline");
	ck_assert_uint_eq(back.rank[1].rank, UINT32_MAX);
	for (size_t i = 0; i < 3; i++)
		check_place(&back.rank[i], &ranks[i]);
	ck_assert_str_eq(back.engine, "ftree");
	ck_assert_uint_eq(back.options, UINT64_MAX);
	ck_assert_uint_eq(back.read, 1763722110);
	ck_assert_int_eq(save_state(scratch_dir, &back, &why), 0);
	second = read_file();
	ck_assert_str_eq(first.text, second.text);
	ck_assert(!file_exists(STATE_FILE_FILE ".new"));
	state_file_free(&back);
}

/* What former versions recorded of switches is a line of the engine now. */
TEST(test_former_records)
{
	static const char text[] =
		"turn 0x99\n"
		"order tiers\n"
		"rank 0x2 1 number 65534 plane 1 leaf\n"
		"rank 0x1 1 tree place 4 number 0 plane 7 apex\n"
		"rank 0x3 1 plane 0\n"
		"read updn 0x1 1\n"
		"engine nue layers 4 2\n";
	struct state_file s;
	struct reason why = {""};

	write_records(text);
	ck_assert_msg(
		state_file_load(scratch_dir, &s, &why) == 0, "%s", why.text);
	ck_assert_str_eq(s.remembered, "nue layers 4 2\n"
				       "updn turn 0x0000000000000099\n"
				       "updn number 0x0000000000000001 0\n"
				       "updn plane 0x0000000000000001 7 apex\n"
				       "updn number 0x0000000000000002 65534\n"
				       "updn plane 0x0000000000000002 1 leaf\n"
				       "updn plane 0x0000000000000003 0\n");
	ck_assert_uint_eq(s.nrank, 3);
	ck_assert_uint_eq(s.rank[0].place, 5);
	state_file_free(&s);
}

TEST(test_absent)
{
	struct state_file s;
	struct reason why = {""};
	char other[96];

	ck_assert_int_eq(state_file_load(scratch_dir, &s, &why), 1);
	ck_assert_uint_eq(s.nlid, 0);
	(void)snprintf(other, sizeof(other), "%s/made", scratch_dir);
	ck_assert_int_eq(state_file_load(other, &s, &why), 1);
	ck_assert_msg(save_state(other, &s, &why) == 0, "%s", why.text);
	ck_assert_int_eq(state_file_load(other, &s, &why), 0);
	ck_assert_uint_eq(s.nlid, 0);
	state_file_free(&s);
}

#define GROUP                                                                  \
	"group 0xff12401bffff0000 0x1 0xc000 0xffff 0xb1b 4 3 18 0 0 0x0 0"

static const struct refusal {
	const char *records;
	const char *why; /* the text after the path */
} refusals[] = {
	{"lid 0x1 1\n", ":2: LMC: not a number from 0 to 7"},
	{"lid 0x1 1 8\n", ":2: LMC: not a number from 0 to 7"},
	{"lid 0x1 0 0\n", ":2: LID: not a number from 1 to 49151"},
	{"lid 0x1 49152 0\n", ":2: LID: not a number from 1 to 49151"},
	{"lid 0x1 65537 0\n", ":2: LID: not a number from 1 to 49151"},
	{"lid 0x1 -1 0\n", ":2: LID: not a number from 1 to 49151"},
	{"lid 0x1 +1 0\n", ":2: LID: not a number from 1 to 49151"},
	{"lid 0x1 3 1\n",
		":2: LID: not a multiple of 2 to the power of its LMC"},
	{"lid 1 1 0\n", ":2: GUID: not 0x and hexadecimal digits, or 0"},
	{"lid 0x0 1 0\n", ":2: GUID: not 0x and hexadecimal digits, or 0"},
	{"lid 0x00000000000000001 1 0\n",
		":2: GUID: not 0x and hexadecimal digits, or 0"},
	{"lid\n", ":2: GUID: not 0x and hexadecimal digits, or 0"},
	{"lid 0x1 1 0 host\n",
		":2: name: not a text in quotes of at most 64 bytes"},
	{"lid 0x1 1 0 \"\n",
		":2: name: not a text in quotes of at most 64 bytes"},
	{"lid 0x1 4 2\nlid 0x2 7 0\n",
		":3: LID: 7 is also in the range of line 2"},
	{"lid 0x2 7 0\nlid 0x1 4 2\n",
		":2: LID: 7 is also in the range of line 3"},
	{"lid 0x1 4 0\nlid 0x2 5 0\nlid 0x1 6 0\n",
		":4: GUID: has a LID in line 2 already"},
	{"order tiers\nrank 0x1 1\nrank 0x1 2\n",
		":4: GUID: has a rank in line 3 already"},
	{"order tiers\nrank 0x1 4294967296\n", ":3: rank: not a 32-bit number"},
	{"order tiers\nrank 0x1 1 1\n", ":3: read as: none of tree, mesh, "
					"place, number and plane in that "
					"order"},
	{"order tiers\nrank 0x1 1 trees\n", ":3: read as: none of tree, mesh, "
					    "place, number and plane in that "
					    "order"},
	{"order tiers\nrank 0x1 1 mesh tree\n",
		":3: read as: none of tree, mesh, place, number and plane in "
		"that "
		"order"},
	{"order tiers\nrank 0x1 1 plane 1 number 1\n",
		":3: read as: none of tree, mesh, place, number and plane in "
		"that "
		"order"},
	{"order tiers\nrank 0x1 1 number 65535\n",
		":3: number: not one from 0 to 65534"},
	{"order tiers\nrank 0x1 1 number\n",
		":3: number: not one from 0 to 65534"},
	{"order tiers\nrank 0x1 1 tree place 4294967295\n",
		":3: place: not one from 0 to 4294967294"},
	{"order tiers\nrank 0x1 1 tree plane 8\n",
		":3: plane: not a number from 0 to 7"},
	{"order tiers\nrank 0x1 1 plane 1 root\n",
		":3: read as: none of tree, mesh, place, number and plane in "
		"that "
		"order"},
	{"order tiers\nrank 0x1 1 \n", ":3: read as: none of tree, mesh, "
				       "place, number and plane in that "
				       "order"},
	{"read\n", ":2: read: no engine of at most 15 letters"},
	{"read Ftree 0x1 1\n", ":2: read: no engine of at most 15 letters"},
	{"read ftree 17 1\n",
		":2: options: not a hash such as 0x9f3b52d10c77a4e8"},
	{"read ftree 0x1\n", ":2: time: not seconds since 1970"},
	{"read ftree 0x1 1 1\n", ":2: time: not seconds since 1970"},
	{"read ftree 0x1 4294967296\n", ":2: time: not seconds since 1970"},
	{"read ftree 0x1 1\nread updn 0x1 1\n", ":3: read: given twice"},
	{"rank 0x1 1\n", ": order: missing, with ranks"},
	{"order\n", ":2: order: not a word of at most 15 letters"},
	{"order sixteen-letters-\n",
		":2: order: not a word of at most 15 letters"},
	{"order a\norder b\n", ":3: order: given twice"},
	{"routed 0x1 1\nrouted 0x2 1\n", ":3: routed: given twice"},
	{"turn 0x1\nturn 0x1\n", ":3: turn: given twice"},
	{"turn 0x1 1\n", ":2: turn: not one GUID"},
	{"turn 0\n", ":2: GUID: not 0x and hexadecimal digits, or 0"},
	{"routed 0x1\n", ":2: routed: not a hash such as "
			 "0x9f3b52d10c77a4e8 and a number"},
	{"routed 0x1 1 1\n", ":2: routed: not a hash such as "
			     "0x9f3b52d10c77a4e8 and a number"},
	{"fabric 12\n", ":2: fabric: not a subnet prefix such as "
			"0xfe80000000000000"},
	{"fabric 0x1\nfabric 0x1\n", ":3: fabric: given twice"},
	{"lids 0x1 1 0\n",
		":2: record: none of lid, rank, order, read, engine, routed, "
		"turn, fabric, block, saved, sa, group, member, lanes, leaf, "
		"pairs, pin, unnamed, missing, drain, watch, config"},
	{"\n", ":2: record: none of lid, rank, order, read, engine, routed, "
	       "turn, fabric, block, saved, sa, group, member, lanes, leaf, "
	       "pairs, pin, unnamed, missing, drain, watch, config"},
	{"engine\n", ":2: engine: not a name and a text"},
	{"engine nue\n", ":2: engine: not a name and a text"},
	{"engine 0x1 nue\n", ":2: engine: not a name and a text"},
	{"pairs 0x0 0\n", ":2: GUID: not 0x and hexadecimal digits, or 0"},
	{"pairs 0x1\n",
		":2: pairs: not a hexadecimal digit for each switch so far"},
	{"pairs 0x1 00\n",
		":2: pairs: not a hexadecimal digit for each switch so far"},
	{"pairs 0x1 g\n",
		":2: pairs: not a hexadecimal digit for each switch so far"},
	{"lanes 2\npairs 0x1 0\npairs 0x1 00\n", ":4: pairs: given twice"},
	{"lanes 2\npairs 0x1 0\npairs 0x2 20\n",
		":4: pairs: a layer beyond those of record lanes"},
	{"pairs 0x1 0\n", ":2: pairs: a layer beyond those of record lanes"},
	{"saved 0\n", ":2: saved: not seconds since 1970"},
	{"saved 1\nsaved 2\n", ":3: saved: given twice"},
	{"sa\n", ":2: sa: is empty"},
	{"member 0x1 0x1 1\n", ":2: member: of no group"},
	{"group 0xff12401bffff0000 0xffffffff 0xc000 0xffff 0xb1b 4 3 18 0 0 "
	 "0x0\n",
		":2: hop limit: no such number"},
	{GROUP " 1\n", ":2: group: too much"},
	{"group 0xfe12401bffff0000 0x1 0xc000 0xffff 0xb1b 4 3 18 0 0 0x0 0\n",
		":2: group: not a multicast address"},
	{"group 0xff12401bffff0000 0x1 0xbfff 0xffff 0xb1b 4 3 18 0 0 0x0 0\n",
		":2: group: not a multicast address"},
	{"group 0xff12401bffff0000 0x1 0xfffe 0xffff 0xb1b 4 3 18 0 0 0x0 0\n",
		":2: MLID: no such number"},
	{GROUP "\nmember 0x1 0x0 1\n",
		":3: GUID: not 0x and hexadecimal digits, or 0"},
	{GROUP "\nmember 0x1 0x1 0\n", ":3: state: not a number from 1 to 15"},
	{GROUP "\nmember 0x1 0x1 16\n", ":3: state: not a number from 1 to 15"},
	{GROUP "\nmember 0x1 0x1 1 1\n", ":3: member: too much"},
	{"block 0x0 1 2 0123456789abcdef 3\n",
		":2: GUID: not 0x and hexadecimal digits, or 0"},
	{"block 0x1 255 2 0123456789abcdef 3\n",
		":2: port: not a number from 0 to 254"},
	{"block 0x1 1\n", ":2: port: not a number from 0 to 254"},
	{"block 0x1 1 2 123456789abcdef 3\n",
		":2: row: not 16 hexadecimal digits, one for each SL"},
	{"block 0x1 1 2 0123456789abcdef\n", ":2: pairs: not a number"},
	{"block 0x1 1 2 0123456789abcdef 3 -4\n",
		":2: age: not a 32-bit number"},
	{"block 0x1 1 2 0123456789abcdef 3 4 5\n",
		":2: SLs: not 0x and up to 4 hexadecimal digits, not all 0"},
	{"block 0x1 1 2 0123456789abcdef 3 4 0x0\n",
		":2: SLs: not 0x and up to 4 hexadecimal digits, not all 0"},
	{"block 0x1 1 2 0123456789abcdef 3 4 0x10000\n",
		":2: SLs: not 0x and up to 4 hexadecimal digits, not all 0"},
	{"block 0x1 1 2 0123456789abcdef 3 4 0x1 so\n",
		":2: block: not \"settled\""},
	{"block 0x1 1 2 0123456789abcdef 3\n"
	 "block 0x1 1 2 0123456789abcdef 3\n",
		":3: block: given twice"},
	{"lanes 0\n", ":2: lanes: not a number from 1 to 16"},
	{"lanes 17\n", ":2: lanes: not a number from 1 to 16"},
	{"lanes 2\nlanes 2\n", ":3: lanes: given twice"},
	{"lanes 2 01\n", ":2: SLs: not 16 hexadecimal digits or dots"},
	{"lanes 2 0.1.............x\n",
		":2: SLs: not 16 hexadecimal digits or dots"},
	{"lanes 2 01.............. 1\n",
		":2: SLs: not 16 hexadecimal digits or dots"},
	{"leaf 0x0 -\n", ":2: GUID: not 0x and hexadecimal digits, or 0"},
	{"leaf 0x1\n", ":2: leaf: neither -, any, nor hexadecimal digits, two "
		       "or four for each leaf"},
	{"leaf 0x1 01 \n", ":2: leaf: neither -, any, nor hexadecimal digits, "
			   "two or four for each leaf"},
	{"leaf 0x1 011\n", ":2: leaf: neither -, any, nor hexadecimal digits, "
			   "two or four for each leaf"},
	{"leaf 0x1 0g\n", ":2: leaf: neither -, any, nor hexadecimal digits, "
			  "two or four for each leaf"},
	{"leaf 0x1 01\nleaf 0x2 any\n", ":2: leaf: not a mask for each leaf"},
	{"leaf 0x1 -\nleaf 0x1 -\n", ":3: leaf: given twice"},
	{"pin 0x0 \"a\"\n", ":2: GUID: not 0x and hexadecimal digits, or 0"},
	{"pin 0x1 a\n", ":2: name: not a text in quotes"},
	{"pin - \"\"\n", ":2: name: not a text in quotes"},
	{"pin\n", ":2: GUID: not 0x and hexadecimal digits, or 0"},
	{"unnamed 0x1 2\n", ":2: unnamed: too much"},
	{"missing\n", ":2: missing: neither node nor link"},
	{"missing port 1 0x1 1 \"a\"\n", ":2: missing: neither node nor link"},
	{"missing node x 0x1 1 \"a\"\n", ":2: age: not a 32-bit number"},
	{"missing node 1 0x1 256 \"a\"\n",
		":2: port: not a number from 0 to 255"},
	{"missing node 1 0x1 1\n", ":2: port: not a number from 0 to 255"},
	{"missing node 1 0x1 1 a\n",
		":2: name: not a text in quotes of at most 64 bytes"},
	{"missing node 1 0x1 1 \"a\n",
		":2: name: not a text in quotes of at most 64 bytes"},
	{"missing link 1 0x1 1 \"a\"\n",
		":2: GUID: not 0x and hexadecimal digits, or 0"},
	{"missing link 1 0x1 1 \"a\" 0x2 2 \"b\" 3\n", ":2: missing: too much"},
	{"missing node 1 0x1 1 \"a\" hosts\n",
		":2: GUID: not 0x and hexadecimal digits, or 0"},
	{"missing node 1 0x1 1 \"a\" host 0x2 2 \"b\" host switch\n",
		":2: missing: too much"},
	{"watch 0x1 2 0x3 0 used 1 60 60 \"\"\n",
		":2: port: not a number from 1 to 254"},
	{"watch 0x1 2 0x3 4 bad 1 60 60 \"\"\n",
		":2: state: not used, drained or spared"},
	{"watch 0x1 2 0x3 4\n", ":2: state: not used, drained or spared"},
	{"watch 0x1 2 0x3 4 used 0 60 60 \"\"\n",
		":2: time: not a number of drains, and two of seconds"},
	{"watch 0x1 2 0x3 4 used 1 60 x \"\"\n",
		":2: time: not a number of drains, and two of seconds"},
	{"watch 0x1 2 0x3 4 used 1 60 60\n",
		":2: text: not a text in quotes of at most 255 bytes"},
	{"drain\n", ":2: GUID: not 0x and hexadecimal digits, or 0"},
	{"drain 0x1 255 0 0 asked \"\" \"\" \"\"\n",
		":2: port: not a number from 0 to 254"},
	{"drain 0x1 1 0 x asked \"\" \"\" \"\"\n",
		":2: time: not two 32-bit numbers"},
	{"drain 0x1 1 0 0 asked \"\" \"\"\n",
		":2: text: not three texts in quotes of at most 255 bytes"},
	{"drain 0x1 1 0 - asked \"\" \"\" \"\" x\n",
		":2: text: not three texts in quotes of at most 255 bytes"},
};

LOOP_TEST(test_refusals, 0, LEN(refusals))
{
	const struct refusal *r = &refusals[_i];
	struct state_file s;
	struct reason why = {""};
	char want[512];

	write_records(r->records);
	(void)snprintf(want, sizeof(want),
		"%s%s; set aside as " STATE_FILE_FILE ".corrupt-1",
		path_of(STATE_FILE_FILE), r->why);
	ck_assert_msg(
		state_file_load(scratch_dir, &s, &why) == -1, "%s", r->records);
	ck_assert_str_eq(why.text, want);
	ck_assert_uint_eq(s.nlid, 0);
	ck_assert_ptr_null(s.arena);
	ck_assert(!file_exists(STATE_FILE_FILE));
	ck_assert(file_exists(STATE_FILE_FILE ".corrupt-1"));
	/* from here on as if there had never been a file */
	ck_assert_int_eq(state_file_load(scratch_dir, &s, &why), 1);
}

static const struct {
	const char *text;
	const char *why;
} frames[] = {
	{"", ": the file is empty"},
	{"\n", ":1: header: not a heddle-state file"},
	{"lid 0x1 1 0\n", ":1: header: not a heddle-state file"},
	{"heddle-state 1", ":1: header: not a heddle-state file"},
	{"heddle-state x\n", ":1: header: no version"},
	{"heddle-state 2\nnew 1\n", ":1: header: version 2 is not supported "
				    "(this program reads 1)"},
	{"heddle-state 1\n",
		": checksum: not at the end; the file is truncated"},
	{"heddle-state 1\nlid 0x1 1 0\n",
		": checksum: not at the end; the file is truncated"},
	{"heddle-state 1\nchecksum 0x0",
		": checksum: not at the end; the file is truncated"},
	{"heddle-state 1\nchecksum 0x0\n",
		": checksum: does not match the content"},
	{"heddle-state 1\nchecksum 12\n",
		": checksum: does not match the content"},
};

LOOP_TEST(test_frames, 0, LEN(frames))
{
	struct state_file s;
	struct reason why = {""};
	char want[256];

	write_file(frames[_i].text, strlen(frames[_i].text));
	(void)snprintf(want, sizeof(want),
		"%s%s; set aside as " STATE_FILE_FILE ".corrupt-1",
		path_of(STATE_FILE_FILE), frames[_i].why);
	ck_assert_int_eq(state_file_load(scratch_dir, &s, &why), -1);
	ck_assert_str_eq(why.text, want);
}

/* Cut anywhere or with one bit flipped anywhere, the file is refused. */
TEST(test_damage)
{
	struct state_file s = {.prefix = 1,
		.lid = lids,
		.nlid = 4,
		.rank = ranks,
		.nrank = 3,
		.order = "roots"};
	struct reason why = {""};
	AUTO(buf) struct buf whole;
	size_t i, n = 0;

	ck_assert_int_eq(save_state(scratch_dir, &s, &why), 0);
	whole = read_file();
	for (i = 0; i < whole.n; i++) {
		write_file(whole.text, i);
		ck_assert_msg(state_file_load(scratch_dir, &s, &why) == -1,
			"cut at %zu", i);
		n++;
		whole.text[i] = (char)(whole.text[i] ^ 1 << i % 7);
		write_file(whole.text, whole.n);
		ck_assert_msg(state_file_load(scratch_dir, &s, &why) == -1,
			"bit at %zu", i);
		n++;
		whole.text[i] = (char)(whole.text[i] ^ 1 << i % 7);
	}
	/* each copy got the next free number */
	(void)snprintf(
		why.text, sizeof(why.text), STATE_FILE_FILE ".corrupt-%zu", n);
	ck_assert(file_exists(why.text));
}

TEST(test_strange_files)
{
	struct state_file s;
	struct reason why = {""};
	int fd;

	/* too large: judged before it is read */
	fd = open(path_of(STATE_FILE_FILE), O_CREAT | O_WRONLY, 0600);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(ftruncate(fd, (off_t)STATE_FILE_MAX_BYTES + 1), 0);
	(void)close(fd);
	ck_assert_int_eq(state_file_load(scratch_dir, &s, &why), -1);
	ck_assert_ptr_nonnull(strstr(why.text, ": larger than 64 MiB; set"));

	/* as large as allowed, of zeroes */
	fd = open(path_of(STATE_FILE_FILE), O_CREAT | O_WRONLY, 0600);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(ftruncate(fd, (off_t)STATE_FILE_MAX_BYTES), 0);
	(void)close(fd);
	ck_assert_int_eq(state_file_load(scratch_dir, &s, &why), -1);

	ck_assert_int_eq(mkdir(path_of(STATE_FILE_FILE), 0700), 0);
	ck_assert_int_eq(state_file_load(scratch_dir, &s, &why), -1);
	ck_assert_ptr_nonnull(strstr(why.text, ": not a regular file; set"));

	ck_assert_int_eq(mkfifo(path_of(STATE_FILE_FILE), 0600), 0);
	ck_assert_int_eq(state_file_load(scratch_dir, &s, &why), -1);
	ck_assert_ptr_nonnull(strstr(why.text, ": not a regular file; set"));

	ck_assert_int_eq(symlink("/etc/passwd", path_of(STATE_FILE_FILE)), 0);
	ck_assert_int_eq(state_file_load(scratch_dir, &s, &why), -1);
	ck_assert_ptr_nonnull(strstr(why.text, ": cannot be opened: "));
	ck_assert(file_exists(STATE_FILE_FILE ".corrupt-5"));
	ck_assert(!file_exists(STATE_FILE_FILE));
}

/* A state that would be refused is not written, and the old file is kept. */
TEST(test_save_refuses)
{
	static const struct state_file_lid overlap[] = {
		{0x1, 4, 2, 0, NULL}, {0x2, 6, 0, 0, NULL}};
	static const struct state_file_lid zero[] = {{0x1, 0, 0, 0, NULL}};
	struct state_file s = {.lid = lids, .nlid = 4};
	struct reason why = {""};
	AUTO(buf) struct buf before, after;

	ck_assert_int_eq(save_state(scratch_dir, &s, &why), 0);
	before = read_file();
	s = (struct state_file){.lid = overlap, .nlid = 2};
	ck_assert_int_eq(save_state(scratch_dir, &s, &why), -1);
	s = (struct state_file){.lid = zero, .nlid = 1};
	ck_assert_int_eq(save_state(scratch_dir, &s, &why), -1);
	s = (struct state_file){.rank = ranks, .nrank = 3};
	ck_assert_int_eq(save_state(scratch_dir, &s, &why), -1);
	memset(s.order, 'x', sizeof(s.order)); /* not terminated */
	ck_assert_int_eq(save_state(scratch_dir, &s, &why), -1);
	after = read_file();
	ck_assert_str_eq(before.text, after.text);
	s = (struct state_file){0};
	ck_assert_int_eq(save_state("/proc/none/such", &s, &why), -1);
	ck_assert_ptr_nonnull(strstr(why.text, "/proc/none/such"));
}

/* A big fabric, and a leftover temporary file that is a trap. */
TEST(test_large)
{
	enum { N = 40000 };
	AUTO(mem) struct state_file_lid *lid = mem_zalloc(N, sizeof(*lid));
	struct state_file s = {.lid = lid, .nlid = N}, back;
	struct reason why = {""};
	struct rng rng = {20261};
	uint64_t guid = 0;
	size_t i;

	for (i = 0; i < N; i++) {
		guid += 1 + rng_below(&rng, 1000);
		lid[i] = (struct state_file_lid){
			guid, (uint16_t)(N - i), 0, 0, "a node"};
	}
	ck_assert_int_eq(
		symlink("/etc/passwd", path_of(STATE_FILE_FILE ".new")), 0);
	ck_assert_msg(save_state(scratch_dir, &s, &why) == 0, "%s", why.text);
	ck_assert_msg(
		state_file_load(scratch_dir, &back, &why) == 0, "%s", why.text);
	ck_assert_uint_eq(back.nlid, N);
	for (i = 0; i < N; i++) {
		ck_assert_uint_eq(back.lid[i].guid, lid[i].guid);
		ck_assert_uint_eq(back.lid[i].lid, lid[i].lid);
	}
	state_file_free(&back);
}

const struct suite_around suite_around = {
	.before = scratch_make, .after = scratch_remove};
