/*
 * OpenSM's options that have no counterpart: their default values (opensm -c
 * writes them all into its file), and what becomes of other values.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "config/import/import_priv.h"

static const struct {
	const char *key, *value;
} defaults[] = {
	{"accum_log_file", "TRUE"},
	{"allow_both_pkeys", "FALSE"},
	{"avoid_throttled_links", "FALSE"},
	{"babbling_port_policy", "FALSE"},
	{"cc_ca_cong_setting_ccti_increase", "0 0"},
	{"cc_ca_cong_setting_ccti_min", "0 0"},
	{"cc_ca_cong_setting_ccti_timer", "0 0"},
	{"cc_ca_cong_setting_control_map", "0x0000"},
	{"cc_ca_cong_setting_port_control", "0x0000"},
	{"cc_ca_cong_setting_trigger_threshold", "0 0"},
	{"cc_key", "0x0000000000000000"},
	{"cc_max_outstanding_mads", "500"},
	{"cc_sw_cong_setting_control_map", "0x0"},
	{"cc_sw_cong_setting_credit_mask", "0x000000000000000000000000000000000"
					   "0000000000000000000000000000000"},
	{"cc_sw_cong_setting_credit_starvation_return_delay", "0:0"},
	{"cc_sw_cong_setting_credit_starvation_threshold", "0x00"},
	{"cc_sw_cong_setting_marking_rate", "0"},
	{"cc_sw_cong_setting_packet_size", "0"},
	{"cc_sw_cong_setting_threshold", "0x00"},
	{"cc_sw_cong_setting_victim_mask", "0x000000000000000000000000000000000"
					   "0000000000000000000000000000000"},
	{"congestion_control", "FALSE"},
	{"connect_roots", "FALSE"},
	{"console", "off"},
	{"console_port", "10000"},
	{"consolidate_ipv6_snm_req", "FALSE"},
	{"daemon", "FALSE"},
	{"disable_multicast", "FALSE"},
	{"do_mesh_analysis", "FALSE"},
	{"drop_event_subscriptions", "FALSE"},
	{"dump_files_dir", "/var/log/"},
	{"enable_quirks", "FALSE"},
	{"exit_on_fatal", "TRUE"},
	{"fdr10", "1"},
	{"force_heavy_sweep", "FALSE"},
	{"force_link_speed", "15"},
	{"force_link_speed_ext", "31"},
	{"force_link_width", "255"},
	{"force_log_flush", "FALSE"},
	{"fsync_high_avail_files", "TRUE"},
	{"guid_routing_order_no_scatter", "FALSE"},
	{"honor_guid2lid_file", "FALSE"},
	{"ignore_other_sm", "FALSE"},
	{"ipoib_mcgroup_creation_validation", "TRUE"},
	{"keep_pkey_indexes", "TRUE"},
	{"lash_start_vl", "0"},
	{"leaf_vl_stall_count", "0x07"},
	{"log_file", "/var/log/opensm.log"},
	{"log_flags", "0x03"},
	{"log_max_size", "0"},
	{"long_transaction_timeout", "500"},
	{"m_key_lookup", "TRUE"},
	{"max_msg_fifo_timeout", "10000"},
	{"max_reverse_hops", "0"},
	{"max_smps_timeout", "600000"},
	{"max_wire_smps2", "4"},
	{"mcgroup_join_validation", "TRUE"},
	{"no_clients_rereg", "FALSE"},
	{"nue_include_switches", "FALSE"},
	{"per_module_logging_file", "/etc/opensm/per-module-logging.conf"},
	{"perfmgr", "FALSE"},
	{"perfmgr_ignore_cas", "FALSE"},
	{"perfmgr_log_errors", "TRUE"},
	{"perfmgr_max_outstanding_queries", "500"},
	{"perfmgr_query_cpi", "TRUE"},
	{"perfmgr_redir", "TRUE"},
	{"perfmgr_rm_nodes", "TRUE"},
	{"perfmgr_sweep_time_s", "180"},
	{"perfmgr_xmit_wait_log", "FALSE"},
	{"perfmgr_xmit_wait_threshold", "65535"},
	{"port_profile_switch_nodes", "FALSE"},
	{"port_shifting", "FALSE"},
	{"qos", "FALSE"},
	{"qos_ca_high_limit", "-1"},
	{"qos_ca_max_vls", "0"},
	{"qos_high_limit", "-1"},
	{"qos_max_vls", "0"},
	{"qos_rtr_high_limit", "-1"},
	{"qos_rtr_max_vls", "0"},
	{"qos_sw0_high_limit", "-1"},
	{"qos_sw0_max_vls", "0"},
	{"qos_swe_high_limit", "-1"},
	{"qos_swe_max_vls", "0"},
	{"quasi_ftree_indexing", "FALSE"},
	{"reassign_lids", "FALSE"},
	{"sa_db_dump", "FALSE"},
	{"scatter_ports", "0"},
	{"single_thread", "FALSE"},
	{"sm_assigned_guid", "0x00"},
	{"sm_inactive", "FALSE"},
	{"sm_sl", "0"},
	{"suppress_sl2vl_mad_status_errors", "FALSE"},
	{"sweep_on_trap", "TRUE"},
	{"use_mfttop", "TRUE"},
	{"use_optimized_slvl", "FALSE"},
	{"use_original_extended_sa_rates_only", "FALSE"},
	{"use_ucast_cache", "FALSE"},
};

static const char no_log[] = "Heddle logs to the journal or standard error";
static const char no_perf[] =
	"no counterpart: health.enabled has the counters of ports read, and "
	"health.port_metrics gives them to Prometheus";
static const char no_congestion[] =
	"no counterpart: Heddle does not configure congestion control";
static const char no_dump[] =
	"no counterpart: heddlectl shows the fabric and its routes";
static const char no_console[] = "no counterpart: use heddlectl";
static const char no_lash[] = "no counterpart: nue takes the place of lash";
static const char no_order[] =
	"no counterpart: Heddle balances by the routes that there are, not by "
	"an order";
static const char no_level[] =
	"no counterpart: a level has one VL at all ports";
static const char no_speed[] =
	"no counterpart: speeds and widths of links are not set";
static const char no_rate[] =
	"no counterpart: paths have the rates of their links";

/* A key, or with '*' the beginning of one. */
static const struct {
	const char *key;
	bool same; /* nothing is lost */
	const char *why;
} others[] = {
	{"accum_log_file", true, no_log},
	{"avoid_throttled_links", false,
		"no counterpart: links that are slower than they could be are "
		"used; heddlectl links names them"},
	{"babbling_port_policy", false,
		"no counterpart: no port is switched off for its traps"},
	{"cc_*", false, no_congestion},
	{"cn_guid_file", false,
		"no counterpart: Heddle treats all hosts alike"},
	{"congestion_control", false, no_congestion},
	{"connect_roots", true, "always so in Heddle"},
	{"console*", false, no_console},
	{"consolidate_ipv6_snm_req", false,
		"no counterpart: groups of IPv6 are groups like others"},
	{"daemon", true, "heddled runs under systemd"},
	{"dimn_ports_file", false,
		"no counterpart: dor takes dimensions by the ports that they "
		"are cabled to"},
	{"disable_multicast", false,
		"no counterpart: there is always multicast"},
	{"do_mesh_analysis", false, no_lash},
	{"drop_event_subscriptions", false,
		"no counterpart: what hosts registered is kept as long as they "
		"are there"},
	{"dump_files_dir", false, no_dump},
	{"enable_quirks", false,
		"no counterpart: it allows experiments of OpenSM's own"},
	{"event_db_dump_file", false, no_perf},
	{"event_plugin_*", false,
		"no counterpart: Heddle has no plugins; heddlectl events shows "
		"events"},
	{"exit_on_fatal", false,
		"no counterpart: Heddle leaves out the part of the fabric that "
		"is wrong, and says so"},
	{"fdr10", false, "no counterpart: FDR10 is not switched on or off"},
	{"force_heavy_sweep", false,
		"no counterpart: heddlectl sweep sweeps the whole fabric"},
	{"force_link_*", false, no_speed},
	{"force_log_flush", true, no_log},
	{"fsync_high_avail_files", true, "always so in Heddle"},
	{"guid_routing_order_*", false, no_order},
	{"honor_guid2lid_file", false,
		"ports that are up keep their LIDs at the switch-over; one "
		"that is down then may get another"},
	{"hop_weights_file", false,
		"no counterpart: weights of links are not configured"},
	{"ids_guid_file", false, "no counterpart: updn orders switches itself"},
	{"ignore_other_sm", false, "no counterpart: a fabric has one master"},
	{"io_guid_file", false,
		"no counterpart: Heddle treats all hosts alike"},
	{"ipoib_mcgroup_creation_validation", false,
		"no counterpart: a new group is judged by itself"},
	{"keep_pkey_indexes", true, "always so in Heddle"},
	{"lash_start_vl", false, no_lash},
	{"leaf_vl_stall_count", false,
		"no counterpart: link.vl_stall_count is that of all ports"},
	{"lfts_file", false, no_dump},
	{"lid_matrix_dump_file", false, no_dump},
	{"log_*", true, no_log},
	{"long_transaction_timeout", false,
		"no counterpart: smp.timeout is that of all requests"},
	{"m_key_lookup", false,
		"no counterpart: keys that ports may have are fabric.m_key and "
		"fabric.m_keys_known"},
	{"max_msg_fifo_timeout", false,
		"no counterpart: see sa.requests_per_second"},
	{"max_rate_enum", false, no_rate},
	{"max_reverse_hops", false,
		"no counterpart: Heddle treats all hosts alike"},
	{"max_smps_timeout", false,
		"no counterpart: smp.window_max is the most, and answers "
		"decide below it"},
	{"max_wire_smps2", false,
		"no counterpart: smp.window_max is the most, and answers "
		"decide below it"},
	{"mcgroup_join_validation", false, "always so in Heddle"},
	{"no_clients_rereg", false,
		"no counterpart: hosts are asked to register again where it is "
		"needed"},
	{"node_name_map_name", false,
		"no counterpart: Heddle shows NodeDescriptions"},
	{"nue_include_switches", true, "always so in Heddle"},
	{"per_module_logging_file", true, no_log},
	{"perfmgr*", false, no_perf},
	{"port_prof*", false, no_order},
	{"port_search_ordering_file", false, no_order},
	{"port_shifting", false, no_order},
	{"qos_max_vls", false, "link.max_vls limits the VLs of all ports"},
	{"qos_ca_max_vls", false, "link.max_vls limits the VLs of all ports"},
	{"qos_ca_sl2vl", false, no_level},
	{"qos_rtr_max_vls", false, "link.max_vls limits the VLs of all ports"},
	{"qos_rtr_sl2vl", false, no_level},
	{"qos_sw0_max_vls", false, "link.max_vls limits the VLs of all ports"},
	{"qos_sw0_sl2vl", false, no_level},
	{"qos_swe_max_vls", false, "link.max_vls limits the VLs of all ports"},
	{"qos_swe_sl2vl", false, no_level},
	{"qos_*", false, "not understood"},
	{"quasi_ftree_indexing", false,
		"no counterpart: an option of OpenSM's ftree"},
	{"reassign_lids", false, "no counterpart: ports keep their LIDs"},
	{"remote_guid_sorting", true, "always so in Heddle"},
	{"sa_db_dump", true,
		"what hosts registered is always kept, in state.dir"},
	{"sa_db_file", false,
		"no counterpart: what hosts registered is kept in state.dir"},
	{"scatter_ports", false, no_order},
	{"single_thread", false, "no counterpart: see routing.threads"},
	{"sm_assigned_guid", false,
		"no counterpart: alias GUIDs are those that hosts ask for"},
	{"sm_inactive", false,
		"no counterpart: a heddled that shall do nothing is not "
		"started"},
	{"sm_sl", false, "no counterpart: subnet administration has SL 0"},
	{"suppress_sl2vl_mad_status_errors", true, no_log},
	{"sweep_on_trap", false,
		"no counterpart: the switches that a trap names are always "
		"asked"},
	{"use_mfttop", false, "always so in Heddle, where a switch can"},
	{"use_optimized_slvl", true, "always so in Heddle, where a switch can"},
	{"use_original_extended_sa_rates_only", false, no_rate},
	{"use_ucast_cache", true, "always so in Heddle"},
};

bool
import_is_default(const char *is, const char *value)
{
	char *end;

	/* numbers are written in more than one way */
	return strcasecmp(is, value) == 0 ||
	       (strtoull(value, &end, 0) == strtoull(is, NULL, 0) &&
		       end != value && *end == '\0' &&
		       strpbrk(is, " :") == NULL);
}

static bool
is_named(const char *pattern, const char *key)
{
	size_t n = strcspn(pattern, "*");

	return pattern[n] == '*' ? strncmp(pattern, key, n) == 0
				 : strcmp(pattern, key) == 0;
}

enum import_known
import_judge_option(const char *key, const char *value, const char **why)
{
	bool known = false;

	*why = "no counterpart";
	for (size_t i = 0; i < sizeof(defaults) / sizeof(defaults[0]); i++) {
		if (strcmp(defaults[i].key, key) != 0)
			continue;
		if (import_is_default(defaults[i].value, value))
			return IMPORT_DEFAULT;
		known = true;
	}
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (is_named(others[i].key, key)) {
			*why = others[i].why;
			return others[i].same ? IMPORT_SAME : IMPORT_LOST;
		}
	if (!known)
		*why = "not known as an option of OpenSM";
	return known ? IMPORT_LOST : IMPORT_UNKNOWN;
}
