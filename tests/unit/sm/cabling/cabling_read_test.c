/* Plans as texts: what is read of them, and what is said of bad ones. */
#include <stdlib.h>
#include <string.h>

#include "sm/cabling/cabling_read.h"
#include "sm/cabling/deviation.h"
#include "tests/unit/suite.h"

#define HEAD "#StartDevice,StartPort,EndDevice,EndPort,LinkType\n"

/* "name/port name/port" of each link, a line each. */
static void
print_links(const struct cabling *c, struct buf *out)
{
	for (size_t i = 0; i < c->nlinks; i++) {
		const struct cabling_end *e = c->link[i].end;

		buf_printf(out, "%s/%u %s/%u\n", c->node[e[0].node].name,
			e[0].port, c->node[e[1].node].name, e[1].port);
	}
}

struct read_case {
	const char *text, *said;
};

static void
check_read(const struct read_case *k, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct reason why = {""};
		AUTO(buf) struct buf said = {0};
		struct cabling *c =
			cabling_read(k[i].text, strlen(k[i].text), "F", &why);

		if (c != NULL)
			print_links(c, &said);
		else
			buf_printf(&said, "%s", why.text);
		ck_assert_msg(strcmp(said.text, k[i].said) == 0,
			"case %zu: '%s', wanted '%s'", i, said.text, k[i].said);
		cabling_free(c);
	}
}

TEST(good_ndt)
{
	static const struct read_case cases[] = {
		{HEAD "l1,Port 1,s1,Port 2,Data\n", "l1/1 s1/2\n"},
		/* columns in any order, named otherwise, and more of them */
		{"Rack,EndPort,EndDev,#Fields:startdev,STARTPORT,Length\n"
		 "A,2,s1,l1,1,3m\n",
			"l1/1 s1/2\n"},
		{"\xef\xbb\xbf" HEAD "l1,Port 1,s1,Port 2, Data\r\n\r\n"
		 "# a comment\r\nl1,3,s1,4,\r\n",
			"l1/1 s1/2\nl1/3 s1/4\n"},
		{HEAD "\"l,1\", Port 1 ,\"s\"\"1\",Port 2\n", "l,1/1 s\"1/2\n"},
		/* as seen from both ends; and what is no link of data */
		{HEAD "l1,1,s1,2,Data\ns1,2,l1,1,Data\nl1,9,con,1,Console\n",
			"l1/1 s1/2\n"},
		{HEAD "l1,Port 21,d1,Blade 16_Port 2/20,Data",
			"l1/21 d1/L16/U2/20\n"},
		{HEAD "n7,n7 ibp1s0f0,l1,1,Data\nn7,mlx5_1,l1,2,Data\n",
			"n7 ibp1s0f0/1 l1/1\nn7 mlx5_1/1 l1/2\n"},
		{HEAD "0x0002c90300000001,1,l1,1,Data\n", "/1 l1/1\n"},
	};

	check_read(cases, sizeof(cases) / sizeof(cases[0]));
}

TEST(bad_ndt)
{
	static const struct read_case cases[] = {
		{"#StartDevice,StartPort,EndDevice,LinkType\nl1,1,s1,Data\n",
			"F:1:1: there is no column EndPort"},
		{"#StartDevice,StartPort,EndDevice,EndProt\nl1,1,s1,2\n",
			"F:1:1: there is no column EndPort; is it 'EndProt'?"},
		{"StartDev,StartPort,StartDevice,EndDevice,EndPort\n",
			"F:1:20: a second column StartDevice"},
		{HEAD, "F: lists no link"},
		{HEAD "l1,Port 1,s1\n", "F:2:13: the line ends before EndPort"},
		{HEAD "l1,Port 1,,Port 2,Data\n", "F:2:11: EndDevice is empty"},
		{HEAD "l1,,s1,Port 2,Data\n", "F:2:4: StartPort is empty"},
		{HEAD "l1,Port 255,s1,2\n",
			"F:2:4: 'Port 255' is no port: expected Port 1 to Port "
			"254, Blade LEAF_Port ASIC/PORT, or an adapter such as "
			"mlx5_0"},
		{HEAD "l1,0,s1,2\n",
			"F:2:4: '0' is no port: expected Port 1 to Port 254, "
			"Blade LEAF_Port ASIC/PORT, or an adapter such as "
			"mlx5_0"},
		{HEAD "\nl1,1,s1,cadabra\n",
			"F:3:9: 'cadabra' is no port: expected Port 1 to Port "
			"254, Blade LEAF_Port ASIC/PORT, or an adapter such as "
			"mlx5_0"},
		{HEAD "l1,1,l1,Port 1,Data\n",
			"F:2:6: both ends of this link are the same port"},
		{HEAD "l1,1,s1,1,Data\nl2,1,s1,1,Data\n",
			"F:3:6: s1 1 is linked by line 2 already"},
		{HEAD "l1,1,s1,1,Data\nl1,1,s1,2,Data\n",
			"F:3:1: l1 1 is linked by line 2 already"},
		{HEAD "\"l1,1,s1,1,Data\n", "F:2:1: this quote is not closed"},
		{HEAD "\"l1\"x,1,s1,1,Data\n",
			"F:2:5: expected a comma after the quote"},
		{"a,b,c,d\n1,2,3,4\n", "F:1:1: there is no column StartDevice"},
	};

	check_read(cases, sizeof(cases) / sizeof(cases[0]));
}

#define SWITCH                                                                 \
	"switchguid=0x2c90200000100(2c90200000100)\n"                          \
	"Switch\t4 \"S-0002c90200000100\"\t\t# \"leaf1\" base port 0 lid 0\n"  \
	"[1]\t\"H-0002c90300000200\"[1](2c90300000201)\t# \"h1\" 4xHDR\n"
#define HOST                                                                   \
	"caguid=0x2c90300000200\n"                                             \
	"Ca\t1 \"H-0002c90300000200\"\t\t# \"h1\"\n"                           \
	"[1](2c90300000201)\t\"S-0002c90200000100\"[1]\t# 4xHDR\n"

TEST(ibnetdiscover)
{
	static const struct read_case cases[] = {
		{SWITCH "\n" HOST, "h1/1 leaf1/1\n"},
		{"\xef\xbb\xbf" SWITCH "\r\n" HOST, "h1/1 leaf1/1\n"},
		/* ibsim's nets have ids for names */
		{"Switch 8 \"Sw1\"\n[1] \"Hca1\"[2]\nHca 2 \"Hca1\"\n",
			"Sw1/1 Hca1/2\n"},
		{"", "F: is empty"},
		{" \r\n\n", "F: is empty"},
		{"some\nother text\n",
			"F:1:1: expected a node, a port, key=value or a "
			"comment"},
		{SWITCH "[2]\t\"S-00", "F:4:5: expected the id of the other "
				       "node in quotes"},
		{SWITCH SWITCH,
			"F:5:30: two nodes have the GUID 0x0002c90200000100: "
			"\"leaf1\" in line 2, at port 1 of \"h1\", and "
			"\"leaf1\" in line 5, at port 1 of \"h1\"; nothing "
			"tells them apart: give one another GUID, or take it "
			"out"},
		{SWITCH HOST "[1]\t\"S-0002c90200000100\"[2]\n",
			"F:7:5: this link contradicts another line"},
	};

	check_read(cases, sizeof(cases) / sizeof(cases[0]));
}

TEST(no_text)
{
	static const char text[] = "Switch\0 4";
	struct reason why;

	ck_assert_ptr_null(cabling_read(text, sizeof(text) - 1, "F", &why));
	ck_assert_str_eq(why.text, "F: is not text");
	ck_assert_ptr_null(cabling_read_file("/nonexistent/plan", &why));
	ck_assert_str_eq(why.text,
		"/nonexistent/plan: cannot be read: No such file or directory");
	ck_assert_ptr_null(cabling_read_file("/dev/zero", &why));
	ck_assert_str_eq(
		why.text, "/dev/zero: cannot be read: not a regular file");
}

/* Names of an NDT file, and those that nodes of such a fabric give
 * themselves. */
TEST(names_of_ndt)
{
	static const char ndt[] =
		HEAD "dir1,Blade 3_Port 1/7,leaf1,Port 21,Data\n"
		     "n7,n7 ibp1s0f0,leaf1,Port 1,Data\n"
		     "n8,Port 1,leaf1,Port 2,Data\n";
	static const char *const name[] = {"MF0;dir1:CS8500/L03/U1",
		"MF0;leaf1:MQM8700/U1", "n7 ibp1s0f0", "n8 mlx5_0 "};
	static const struct cabling_link link[] = {
		{.end = {{0, 7}, {1, 21}}},
		{.end = {{2, 1}, {1, 1}}},
		{.end = {{3, 1}, {1, 2}}},
	};
	struct cabling *is = cabling_new("fabric"), *plan;
	struct deviations *d;
	struct reason why = {""};

	for (unsigned i = 0; i < 4; i++)
		(void)cabling_add_node(
			is, &(struct cabling_node){.guid = i + 1,
				    .name = name[i],
				    .type = i < 2 ? TOPO_SWITCH : TOPO_CA});
	for (unsigned i = 0; i < 3; i++)
		cabling_add_link(is, &link[i]);
	ck_assert_uint_eq(cabling_seal(is), CABLING_NONE);
	plan = cabling_read(ndt, sizeof(ndt) - 1, "F", &why);
	ck_assert_msg(plan != NULL, "%s", why.text);
	d = deviations_find(plan, is, &why);
	ck_assert_msg(d != NULL, "%s", why.text);
	ck_assert_uint_eq(d->n, 0);
	ck_assert_uint_eq(d->matched, 4);
	ck_assert_uint_eq(d->right, 3);
	deviations_free(d);
	cabling_free(plan);
	cabling_free(is);
}
