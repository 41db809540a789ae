#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sm/base/be.h"
#include "tests/sim/serve/umadserve_int.h"

/* The one device of a node, that with QP0 where it has two, and the depth of
 * paths below it. */
#define DEVICE "heddle0"
#define SMI_DEVICE "smi0"
enum { PARTS = 8, PART = 64, ABI_VERSION = 5 };

struct path {
	int n;
	char part[PARTS][PART];
};

struct where {
	struct umadserve *u;
	uint32_t node;
	unsigned port;
	enum umadserve_side side;
};

/* Cut a path into its parts; false if it is too deep or long. */
static bool
split_path(const char *text, struct path *out)
{
	out->n = 0;
	while (*text) {
		size_t n = strcspn(text, "/");

		if (n > 0) {
			if (out->n == PARTS || n >= PART)
				return false;
			memcpy(out->part[out->n], text, n);
			out->part[out->n++][n] = '\0';
		}
		text += n + (text[n] == '/');
	}
	return true;
}

/* A decimal number after a prefix. */
static bool
parse_numbered(const char *s, const char *prefix, uint32_t *out)
{
	size_t n = strlen(prefix);
	char *end;

	if (strncmp(s, prefix, n) != 0 || s[n] < '0' || s[n] > '9')
		return false;
	*out = (uint32_t)strtoul(s + n, &end, 10);
	return *end == '\0';
}

static const struct sim_node *
node_of(const struct umadserve *u, uint32_t node)
{
	return &u->sim->node[node];
}

static unsigned
first_port(const struct umadserve *u, uint32_t node)
{
	return node_of(u, node)->type == FABRIC_SWITCH ? 0 : 1;
}

static unsigned
last_port(const struct umadserve *u, uint32_t node)
{
	const struct sim_node *n = node_of(u, node);

	return n->type == FABRIC_SWITCH ? 0 : n->nports;
}

/* Devices of a node: the ports of heddle0 come first, those of smi0 follow. */
static unsigned
count_devices(const struct umadserve *u, uint32_t node)
{
	unsigned ports = last_port(u, node) - first_port(u, node) + 1;

	return u->o.planar ? 2 * ports : ports;
}

bool
umadserve_file_device(const struct umadserve *u, uint32_t node, uint32_t n,
	unsigned *port, enum umadserve_side *side)
{
	unsigned ports = last_port(u, node) - first_port(u, node) + 1;

	if (n >= count_devices(u, node))
		return false;
	*port = first_port(u, node) + n % ports;
	*side = !u->o.planar ? UMADSERVE_BOTH
		: n < ports  ? UMADSERVE_GSI
			     : UMADSERVE_SMI;
	return true;
}

/* The names in a directory, a zero after each. */
static int
list_names(struct buf *out, uint32_t *kind, const char *const names[])
{
	*kind = PROTO_FILE_DIR;
	for (int i = 0; names[i]; i++)
		buf_put(out, names[i], strlen(names[i]) + 1);
	return 0;
}

static void
list_numbers(struct buf *out, const char *prefix, unsigned from, unsigned to)
{
	for (unsigned i = from; i <= to; i++) {
		buf_printf(out, "%s%u", prefix, i);
		buf_put(out, "", 1);
	}
}

static int
list_devices(const struct where *w, struct buf *out, uint32_t *kind)
{
	unsigned n = count_devices(w->u, w->node);

	*kind = PROTO_FILE_DIR;
	list_numbers(out, "umad", 0, n - 1);
	list_numbers(out, "issm", 0, n - 1);
	return 0;
}

static void
print_gid(struct buf *out, uint64_t hi, uint64_t lo)
{
	for (int i = 3; i >= 0; i--)
		buf_printf(out, "%04x:", (unsigned)(hi >> 16 * i & 0xffff));
	for (int i = 3; i >= 0; i--)
		buf_printf(out, "%04x%s", (unsigned)(lo >> 16 * i & 0xffff),
			i ? ":" : "\n");
}

static void
print_guid(struct buf *out, uint64_t guid)
{
	for (int i = 3; i >= 0; i--)
		buf_printf(out, "%04x%s", (unsigned)(guid >> 16 * i & 0xffff),
			i ? ":" : "\n");
}

static void
print_rate(struct buf *out, const struct mad_port_info *pi)
{
	static const struct {
		uint8_t ext, speed;
		unsigned tenths; /* of Gb/s at width 1x */
		const char *name;
	} speeds[] = {{16, 0, 2000, "XDR"}, {8, 0, 1000, "NDR"},
		{4, 0, 500, "HDR"}, {2, 0, 250, "EDR"}, {1, 0, 140, "FDR"},
		{0, 4, 100, "QDR"}, {0, 2, 50, "DDR"}, {0, 0, 25, "SDR"}};
	unsigned width = pi->width_active == 1	  ? 1
			 : pi->width_active == 4  ? 8
			 : pi->width_active == 8  ? 12
			 : pi->width_active == 16 ? 2
						  : 4;
	unsigned ext = pi->speed_ext2_active ? 16 : pi->speed_ext_active;
	unsigned i = 0, all;

	while ((speeds[i].ext && ext != speeds[i].ext) ||
		(speeds[i].speed && pi->speed_active != speeds[i].speed))
		i++;
	all = speeds[i].tenths * width;
	buf_printf(out, "%u%s Gb/sec (%uX %s)\n", all / 10,
		all % 10 ? ".5" : "", width, speeds[i].name);
}

static const char *
state_name(unsigned state)
{
	static const char *const names[] = {
		"NOP", "DOWN", "INIT", "ARMED", "ACTIVE", "ACTIVE_DEFER"};

	return state < sizeof(names) / sizeof(names[0]) ? names[state] : "?";
}

static const char *
phys_name(unsigned state)
{
	static const char *const names[] = {"<unknown>", "Sleep", "Polling",
		"Disabled", "PortConfigurationTraining", "LinkUp",
		"LinkErrorRecovery", "Phy Test"};

	return state < sizeof(names) / sizeof(names[0]) ? names[state] : "?";
}

static const char *const port_files[] = {"cap_mask", "gids", "lid",
	"lid_mask_count", "link_layer", "phys_state", "pkeys", "rate", "sm_lid",
	"sm_sl", "state", NULL};

static int
port_file(const struct where *w, const char *name, struct buf *out)
{
	const struct mad_port_info *pi =
		sim_port_info(w->u->sim, w->node, w->port);

	if (strcmp(name, "cap_mask") == 0)
		buf_printf(out, "0x%08x\n",
			w->side == UMADSERVE_GSI
				? pi->capmask | MAD_CAP_SM_DISABLED
				: pi->capmask);
	else if (strcmp(name, "lid") == 0)
		buf_printf(out, "0x%x\n", pi->lid);
	else if (strcmp(name, "lid_mask_count") == 0)
		buf_printf(out, "%u\n", pi->lmc);
	else if (strcmp(name, "link_layer") == 0)
		buf_printf(out, "InfiniBand\n");
	else if (strcmp(name, "phys_state") == 0)
		buf_printf(out, "%u: %s\n", pi->phys_state,
			phys_name(pi->phys_state));
	else if (strcmp(name, "rate") == 0)
		print_rate(out, pi);
	else if (strcmp(name, "sm_lid") == 0)
		buf_printf(out, "0x%x\n", pi->sm_lid);
	else if (strcmp(name, "sm_sl") == 0)
		buf_printf(out, "%u\n", pi->sm_sl);
	else if (strcmp(name, "state") == 0)
		buf_printf(out, "%u: %s\n", pi->state, state_name(pi->state));
	else
		return ENOENT;
	return 0;
}

/* gids/0 and pkeys/N. */
static int
table_file(
	const struct where *w, const char *table, uint32_t n, struct buf *out)
{
	const struct mad_port_info *pi =
		sim_port_info(w->u->sim, w->node, w->port);
	uint8_t d[MAD_DATA] = {0xff, 0xff};

	if (strcmp(table, "gids") == 0 && n == 0) {
		print_gid(out, pi->gid_prefix,
			sim_int_port(w->u->sim, w->node, w->port)->guid);
		return 0;
	}
	if (strcmp(table, "pkeys") != 0 || n >= SIM_PKEYS)
		return ENOENT;
	(void)sim_read(w->u->sim, w->node, w->port, MAD_PKEY_TABLE, 0, d);
	buf_printf(out, "0x%04x\n", be_get16(d + 2 * (size_t)n));
	return 0;
}

/* part: the path behind ports/N/. */
static int
in_port(const struct where *w, char (*part)[PART], int n, struct buf *out,
	uint32_t *kind)
{
	bool gids = n > 0 && strcmp(part[0], "gids") == 0;
	bool pkeys = n > 0 && strcmp(part[0], "pkeys") == 0;
	uint32_t number;

	if (n == 0)
		return list_names(out, kind, port_files);
	if (n == 1 && (gids || pkeys)) {
		*kind = PROTO_FILE_DIR;
		list_numbers(out, "", 0, gids ? 0 : SIM_PKEYS - 1);
		return 0;
	}
	*kind = PROTO_FILE_TEXT;
	if (n == 1)
		return port_file(w, part[0], out);
	if (n == 2 && (gids || pkeys) && parse_numbered(part[1], "", &number))
		return table_file(w, part[0], number, out);
	return ENOENT;
}

static const char *const device_files[] = {"board_id", "fw_ver", "hca_type",
	"hw_rev", "node_desc", "node_guid", "node_type", "ports",
	"sys_image_guid", NULL};

static int
device_file(const struct where *w, const char *name, struct buf *out)
{
	const struct sim_node *n = node_of(w->u, w->node);
	const char *type = n->type == FABRIC_SWITCH   ? "2: switch"
			   : n->type == FABRIC_ROUTER ? "3: router"
						      : "1: CA";

	if (strcmp(name, "board_id") == 0)
		buf_printf(out, "heddle-sim\n");
	else if (strcmp(name, "fw_ver") == 0)
		buf_printf(out, "1.0.0\n");
	else if (strcmp(name, "hca_type") == 0)
		buf_printf(out, "simulated\n");
	else if (strcmp(name, "hw_rev") == 0)
		buf_printf(out, "0x1\n");
	else if (strcmp(name, "node_desc") == 0)
		buf_printf(out, "%.64s\n", n->desc);
	else if (strcmp(name, "node_guid") == 0)
		print_guid(out, n->guid);
	else if (strcmp(name, "node_type") == 0)
		buf_printf(out, "%s\n", type);
	else if (strcmp(name, "sys_image_guid") == 0)
		print_guid(out, n->sysimg);
	else
		return ENOENT;
	return 0;
}

/* Paths below /sys/class/infiniband/. */
static int
in_class(struct where *w, char (*part)[PART], int n, struct buf *out,
	uint32_t *kind)
{
	static const char *const top[] = {DEVICE, NULL};
	static const char *const planar[] = {DEVICE, SMI_DEVICE, NULL};
	bool smi = w->u->o.planar && n > 0 && strcmp(part[0], SMI_DEVICE) == 0;

	if (n == 0)
		return list_names(out, kind, w->u->o.planar ? planar : top);
	if (!smi && strcmp(part[0], DEVICE) != 0)
		return ENOENT;
	w->side = !w->u->o.planar ? UMADSERVE_BOTH
		  : smi		  ? UMADSERVE_SMI
				  : UMADSERVE_GSI;
	if (n == 1)
		return list_names(out, kind, device_files);
	if (strcmp(part[1], "ports") != 0) {
		*kind = PROTO_FILE_TEXT;
		return n == 2 ? device_file(w, part[1], out) : ENOTDIR;
	}
	if (n == 2) {
		*kind = PROTO_FILE_DIR;
		list_numbers(out, "", first_port(w->u, w->node),
			last_port(w->u, w->node));
		return 0;
	}
	if (!parse_numbered(part[2], "", &w->port) ||
		w->port < first_port(w->u, w->node) ||
		w->port > last_port(w->u, w->node))
		return ENOENT;
	return in_port(w, part + 3, n - 3, out, kind);
}

/* Paths below /sys/class/infiniband_mad/ or /dev/infiniband/. */
static int
in_mad(struct where *w, char (*part)[PART], int n, bool dev, struct buf *out,
	uint32_t *kind)
{
	static const char *const files[] = {"ibdev", "port", NULL};
	uint32_t number;

	if (n == 0 && !dev)
		buf_put(out, "abi_version", sizeof("abi_version"));
	if (n == 0)
		return list_devices(w, out, kind);
	*kind = PROTO_FILE_TEXT;
	if (n == 1 && !dev && strcmp(part[0], "abi_version") == 0) {
		buf_printf(out, "%d\n", ABI_VERSION);
		return 0;
	}
	if ((!parse_numbered(part[0], "umad", &number) &&
		    !parse_numbered(part[0], "issm", &number)) ||
		!umadserve_file_device(
			w->u, w->node, number, &w->port, &w->side))
		return ENOENT;
	if (n == 1 && dev) {
		*kind = PROTO_FILE_DEVICE;
		return 0;
	}
	if (n == 1)
		return list_names(out, kind, files);
	if (n == 2 && !dev && strcmp(part[1], "ibdev") == 0)
		buf_printf(out, "%s\n",
			w->side == UMADSERVE_SMI ? SMI_DEVICE : DEVICE);
	else if (n == 2 && !dev && strcmp(part[1], "port") == 0)
		buf_printf(out, "%u\n", w->port);
	else
		return ENOENT;
	return 0;
}

int
umadserve_file(struct umadserve *u, uint32_t node, const char *path,
	struct buf *out, uint32_t *kind)
{
	struct where w = {.u = u, .node = node};
	struct path p;

	if (!split_path(path, &p))
		return ENOENT;
	if (p.n >= 2 && strcmp(p.part[0], "dev") == 0 &&
		strcmp(p.part[1], "infiniband") == 0)
		return in_mad(&w, p.part + 2, p.n - 2, true, out, kind);
	if (p.n < 3 || strcmp(p.part[0], "sys") != 0 ||
		strcmp(p.part[1], "class") != 0)
		return ENOENT;
	if (strcmp(p.part[2], "infiniband_mad") == 0)
		return in_mad(&w, p.part + 3, p.n - 3, false, out, kind);
	if (strcmp(p.part[2], "infiniband") == 0)
		return in_class(&w, p.part + 3, p.n - 3, out, kind);
	return ENOENT;
}
