#include "sm/ctl/port_metrics.h"

#include <stdbool.h>
#include <string.h>

#include "sm/ctl/metrics.h"
#include "sm/report/json_util.h"

/* Families of a port, after infiniband_switch_port_ or infiniband_hca_port_, by
 * the counter that they tell; data is in words of 4 bytes; 0: a ratio. */
static const struct {
	const char *name, *counter;
	unsigned unit;
} families[] = {
	{"transmit_data_bytes_total", "PortXmitData", 4},
	{"receive_data_bytes_total", "PortRcvData", 4},
	{"transmit_packets_total", "PortXmitPkts", 1},
	{"receive_packets_total", "PortRcvPkts", 1},
	{"unicast_transmit_packets_total", "PortUnicastXmitPkts", 1},
	{"unicast_receive_packets_total", "PortUnicastRcvPkts", 1},
	{"multicast_transmit_packets_total", "PortMulticastXmitPkts", 1},
	{"multicast_receive_packets_total", "PortMulticastRcvPkts", 1},
	{"symbol_error_total", "SymbolErrorCounter", 1},
	{"link_error_recovery_total", "LinkErrorRecoveryCounter", 1},
	{"link_downed_total", "LinkDownedCounter", 1},
	{"receive_errors_total", "PortRcvErrors", 1},
	{"receive_remote_physical_errors_total", "PortRcvRemotePhysicalErrors",
		1},
	{"receive_switch_relay_errors_total", "PortRcvSwitchRelayErrors", 1},
	{"transmit_discards_total", "PortXmitDiscards", 1},
	{"transmit_constraint_errors_total", "PortXmitConstraintErrors", 1},
	{"receive_constraint_errors_total", "PortRcvConstraintErrors", 1},
	{"local_link_integrity_errors_total", "LocalLinkIntegrityErrors", 1},
	{"excessive_buffer_overrun_errors_total",
		"ExcessiveBufferOverrunErrors", 1},
	{"vl15_dropped_total", "VL15Dropped", 1},
	{"transmit_wait_total", "PortXmitWait", 1},
	{"fec_corrected_symbols_total", "PortFECCorrectedSymbolCounter", 1},
	{"fec_uncorrectable_blocks_total", "PortFECUncorrectableBlockCounter",
		1},
	/* sums of all lanes */
	{"fec_lanes_corrected_blocks_total", "FECCorrectableBlockCtrLane", 1},
	{"fec_lanes_uncorrectable_blocks_total", "FECUncorrectableBlockCtrLane",
		1},
	{"detected_errors_total", "ErrorDetectionCounterLane", 1},
	/* of an hour */
	{"raw_ber", "RawBER", 0},
	{"effective_ber", "EffectiveBER", 0},
};

enum { FAMILIES = sizeof(families) / sizeof(families[0]) };

/* Switches, or all other nodes. */
static const char *const kinds[] = {"switch", "hca"};

static bool
is_of_kind(const json_t *node, const char *kind)
{
	bool is_switch = strcmp(json_util_text(node, "type"), kinds[0]) == 0;

	return is_switch == (kind == kinds[0]);
}

static void
put_label(const char *name, const char *value, bool last, struct buf *out)
{
	buf_printf(out, "%s=\"", name);
	metrics_escape(value, out);
	buf_printf(out, last ? "\"" : "\",");
}

static void
put_family(
	const json_t *nodes, const char *kind, size_t family, struct buf *out)
{
	const json_t *node, *port;
	const unsigned unit = families[family].unit;
	size_t i, k;
	bool begun = false;

	json_array_foreach(nodes, i, node)
	{
		if (!is_of_kind(node, kind))
			continue;
		json_array_foreach(json_object_get(node, "ports"), k, port)
		{
			const json_t *n = json_object_get(
				json_object_get(port, "counters"),
				families[family].counter);

			if (n == NULL)
				continue;
			if (!begun)
				buf_printf(out,
					"# HELP infiniband_%s_port_%s %s of "
					"a port.\n"
					"# TYPE infiniband_%s_port_%s %s\n",
					kind, families[family].name,
					families[family].counter, kind,
					families[family].name,
					unit > 0 ? "counter" : "gauge");
			begun = true;
			buf_printf(out,
				"infiniband_%s_port_%s{guid=\"%s\",port="
				"\"%lld\"} ",
				kind, families[family].name,
				json_util_text(node, "guid"),
				json_util_num(port, "port"));
			if (unit == 0)
				buf_printf(out, "%.3g\n", json_real_value(n));
			else
				buf_printf(out, "%llu\n",
					(unsigned long long)json_integer_value(
						n) *
						unit);
		}
	}
}

static void
put_info(const json_t *nodes, const char *kind, struct buf *out)
{
	const json_t *node;
	size_t i;
	bool begun = false;

	json_array_foreach(nodes, i, node)
	{
		char lid[16];

		if (!is_of_kind(node, kind) ||
			json_array_size(json_object_get(node, "ports")) == 0)
			continue;
		if (!begun)
			buf_printf(out,
				"# HELP infiniband_%s_info The node of a "
				"GUID.\n# TYPE infiniband_%s_info gauge\n",
				kind, kind);
		begun = true;
		(void)snprintf(
			lid, sizeof(lid), "%lld", json_util_num(node, "lid"));
		buf_printf(out, "infiniband_%s_info{", kind);
		put_label("guid", json_util_text(node, "guid"), false, out);
		put_label(kind, json_util_text(node, "name"), false, out);
		put_label("lid", lid, true, out);
		buf_printf(out, "} 1\n");
	}
}

static void
put_uplink(const json_t *node, const json_t *port, const char *kind,
	struct buf *out)
{
	const json_t *peer = json_object_get(port, "peer");
	bool to_switch = is_of_kind(peer, kinds[0]);

	buf_printf(out, "infiniband_%s_uplink_info{", kind);
	put_label("guid", json_util_text(node, "guid"), false, out);
	buf_printf(out, "port=\"%lld\",", json_util_num(port, "port"));
	put_label(kind, json_util_text(node, "name"), false, out);
	put_label("uplink", json_util_text(peer, "name"), false, out);
	put_label("uplink_guid", json_util_text(peer, "guid"), false, out);
	put_label("uplink_type", to_switch ? "SW" : "CA", false, out);
	buf_printf(out, "uplink_port=\"%lld\",uplink_lid=\"%lld\"} 1\n",
		json_util_num(peer, "port"), json_util_num(peer, "lid"));
}

static void
put_uplinks(const json_t *nodes, const char *kind, struct buf *out)
{
	const json_t *node, *port;
	size_t i, k;
	bool begun = false;

	json_array_foreach(nodes, i, node)
	{
		if (!is_of_kind(node, kind))
			continue;
		json_array_foreach(json_object_get(node, "ports"), k, port)
		{
			if (!begun)
				buf_printf(out,
					"# HELP infiniband_%s_uplink_info "
					"What a port is linked to.\n"
					"# TYPE infiniband_%s_uplink_info "
					"gauge\n",
					kind, kind);
			begun = true;
			put_uplink(node, port, kind, out);
		}
	}
}

void
port_metrics_text(const json_t *nodes, struct buf *out)
{
	for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
		put_info(nodes, kinds[k], out);
		put_uplinks(nodes, kinds[k], out);
		for (size_t i = 0; i < FAMILIES; i++)
			put_family(nodes, kinds[k], i, out);
	}
}
