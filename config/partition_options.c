#include "config/partition_options.h"

#include <stdio.h>
#include <string.h>

#include "config/value.h"

static const char *const memberships[] = {"limited", "full", "both", NULL};
static const char *const mtus[] = {"256", "512", "1024", "2048", "4096", NULL};
static const char *const scopes[] = {"2", "5", "8", "14", NULL};

const char *const partition_rates[] = {"2.5", "5", "10", "14", "20", "25", "28",
	"30", "40", "50", "56", "60", "80", "100", "112", "120", "168", "200",
	"300", "400", "600", "800", "1200", "1600", NULL};

static const struct schema_option rows[] = {
	{SCHEMA_ROW(partition_options, pkey, HEX), .max = PKEY_NUMBER,
		.def = "0x0",
		.help = "The partition's key, without the bit of full "
			"membership: 0x0001 to 0x7fff. It must be given."},
	{SCHEMA_ROW(partition_options, members, WORDS), .choices = memberships,
		.def = "{}", .opensm = "allow_both_pkeys",
		.help = "The members and their membership: all, hosts, "
			"switches, routers, sm (the port that heddled uses), a "
			"port GUID (a node GUID, where no port has it), or a "
			"pattern of node names such as \"gpu-*\". Limited "
			"members talk to full members only; both gives a port "
			"both keys. If several entries match a port, the last "
			"one applies."},
	{SCHEMA_ROW(partition_options, ipoib.enabled, BOOL), .def = "false",
		.help = "Create the broadcast group that IPoIB interfaces of "
			"this partition join."},
	{SCHEMA_ROW(partition_options, ipoib.mtu, INT), .choices = mtus,
		.def = "2048", .unit = "bytes",
		.help = "MTU of the broadcast group: no member may have less."},
	{SCHEMA_ROW(partition_options, ipoib.rate, ENUM),
		.choices = partition_rates, .def = "10", .unit = "Gb/s",
		.help = "Rate of the broadcast group: no member may be "
			"slower."},
	{SCHEMA_ROW(partition_options, ipoib.sl, INT), .max = 15, .def = "0",
		.help = "Service level of the broadcast group."},
	{SCHEMA_ROW(partition_options, ipoib.scope, INT), .choices = scopes,
		.def = "2",
		.help = "Scope in the group's address: 2 link, 5 site, "
			"8 organization, 14 global."},
	{SCHEMA_ROW(partition_options, ipoib.qkey, HEX), .max = 0xffffffff,
		.def = "0xb1b", .help = "Q_Key of the broadcast group."},
};

static const struct schema entry = {"", rows, sizeof(rows) / sizeof(rows[0]),
	sizeof(struct partition_options)};

static const struct schema_option partitions[] = {
	{.key = "partitions",
		.type = SCHEMA_RECORDS,
		.record = &entry,
		.def = "{}",
		.opensm = "partition_config_file",
		.help = "The partitions by name. Without any, all ports are "
			"full members of the default partition, 0x7fff. As "
			"soon as there is one, and 0x7fff is not among them, "
			"all ports become limited members of 0x7fff and only "
			"the port of the subnet manager is a full member: "
			"every port reaches subnet administration, but no "
			"other port. The port of the subnet manager is a full "
			"member of 0x7fff in any case."},
};

const struct schema partitions_schema = {"", partitions,
	sizeof(partitions) / sizeof(partitions[0]),
	sizeof(struct schema_records)};

uint8_t
partition_rate_code(uint32_t rate)
{
	static const uint8_t code[] = {2, 5, 3, 11, 6, 15, 19, 4, 7, 20, 12, 8,
		9, 16, 13, 10, 14, 17, 18, 21, 22, 23, 24, 25};

	return code[rate];
}

enum partition_member
partition_member(const char *text, uint64_t *guid)
{
	static const struct {
		const char *word;
		enum partition_member kind;
	} known[] = {
		{"all", PARTITION_ALL},
		{"hosts", PARTITION_HOSTS},
		{"switches", PARTITION_SWITCHES},
		{"routers", PARTITION_ROUTERS},
		{"sm", PARTITION_SM},
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strcmp(text, known[i].word) == 0)
			return known[i].kind;
	return value_guid(text, guid) ? PARTITION_GUID : PARTITION_NAME;
}

static void
check_members(const char *name, const struct partition_options *p,
	struct diag_list *d)
{
	char path[160];
	uint64_t guid;

	(void)snprintf(path, sizeof(path), "partitions.%.60s.members", name);
	for (size_t i = 0; i < p->members.n; i++) {
		const struct schema_word *m = &p->members.entry[i];

		/* a mistyped GUID would be a pattern that matches nothing */
		if (strncmp(m->text, "0x", 2) == 0 &&
			partition_member(m->text, &guid) != PARTITION_GUID)
			diag_add(d, m->at, "value", path,
				"%s: '%.60s' is not a GUID such as "
				"0x0002c90300a1b2c3",
				path, m->text);
	}
}

void
partition_check(const struct schema_records *all, struct diag_list *d)
{
	const struct partition_options *p = all->record;

	for (size_t i = 0; i < all->n; i++) {
		size_t k;

		if (p[i].pkey == 0)
			diag_add(d, all->at[i], "missing-key", all->name[i],
				"partitions.%.60s: its pkey must be given, "
				"0x0001 to 0x7fff",
				all->name[i]);
		for (k = 0; k < i && p[k].pkey != p[i].pkey; k++)
			;
		if (k < i && p[i].pkey != 0) {
			struct diag *e = diag_add(d, all->at[i],
				"duplicate-value", all->name[i],
				"partitions.%.60s: pkey 0x%04x is already that "
				"of partitions.%.60s",
				all->name[i], (unsigned)p[i].pkey,
				all->name[k]);

			diag_note(d, e, all->at[k], "given here before");
		}
		check_members(all->name[i], &p[i], d);
	}
}
