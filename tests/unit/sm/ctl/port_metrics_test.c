/* The counters of ports as metrics, from a daemon that reads them. */
#include <stdlib.h>
#include <string.h>

#include "sm/ctl/port_metrics.h"
#include "sm/mad/mad_perf.h"
#include "sm/report/counters_json.h"
#include "sm/report/json_util.h"
#include "tests/topo/shape.h"
#include "tests/unit/core_fixture.h"
#include "tests/unit/manual.h"

/* All pages of the command counters, and in *pages their number. */
static json_t *
read_pages(const struct world *w, unsigned *pages)
{
	const struct links_facts f = {
		.t = sm_view(w->sm)->topo,
		.health = sm_health(w->sm),
		.limits = sm_link_limits(w->sm),
		.now = sim_now(w->sim),
	};
	AUTO(json) json_t *request = json_pack("{s:s}", "cmd", "counters");
	json_t *nodes = json_array(), *reply, *next;
	bool more = true;

	for (*pages = 0; more; (*pages)++) {
		struct answer *a = counters_answer(request, &f);
		AUTO(buf) struct buf text = {0};

		while (answer_more(a, SIZE_MAX, &text))
			;
		(void)answer_free(a);
		reply = json_loads(text.text, 0, NULL);
		ck_assert_msg(json_util_yes(reply, "ok"), "%s", text.text);
		next = json_object_get(
			json_object_get(reply, "result"), "next");
		more = json_is_string(next);
		if (more)
			(void)json_object_set(request, "after", next);
		(void)json_array_extend(
			nodes, json_object_get(json_object_get(reply, "result"),
				       "nodes"));
		json_decref(reply);
	}
	return nodes;
}

static unsigned
count_lines(const char *text, const char *begin)
{
	unsigned n = 0;

	for (const char *at = text; (at = strstr(at, begin)) != NULL; at++)
		n += at == text || at[-1] == '\n';
	return n;
}

static void
expect_line(const struct buf *b, const char *line)
{
	ck_assert_msg(count_lines(b->text, line) == 1, "no %s in %.3000s", line,
		b->text);
}

/* The manual names each counter in the page. */
static void
expect_in_manual(const char *page)
{
	static const char head[] = "# HELP infiniband_switch_port";
	struct buf manual = read_file(source_path("man/heddle-metrics.7"));
	unsigned n = 0;

	for (const char *at = page; (at = strstr(at, head)) != NULL; n++) {
		char item[80];

		at += sizeof(head) - 1;
		(void)snprintf(item, sizeof(item), "\n.It Li %.*s\n",
			(int)strcspn(at, " "), at);
		ck_assert_msg(strstr(manual.text, item) != NULL, "%s", item);
	}
	ck_assert_uint_gt(n, 10);
	buf_free(&manual);
}

/* 648 hosts, 2592 ports: many pages. */
TEST(every_port_once)
{
	AUTO(fabric) struct fabric *f = shape_of("two:18:36:18");
	AUTO(world)
	struct world *w = core_start(f,
		"health: {enabled: true, interval: 1s, port_metrics: true}\n");
	AUTO(buf) struct buf out = {0};
	unsigned pages;
	AUTO(json) json_t *nodes = NULL;

	core_expect_order(w, "start");
	world_run(w, mono_ms(15000));
	nodes = read_pages(w, &pages);
	ck_assert_uint_gt(pages, 5);
	ck_assert_uint_eq(json_array_size(nodes), 702);
	port_metrics_text(nodes, &out);
	ck_assert_uint_eq(
		count_lines(out.text, "infiniband_hca_port_link_downed_total{"),
		648);
	ck_assert_uint_eq(count_lines(out.text,
				  "infiniband_switch_port_link_downed_total{"),
		648 + 2 * 648);
	ck_assert_uint_eq(
		count_lines(out.text, "# TYPE infiniband_switch_info "), 1);
	ck_assert_uint_eq(count_lines(out.text, "infiniband_switch_info{"), 54);
	expect_in_manual(out.text);
}

TEST(names_and_units)
{
	AUTO(fabric) struct fabric *f = core_tree();
	AUTO(world) struct world *w = core_start(f, "");
	uint32_t leaf = fabric_find(f, "leaf1");
	AUTO(buf) struct buf out = {0};
	unsigned pages;
	AUTO(json) json_t *nodes = NULL;

	core_expect_order(w, "start");
	world_run(w, mono_ms(5000)); /* names */
	sim_hand_counter(w->sim, leaf, 5, MAD_PERF_RCV_MULTICAST, 6000000000);
	sim_hand_counter(w->sim, leaf, 5, MAD_PERF_XMIT_WAIT, 17);
	sim_hand_counter(
		w->sim, fabric_find(f, "h7"), 1, MAD_PERF_SYMBOL_ERRORS, 70000);
	world_reload(w,
		"health: {enabled: true, interval: 10s, port_metrics: true}\n");
	world_run(w, mono_ms(5000));
	/* what the first pass counted as data is not known here */
	sim_hand_counter(w->sim, leaf, 5, MAD_PERF_XMIT_DATA, 1ULL << 40);
	world_run(w, mono_ms(10000));
	nodes = read_pages(w, &pages);
	ck_assert_uint_eq(pages, 1);
	port_metrics_text(nodes, &out);
	expect_line(&out,
		"infiniband_switch_port_multicast_receive_packets_total{guid="
		"\"0x0002c90200000100\",port=\"5\"} 6000000000\n");
	expect_line(&out, "infiniband_switch_port_transmit_wait_total{guid="
			  "\"0x0002c90200000100\",port=\"5\"} 17\n");
	/* bytes, not words; packets of this pass come on top */
	expect_line(&out,
		"infiniband_switch_port_transmit_data_bytes_total{guid="
		"\"0x0002c90200000100\",port=\"5\"} 439804");
	expect_line(&out, "infiniband_hca_port_symbol_error_total{guid="
			  "\"0x0002c90300000900\",port=\"1\"} 65535\n");
	expect_line(&out, "infiniband_switch_info{guid=\"0x0002c90200000100\","
			  "switch=\"leaf1\",lid=\"33\"} 1\n");
	expect_line(&out,
		"infiniband_hca_uplink_info{guid=\"0x0002c90300000900\","
		"port=\"1\",hca=\"h7\",uplink=\"leaf2\",uplink_guid="
		"\"0x0002c90200000600\",uplink_type=\"SW\",uplink_port="
		"\"3\",uplink_lid=\"");
}

/* What error correction counts: by lane up to EDR, of the port from HDR on. */
TEST(error_correction)
{
	struct fabric *f = core_tree();
	struct world *w;
	struct sim_behaviour how;
	struct mad_perf_fec *fec;
	struct buf out = {0};
	unsigned pages;
	json_t *nodes;
	uint32_t leaf = fabric_find(f, "leaf1");

	f->cable[f->port[f->node[leaf].first + 5].cable].rate.speed_ext =
		PORT_EDR;
	w = core_start(f, "");
	core_expect_order(w, "start");
	how = *sim_behaviour(w->sim, leaf);
	how.fec = true;
	sim_fault_behave(w->sim, leaf, &how);
	fec = sim_fec(w->sim, leaf, 5);
	fec->lane_corrected[0] = 30;
	fec->lane_corrected[3] = 12;
	fec->lane_uncorrectable[1] = 5;
	fec->detected[2] = 7;
	sim_fec(w->sim, leaf, 6)->corrected_symbols = 99;
	world_reload(w,
		"health: {enabled: true, interval: 1s, port_metrics: true}\n");
	world_run(w, mono_ms(5000));
	nodes = read_pages(w, &pages);
	port_metrics_text(nodes, &out);
	expect_line(&out,
		"infiniband_switch_port_fec_lanes_corrected_blocks_total{guid="
		"\"0x0002c90200000100\",port=\"5\"} 42\n");
	expect_line(&out,
		"infiniband_switch_port_fec_lanes_uncorrectable_blocks_total{"
		"guid=\"0x0002c90200000100\",port=\"5\"} 5\n");
	expect_line(&out, "infiniband_switch_port_detected_errors_total{guid="
			  "\"0x0002c90200000100\",port=\"5\"} 7\n");
	expect_line(&out,
		"infiniband_switch_port_fec_corrected_symbols_total{guid="
		"\"0x0002c90200000100\",port=\"6\"} 99\n");
	expect_in_manual(out.text);
	buf_free(&out);
	json_decref(nodes);
	core_end(w, f);
}
