/*
 * The list of OpenSM's options in heddle-migration(7): complete, each with a
 * reason, and what the tables say. With HEDDLE_UPDATE=1 it is rewritten instead
 * of compared.
 */
#include <stdio.h>
#include <string.h>

#include "config/config.h"
#include "config/config_priv.h"
#include "config/import/import_priv.h"
#include "routing/driver/registry.h"
#include "tests/unit/manual.h"
#include "tests/unit/suite.h"

/* The options of OpenSM 3.3.24, in alphabetical order. */
static const char *const all[] = {
	"accum_log_file",
	"allow_both_pkeys",
	"avoid_throttled_links",
	"babbling_port_policy",
	"cc_ca_cong_setting_ccti_increase",
	"cc_ca_cong_setting_ccti_min",
	"cc_ca_cong_setting_ccti_timer",
	"cc_ca_cong_setting_control_map",
	"cc_ca_cong_setting_port_control",
	"cc_ca_cong_setting_trigger_threshold",
	"cc_cct",
	"cc_key",
	"cc_max_outstanding_mads",
	"cc_sw_cong_setting_control_map",
	"cc_sw_cong_setting_credit_mask",
	"cc_sw_cong_setting_credit_starvation_return_delay",
	"cc_sw_cong_setting_credit_starvation_threshold",
	"cc_sw_cong_setting_marking_rate",
	"cc_sw_cong_setting_packet_size",
	"cc_sw_cong_setting_threshold",
	"cc_sw_cong_setting_victim_mask",
	"cn_guid_file",
	"congestion_control",
	"connect_roots",
	"console",
	"console_port",
	"consolidate_ipv6_snm_req",
	"daemon",
	"dimn_ports_file",
	"disable_multicast",
	"do_mesh_analysis",
	"drop_event_subscriptions",
	"dump_files_dir",
	"enable_quirks",
	"event_db_dump_file",
	"event_plugin_name",
	"event_plugin_options",
	"exit_on_fatal",
	"fdr10",
	"force_heavy_sweep",
	"force_link_speed",
	"force_link_speed_ext",
	"force_link_width",
	"force_log_flush",
	"fsync_high_avail_files",
	"guid",
	"guid_routing_order_file",
	"guid_routing_order_no_scatter",
	"head_of_queue_lifetime",
	"honor_guid2lid_file",
	"hop_weights_file",
	"ids_guid_file",
	"ignore_other_sm",
	"io_guid_file",
	"ipoib_mcgroup_creation_validation",
	"keep_pkey_indexes",
	"lash_start_vl",
	"leaf_head_of_queue_lifetime",
	"leaf_vl_stall_count",
	"lfts_file",
	"lid_matrix_dump_file",
	"lmc",
	"lmc_esp0",
	"local_phy_errors_threshold",
	"log_file",
	"log_flags",
	"log_max_size",
	"log_prefix",
	"long_transaction_timeout",
	"m_key",
	"m_key_lease_period",
	"m_key_lookup",
	"m_key_protection_level",
	"max_msg_fifo_timeout",
	"max_op_vls",
	"max_rate_enum",
	"max_reverse_hops",
	"max_smps_timeout",
	"max_wire_smps",
	"max_wire_smps2",
	"mcgroup_join_validation",
	"no_clients_rereg",
	"no_partition_enforcement",
	"node_name_map_name",
	"nue_include_switches",
	"nue_max_num_vls",
	"overrun_errors_threshold",
	"packet_life_time",
	"part_enforce",
	"partition_config_file",
	"per_module_logging_file",
	"perfmgr",
	"perfmgr_ignore_cas",
	"perfmgr_log_errors",
	"perfmgr_max_outstanding_queries",
	"perfmgr_query_cpi",
	"perfmgr_redir",
	"perfmgr_rm_nodes",
	"perfmgr_sweep_time_s",
	"perfmgr_xmit_wait_log",
	"perfmgr_xmit_wait_threshold",
	"polling_retry_number",
	"port_prof_ignore_file",
	"port_profile_switch_nodes",
	"port_search_ordering_file",
	"port_shifting",
	"prefix_routes_file",
	"qos",
	"qos_ca_high_limit",
	"qos_ca_max_vls",
	"qos_ca_sl2vl",
	"qos_ca_vlarb_high",
	"qos_ca_vlarb_low",
	"qos_high_limit",
	"qos_max_vls",
	"qos_policy_file",
	"qos_rtr_high_limit",
	"qos_rtr_max_vls",
	"qos_rtr_sl2vl",
	"qos_rtr_vlarb_high",
	"qos_rtr_vlarb_low",
	"qos_sl2vl",
	"qos_sw0_high_limit",
	"qos_sw0_max_vls",
	"qos_sw0_sl2vl",
	"qos_sw0_vlarb_high",
	"qos_sw0_vlarb_low",
	"qos_swe_high_limit",
	"qos_swe_max_vls",
	"qos_swe_sl2vl",
	"qos_swe_vlarb_high",
	"qos_swe_vlarb_low",
	"qos_vlarb_high",
	"qos_vlarb_low",
	"quasi_ftree_indexing",
	"reassign_lids",
	"root_guid_file",
	"routing_engine",
	"sa_db_dump",
	"sa_db_file",
	"sa_key",
	"scatter_ports",
	"single_thread",
	"sm_assigned_guid",
	"sm_inactive",
	"sm_key",
	"sm_priority",
	"sm_sl",
	"sminfo_polling_timeout",
	"subnet_prefix",
	"subnet_timeout",
	"suppress_sl2vl_mad_status_errors",
	"sweep_interval",
	"sweep_on_trap",
	"torus_config",
	"transaction_retries",
	"transaction_timeout",
	"use_mfttop",
	"use_optimized_slvl",
	"use_original_extended_sa_rates_only",
	"use_ucast_cache",
	"vl_stall_count",
};

/* Options that are more than a value of one key. */
static const struct {
	const char *key, *ours, *remark;
} parts[] = {
	{"allow_both_pkeys", "partitions", "members may be both"},
	{"lmc_esp0", "fabric.lmc.switches", "TRUE: the value of lmc"},
	{"max_op_vls", "link.max_vls",
		"1 to 5 stand for 1, 2, 4, 8 and 15 VLs"},
	{"no_partition_enforcement", "fabric.partition_enforcement",
		"false for TRUE"},
	{"part_enforce", "fabric.partition_enforcement",
		"false for off; in and out are both ways"},
	{"partition_config_file", "partitions", "the file is read"},
	{"prefix_routes_file", "sa.prefix_routes", "the file is read"},
	{"qos", "qos.levels", "they are made from the options qos_*"},
	{"qos_*high_limit", "qos.high_limit", "by the kind of port"},
	{"qos_policy_file", "qos.rules", "the file is read"},
	{"qos_sl2vl", "qos.levels", "SLs of one VL are one level"},
	{"qos_*vlarb_high", "qos.levels", "weights"},
	{"qos_*vlarb_low", "qos.levels", "weights"},
	{"root_guid_file", "routing.updn.roots",
		"the file is read; for ftree it becomes routing.roles.root"},
	{"routing_engine", "routing.engines",
		"names as in heddle-routing(7); for minhop and for none, the "
		"default, [ftree, updn]"},
	{"sa_key", "sa.trust_key",
		"but not 1, OpenSM's default, which is publicly known"},
	{"torus_config", "routing.torus.dimensions",
		"the file is read; without rings it is for dor"},
};

/* What the key with this name has as its default. */
static const char *
default_of(const struct config *c, const char *key)
{
	size_t i = 0;

	while (i < c->origins.n && strcmp(c->origins.item[i].key, key) != 0)
		i++;
	return i < c->origins.n ? c->origins.item[i].value : "";
}

/* True if a '*' of the pattern stands for any text in key. */
static bool
is_like(const char *pattern, const char *key)
{
	size_t n = strcspn(pattern, "*"), rest = strlen(pattern) - n;

	if (pattern[n] == '\0')
		return strcmp(pattern, key) == 0;
	rest--;
	return strncmp(pattern, key, n) == 0 && strlen(key) >= n + rest &&
	       strcmp(key + strlen(key) - rest, pattern + n + 1) == 0;
}

static void
print_option(const struct config *c, const char *key, struct buf *out)
{
	const char *stock, *ours = import_counterpart(key, &stock), *why;

	buf_printf(out, ".It Ic %s\n", key);
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (is_like(parts[i].key, key)) {
			buf_printf(out, ".Ic %s :\n%s.\n", parts[i].ours,
				parts[i].remark);
			return;
		}
	if (ours == NULL) {
		/* as for a value that is not OpenSM's default */
		(void)import_judge_option(key, "\n", &why);
		buf_printf(out, "%s.\n", why);
		return;
	}
	buf_printf(
		out, ".Ic %s ,\nby default %s.\n", ours, default_of(c, ours));
	if (stock != NULL)
		buf_printf(out, "OpenSM's default, %s, is not carried over.\n",
			stock);
}

/* The list for the manual page. */
static void
import_mdoc(const struct schema_module *const *modules, struct buf *out)
{
	struct diag_list d;
	struct config *c = config_parse("", "", 0, modules, &d);

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		print_option(c, all[i], out);
	config_unref(c);
	diag_free(&d);
}

enum { OPTIONS = 162 };

TEST(test_page)
{
	AUTO(buf) struct buf want = {0};

	import_mdoc(registry_modules(), &want);
	manual_expect("man/heddle-migration.7", "OPTIONS", &want);
}

/* None is passed over, listed twice, or without a key of Heddle or a reason. */
TEST(test_reasons)
{
	AUTO(buf) struct buf out = {0};
	char *line, *save = NULL, last[64] = "";
	unsigned n = 0;

	import_mdoc(registry_modules(), &out);
	for (line = strtok_r(out.text, "\n", &save); line != NULL;
		line = strtok_r(NULL, "\n", &save)) {
		if (strncmp(line, ".It Ic ", 7) == 0) {
			ck_assert_int_gt(strcmp(line + 7, last), 0);
			(void)snprintf(last, sizeof(last), "%s", line + 7);
			n++;
		}
		ck_assert_msg(strcmp(line, "no counterpart.") != 0 &&
				      strncmp(line, "not ", 4) != 0 &&
				      strcmp(line, "by default .") != 0,
			"%s: %s", last, line);
	}
	ck_assert_uint_eq(n, OPTIONS);
}

/* The row of a key names the options of OpenSM that become this key. */
TEST(test_names_in_rows)
{
	struct arena *a = arena_new();
	struct section keys = config_keys(a, registry_modules());
	const char *stock;

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		const char *ours = import_counterpart(all[i], &stock);
		const struct section_key *k;

		if (ours == NULL)
			continue;
		k = schema_section_find(&keys, ours);
		ck_assert_msg(k != NULL && k->o->opensm != NULL &&
				      strstr(k->o->opensm, all[i]) != NULL,
			"%s does not name %s", ours, all[i]);
	}
	arena_free(a);
}
