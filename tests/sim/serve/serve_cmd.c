#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sm/mad/mad_role.h"
#include "tests/sim/referee/referee.h"
#include "tests/sim/serve/serve_int.h"
#include "tests/sim/serve/serve_show.h"

enum { MAX_WORDS = 5, MILLION = 1000000, US_MAX = 60 * MILLION };

/* A command's words, cut out of a copy of its line. */
struct words {
	char text[SERVE_LINE_MAX];
	char *w[MAX_WORDS];
	unsigned n;
};

/* Blanks separate words, except between double quotes. */
static int
split_words(const char *line, struct words *out, struct reason *why)
{
	char *at = out->text;

	(void)snprintf(out->text, sizeof(out->text), "%s", line);
	out->n = 0;
	for (;;) {
		char end = ' ';

		at += strspn(at, " \t\r");
		if (*at == '\0')
			return 0;
		if (out->n == MAX_WORDS)
			return reason_set(why, "too many words");
		if (*at == '"') {
			end = '"';
			at++;
		}
		out->w[out->n++] = at;
		while (*at && *at != end && (end == '"' || *at != '\t'))
			at++;
		if (*at == '\0' && end == '"')
			return reason_set(why, "a quote is missing");
		if (*at)
			*at++ = '\0';
	}
}

static int
find_node(const struct serve *s, const char *text, uint32_t *node,
	unsigned *port, struct reason *why)
{
	*node = serve_node_port(s, text, port);
	if (*node == FABRIC_NONE)
		return reason_set(
			why, "no node, or more than one, is \"%s\"", text);
	return 0;
}

static int
on_or_off(const char *word, const char *on, const char *off, bool *out,
	struct reason *why)
{
	*out = strcmp(word, on) == 0;
	if (*out || strcmp(word, off) == 0)
		return 0;
	return reason_set(why, "\"%s\": it should be %s or %s", word, on, off);
}

static int
parse_number(const char *word, double max, double *out, struct reason *why)
{
	char *end;

	*out = strtod(word, &end);
	if (end == word || *end || !(*out >= 0) || *out > max)
		return reason_set(
			why, "\"%s\" is no number from 0 to %.0f", word, max);
	return 0;
}

static int
cmd_link(struct serve *s, const struct words *w, struct buf *out,
	struct reason *why)
{
	uint32_t node;
	unsigned port, n = 0;
	bool up;

	if (find_node(s, w->w[1], &node, &port, why) ||
		on_or_off(w->w[2], "up", "down", &up, why))
		return -1;
	for (unsigned p = 1; p <= s->f->node[node].nports; p++) {
		if ((port && p != port) ||
			fabric_port(s->f, node, p)->cable == FABRIC_NONE)
			continue;
		sim_fault_link(s->sim, node, p, up);
		n++;
	}
	if (n == 0)
		return reason_set(why, "there is no cable in %s", w->w[1]);
	buf_printf(out, "%u link%s %s\n", n, n == 1 ? "" : "s", w->w[2]);
	return 0;
}

/* A port that has a cable. */
static int
find_cable(const struct serve *s, const char *text, uint32_t *node,
	unsigned *port, struct reason *why)
{
	if (find_node(s, text, node, port, why))
		return -1;
	if (*port == 0 || fabric_port(s->f, *node, *port)->cable == FABRIC_NONE)
		return reason_set(why, "%s is no port with a cable", text);
	return 0;
}

static int
cmd_swap(struct serve *s, const struct words *w, struct buf *out,
	struct reason *why)
{
	uint32_t a, b;
	unsigned pa, pb;

	(void)out;
	if (find_cable(s, w->w[1], &a, &pa, why) ||
		find_cable(s, w->w[2], &b, &pb, why))
		return -1;
	if (s->traffic != NULL)
		return reason_set(why, "not while there is traffic");
	if (fabric_port(s->f, a, pa)->cable == fabric_port(s->f, b, pb)->cable)
		return reason_set(why, "both are ends of one cable");
	fabric_swap(s->f, a, pa, b, pb);
	sim_fault_swap(s->sim, s->f, a, pa, b, pb);
	return 0;
}

/* reboot, remove and return */
static int
cmd_node(struct serve *s, const struct words *w, struct buf *out,
	struct reason *why)
{
	uint32_t node;
	unsigned port;
	bool back = strcmp(w->w[0], "return") == 0;

	(void)out;
	if (find_node(s, w->w[1], &node, &port, why))
		return -1;
	if (sim_present(s->sim, node) == back)
		return reason_set(
			why, "%s is %s", w->w[1], back ? "there" : "not there");
	if (strcmp(w->w[0], "reboot") == 0)
		sim_fault_reboot(s->sim, node);
	else
		sim_fault_node(s->sim, node, back);
	return 0;
}

static int
cmd_loss(struct serve *s, const struct words *w, struct buf *out,
	struct reason *why)
{
	double v;

	(void)out;
	if (parse_number(w->w[1], 1000, &v, why))
		return -1;
	s->o.sim.faults.loss = (uint32_t)(v * 1000);
	sim_fault_chances(s->sim, &s->o.sim.faults);
	return 0;
}

static int
cmd_delay(struct serve *s, const struct words *w, struct buf *out,
	struct reason *why)
{
	double v;

	(void)out;
	if (parse_number(w->w[1], US_MAX, &v, why))
		return -1;
	s->o.sim.faults.delay = v > 0 ? MILLION : 0;
	s->o.sim.faults.delay_max = mono_us((int64_t)v);
	sim_fault_chances(s->sim, &s->o.sim.faults);
	return 0;
}

/* A node, and its present behaviour. */
static int
find_behaviour(struct serve *s, const char *word, uint32_t *node,
	struct sim_behaviour *b, struct reason *why)
{
	unsigned port;

	if (find_node(s, word, node, &port, why))
		return -1;
	*b = *sim_behaviour(s->sim, *node);
	return 0;
}

static int
cmd_hang(struct serve *s, const struct words *w, struct buf *out,
	struct reason *why)
{
	struct sim_behaviour b;
	uint32_t node;

	(void)out;
	if (find_behaviour(s, w->w[1], &node, &b, why) ||
		on_or_off(w->w[2], "on", "off", &b.hung, why))
		return -1;
	sim_fault_behave(s->sim, node, &b);
	return 0;
}

/* The bit of an attribute, by its name or the first letters of it. */
static int
parse_attribute(const char *word, uint64_t *bit, struct reason *why)
{
	if (strcmp(mad_attr_name(MAD_ROLE), word) == 0) {
		*bit = SIM_ROLE_BIT;
		return 0;
	}
	for (uint16_t a = 1; a < 64; a++)
		if (strlen(word) > 2 && *word != 'u' &&
			strncmp(mad_attr_name(a), word, strlen(word)) == 0) {
			*bit = UINT64_C(1) << a;
			return 0;
		}
	return reason_set(why, "no attribute is called \"%s\"", word);
}

/* Make a node misbehave; faults add up until `off`. */
static int
cmd_fault(struct serve *s, const struct words *w, struct buf *out,
	struct reason *why)
{
	const char *what = w->w[2];
	struct sim_behaviour b;
	uint64_t bit = 0;
	uint32_t node;
	unsigned port;

	(void)out;
	if (find_node(s, w->w[1], &node, &port, why) ||
		find_behaviour(s, w->w[1], &node, &b, why) ||
		(w->n == 4 && parse_attribute(w->w[3], &bit, why)))
		return -1;
	if (w->n == 3 && strcmp(what, "off") == 0)
		b = (struct sim_behaviour){0};
	else if (w->n == 3 && strcmp(what, "role") == 0)
		b.bad_role = true;
	else if (w->n == 3 && strcmp(what, "mtu") == 0 && port != 0)
		b.keeps_mtu = (uint8_t)port;
	else if (w->n == 4 && strcmp(what, "lie") == 0)
		b.lies |= bit;
	else if (w->n == 4 && strcmp(what, "refuse") == 0)
		b.refuse |= bit;
	else if (w->n == 4 && strcmp(what, "mute") == 0)
		b.mute |= bit;
	else
		return reason_set(why,
			"it can lie, refuse or mute an ATTRIBUTE, have a bad "
			"role, keep the mtu of NODE/PORT, or be off");
	sim_fault_behave(s->sim, node, &b);
	return 0;
}

static int
parse_counter(const char *word, enum mad_perf_kind *kind, struct reason *why)
{
	for (unsigned k = 0; k < MAD_PERF_KINDS; k++)
		if (strcmp(mad_perf_name((enum mad_perf_kind)k), word) == 0) {
			*kind = (enum mad_perf_kind)k;
			return 0;
		}
	return reason_set(why,
		"no counter is called \"%s\": perfquery(8) has their names",
		word);
}

/* A counter of error correction, or NULL: it is none of these. */
static uint32_t *
find_fec_counter(
	struct serve *s, uint32_t node, unsigned port, const char *word)
{
	struct mad_perf_fec *fec = sim_fec(s->sim, node, port);
	const struct {
		const char *name;
		uint32_t *at;
		bool lanes;
	} counters[] = {
		{"PortFECCorrectedSymbolCounter", &fec->corrected_symbols,
			false},
		{"PortFECCorrectableBlockCounter", &fec->corrected_blocks,
			false},
		{"PortFECUncorrectableBlockCounter", &fec->uncorrectable_blocks,
			false},
		{"ErrorDetectionCounterLane", fec->detected, true},
		{"FECCorrectableBlockCtrLane", fec->lane_corrected, true},
		{"FECUncorrectableBlockCtrLane", fec->lane_uncorrectable, true},
	};

	for (size_t i = 0; i < sizeof(counters) / sizeof(counters[0]); i++) {
		const size_t n = strlen(counters[i].name);
		unsigned long lane;
		char *end;

		if (strncmp(word, counters[i].name, n) != 0)
			continue;
		if (!counters[i].lanes)
			return word[n] == '\0' ? counters[i].at : NULL;
		lane = strtoul(word + n, &end, 10);
		return isdigit((unsigned char)word[n]) && *end == '\0' &&
				       lane < MAD_PERF_LANES
			       ? counters[i].at + lane
			       : NULL;
	}
	return NULL;
}

/* Show a counter of a port, write it, or add to it. */
static int
cmd_counter(struct serve *s, const struct words *w, struct buf *out,
	struct reason *why)
{
	enum mad_perf_kind kind = MAD_PERF_KINDS;
	uint32_t node;
	unsigned port;
	uint64_t was;
	uint32_t *fec;
	bool more = w->n == 4 && w->w[3][0] == '+';
	double n = 0;

	if (find_node(s, w->w[1], &node, &port, why) ||
		(w->n == 4 && parse_number(w->w[3] + more, 1e18, &n, why)))
		return -1;
	if (port == 0 && s->f->node[node].type != FABRIC_SWITCH)
		port = 1;
	fec = find_fec_counter(s, node, port, w->w[2]);
	if (fec == NULL && parse_counter(w->w[2], &kind, why) != 0)
		return -1;
	was = fec != NULL ? *fec : sim_counter(s->sim, node, port, kind);
	if (w->n == 3)
		buf_printf(out, "%" PRIu64 "\n", was);
	else if (fec != NULL)
		*fec = (uint32_t)((more ? was : 0) + (uint64_t)n);
	else
		sim_hand_counter(s->sim, node, port, kind,
			(more ? was : 0) + (uint64_t)n);
	return 0;
}

/* What the performance agent of a node knows. */
static int
cmd_agent(struct serve *s, const struct words *w, struct buf *out,
	struct reason *why)
{
	static const char *const word[] = {
		[SIM_PERF_EXTENDED] = "extended",
		[SIM_PERF_WIDE] = "wide",
		[SIM_PERF_SHORT] = "short",
		[SIM_PERF_REFUSES] = "refuses",
		[SIM_PERF_MUTE] = "mute",
	};
	struct sim_behaviour b;
	uint32_t node;

	(void)out;
	if (find_behaviour(s, w->w[1], &node, &b, why))
		return -1;
	if (strcmp(w->w[2], "fec") == 0) {
		b.fec = true;
		sim_fault_behave(s->sim, node, &b);
		return 0;
	}
	for (unsigned i = 0; i < sizeof(word) / sizeof(word[0]); i++)
		if (strcmp(word[i], w->w[2]) == 0) {
			b.perf = (enum sim_perf_agent)i;
			sim_fault_behave(s->sim, node, &b);
			return 0;
		}
	return reason_set(why, "there is no agent \"%s\"", w->w[2]);
}

/* Write an entry of an LFT behind the manager's back (drift). */
static int
cmd_entry(struct serve *s, const struct words *w, struct buf *out,
	struct reason *why)
{
	double lid, to;
	uint32_t node;
	unsigned port;

	(void)out;
	if (find_node(s, w->w[1], &node, &port, why) ||
		parse_number(w->w[2], MAD_LID_END - 1, &lid, why) ||
		parse_number(w->w[3], UINT8_MAX, &to, why))
		return -1;
	if (s->f->node[node].type != FABRIC_SWITCH)
		return reason_set(why, "%s is no switch", w->w[1]);
	sim_set_lft(s->sim, node, (uint16_t)lid, (uint8_t)to);
	return 0;
}

/* Block a dependency through SL2VL -> VL15, or unblock it (drift). */
static int
cmd_turn(struct serve *s, const struct words *w, struct buf *out,
	struct reason *why)
{
	uint8_t row[8] = {0};
	double in, to;
	uint32_t node;
	unsigned port;
	bool closed;

	(void)out;
	if (find_node(s, w->w[1], &node, &port, why) ||
		parse_number(w->w[2], s->f->node[node].nports, &in, why) ||
		parse_number(w->w[3], s->f->node[node].nports, &to, why) ||
		on_or_off(w->w[4], "closed", "open", &closed, why))
		return -1;
	if (closed)
		memset(row, 0xff, sizeof(row));
	sim_hand_sl2vl(s->sim, node, (unsigned)in, (unsigned)to, row);
	return 0;
}

/* Leave adaptive routing on, as another subnet manager would. */
static int
cmd_adaptive(struct serve *s, const struct words *w, struct buf *out,
	struct reason *why)
{
	static const struct {
		const char *word;
		unsigned on;
		enum sim_ar_temper temper;
	} all[] = {
		{"off", 0, SIM_AR_OBEYS},
		{"on", MAD_AR_ON_GROUPS, SIM_AR_OBEYS},
		{"hash", MAD_AR_ON_HASH, SIM_AR_OBEYS},
		{"plft", MAD_AR_ON_GROUPS | MAD_AR_ON_PLFT, SIM_AR_OBEYS},
		{"refuses", MAD_AR_ON_GROUPS, SIM_AR_REFUSES},
		{"ignores", MAD_AR_ON_GROUPS, SIM_AR_IGNORES},
		{"keeps", MAD_AR_ON_GROUPS, SIM_AR_KEEPS},
		{"secret", MAD_AR_ON_GROUPS, SIM_AR_SECRET},
		{"staysoff", 0, SIM_AR_STAYS_OFF},
		{"loses", 0, SIM_AR_LOSES},
	};
	uint32_t node;
	unsigned port;

	if (find_node(s, w->w[1], &node, &port, why))
		return -1;
	if (s->f->node[node].type != FABRIC_SWITCH)
		return reason_set(why, "%s is no switch", w->w[1]);
	if (w->n == 2) {
		buf_printf(out, "%s\n",
			sim_adaptive_on(s->sim, node) ? "on" : "off");
		return 0;
	}
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (strcmp(w->w[2], all[i].word) == 0) {
			sim_hand_adaptive(
				s->sim, node, all[i].on, all[i].temper);
			return 0;
		}
	return reason_set(why, "there is no \"%s\"", w->w[2]);
}

/* Add a second subnet manager, which only answers. */
static int
cmd_manager(struct serve *s, const struct words *w, struct buf *out,
	struct reason *why)
{
	struct mad_sm_info says = {.act_count = 1};
	double priority;
	uint32_t node;
	unsigned port;
	bool master;

	(void)out;
	if (find_node(s, w->w[1], &node, &port, why) ||
		parse_number(w->w[2], 15, &priority, why) ||
		on_or_off(w->w[3], "master", "standby", &master, why))
		return -1;
	port = s->f->node[node].type == FABRIC_SWITCH ? 0
	       : port == 0			      ? 1
						      : port;
	says.guid = fabric_port(s->f, node, port)->guid;
	says.priority = (uint8_t)priority;
	says.state = master ? 3 : 2;
	sim_fault_other_sm(s->sim, node, port, &says);
	return 0;
}

static int
cmd_guid(struct serve *s, const struct words *w, struct buf *out,
	struct reason *why)
{
	uint32_t node;
	unsigned port;
	char *end;
	uint64_t guid;

	(void)out;
	if (find_node(s, w->w[1], &node, &port, why))
		return -1;
	guid = strtoull(w->w[2], &end, 16);
	if (guid == 0 || *end)
		return reason_set(why, "\"%s\" is no GUID", w->w[2]);
	sim_fault_guid(s->sim, node, guid);
	return 0;
}

/* Give all ports of a node an M_Key, without a lease, as another manager would
 * that has gone. */
static int
cmd_key(struct serve *s, const struct words *w, struct buf *out,
	struct reason *why)
{
	uint32_t node;
	unsigned port, p;
	double level;
	char *end;
	uint64_t key;

	(void)out;
	if (find_node(s, w->w[1], &node, &port, why) ||
		parse_number(w->w[3], 3, &level, why))
		return -1;
	key = strtoull(w->w[2], &end, 16);
	if (*end)
		return reason_set(why, "\"%s\" is no M_Key", w->w[2]);
	p = s->f->node[node].type == FABRIC_SWITCH ? 0 : 1;
	do {
		struct mad_port_info pi = *sim_port_info(s->sim, node, p);

		pi.mkey = key;
		pi.mkey_prot = (uint8_t)level;
		pi.mkey_lease = 0;
		sim_hand_port(s->sim, node, p, &pi);
	} while (p++ > 0 && p <= s->f->node[node].nports);
	return 0;
}

/* Replace a device by another: no tables, no LIDs, its own GUID. */
static int
cmd_replace(struct serve *s, const struct words *w, struct buf *out,
	struct reason *why)
{
	uint32_t node;
	unsigned port;

	if (find_node(s, w->w[1], &node, &port, why) ||
		cmd_guid(s, w, out, why))
		return -1;
	sim_fault_node(s->sim, node, false);
	sim_fault_node(s->sim, node, true);
	return 0;
}

/* Add a host with one port, linked to a free port of a switch. */
static int
cmd_add(struct serve *s, const struct words *w, struct buf *out,
	struct reason *why)
{
	uint32_t sw, host;
	unsigned port;

	if (find_node(s, w->w[2], &sw, &port, why))
		return -1;
	if (s->traffic != NULL)
		return reason_set(why, "not while there is traffic");
	if (serve_node_find(s, w->w[1]) != FABRIC_NONE)
		return reason_set(why, "%s is there already", w->w[1]);
	if (s->f->node[sw].type != FABRIC_SWITCH)
		return reason_set(why, "%s is no switch", w->w[2]);
	if (port == 0)
		port = fabric_free_port(s->f, sw);
	if (port == 0)
		return reason_set(why, "%s has no free port", w->w[2]);
	if (port > s->f->node[sw].nports ||
		fabric_port(s->f, sw, port)->cable != FABRIC_NONE)
		return reason_set(why, "port %u of %s is %s", port, w->w[2],
			port > s->f->node[sw].nports ? "not there" : "taken");
	host = fabric_add(s->f, FABRIC_CA, 1, w->w[1]);
	(void)fabric_connect(s->f, host, 1, sw, port, why);
	sim_grow(s->sim, s->f);
	buf_printf(out, "GUID 0x%016" PRIx64 " at port %u\n",
		s->f->node[host].guid, port);
	return 0;
}

static int
cmd_rename(struct serve *s, const struct words *w, struct buf *out,
	struct reason *why)
{
	uint32_t node;
	unsigned port;

	(void)out;
	if (find_node(s, w->w[1], &node, &port, why))
		return -1;
	sim_fault_rename(s->sim, node, w->w[2]);
	return 0;
}

static int
cmd_show(struct serve *s, const struct words *w, struct buf *out,
	struct reason *why)
{
	uint32_t node;
	unsigned port;

	if (find_node(s, w->w[1], &node, &port, why))
		return -1;
	serve_show_node(s, node, out);
	return 0;
}

static int
cmd_stats(struct serve *s, const struct words *w, struct buf *out,
	struct reason *why)
{
	if (w->n > 1 && strcmp(w->w[1], "clear") != 0)
		return reason_set(
			why, "\"%s\": only clear can stand there", w->w[1]);
	if (w->n > 1)
		sim_clear_stats(s->sim);
	else
		serve_show_stats(s, out);
	return 0;
}

static int
cmd_trace(struct serve *s, const struct words *w, struct buf *out,
	struct reason *why)
{
	(void)out;
	if (strcmp(w->w[1], "off") == 0)
		return serve_trace_close(s, why);
	return serve_trace_open(s, w->w[1], why);
}

/* traffic: what became of it; off: the same, and end it; N: begin */
static int
cmd_traffic(struct serve *s, const struct words *w, struct buf *out,
	struct reason *why)
{
	unsigned long rate;
	char *end;
	int rc;

	if (w->n == 1)
		return serve_traffic_show(s, out, why);
	if (strcmp(w->w[1], "off") == 0) {
		rc = serve_traffic_show(s, out, why);
		serve_traffic_free(s);
		return rc;
	}
	errno = 0;
	rate = strtoul(w->w[1], &end, 10);
	if (w->w[1][0] < '0' || w->w[1][0] > '9' || *end != '\0' ||
		errno != 0 || rate > UINT_MAX)
		return reason_set(
			why, "\"%s\" is no number of packets", w->w[1]);
	return serve_traffic_start(s, (unsigned)rate, why);
}

static int
cmd_clients(struct serve *s, const struct words *w, struct buf *out,
	struct reason *why)
{
	(void)w;
	(void)why;
	serve_show_clients(s, out);
	return 0;
}

/* Run the referee from the subnet manager's node, or else the first host. */
static int
cmd_judge(struct serve *s, const struct words *w, struct buf *out,
	struct reason *why)
{
	struct referee_report r;
	uint32_t node = fabric_first_host(s->f);

	(void)w;
	for (int i = 0; i < SERVE_CLIENTS; i++) {
		if (s->client[i].used && s->client[i].issm)
			node = s->client[i].place->node;
	}
	if (node == FABRIC_NONE)
		node = 0;
	if (referee_fabric(s->sim, node, REFEREE_ALL & ~REFEREE_LOAD, &r, why))
		return -1;
	buf_printf(out,
		"OK: %u links Active, %u switches, %u ends, %u LIDs, %" PRIu64
		" ways, at most %u hops, no cycle\n",
		r.linked / 2, r.switches, r.end_ports, r.lids, r.pairs,
		r.max_hops);
	return 0;
}

static int
cmd_quit(struct serve *s, const struct words *w, struct buf *out,
	struct reason *why)
{
	(void)w;
	(void)out;
	(void)why;
	s->quit = true;
	return 0;
}

static int cmd_help(struct serve *s, const struct words *w, struct buf *out,
	struct reason *why);

static const struct {
	const char *name;
	unsigned min, max; /* words, its own included */
	int (*run)(struct serve *, const struct words *, struct buf *,
		struct reason *);
	const char *help;
} commands[] = {
	{"link", 3, 3, cmd_link, "NODE[/PORT] down|up"},
	{"swap", 3, 3, cmd_swap, "NODE/PORT NODE/PORT"},
	{"reboot", 2, 2, cmd_node, "NODE"},
	{"remove", 2, 2, cmd_node, "NODE"},
	{"return", 2, 2, cmd_node, "NODE"},
	{"loss", 2, 2, cmd_loss, "PERMILLE"},
	{"delay", 2, 2, cmd_delay, "MICROSECONDS"},
	{"hang", 3, 3, cmd_hang, "NODE on|off"},
	{"fault", 3, 4, cmd_fault,
		"NODE lie|refuse|mute ATTRIBUTE, NODE role, NODE/PORT mtu, "
		"NODE off"},
	{"counter", 3, 4, cmd_counter, "NODE[/PORT] NAME [[+]N]"},
	{"agent", 3, 3, cmd_agent, "NODE extended|wide|short|refuses|mute|fec"},
	{"entry", 4, 4, cmd_entry, "SWITCH LID PORT"},
	{"turn", 5, 5, cmd_turn, "SWITCH IN OUT closed|open"},
	{"adaptive", 2, 3, cmd_adaptive,
		"SWITCH "
		"[off|on|hash|plft|refuses|ignores|keeps|secret|staysoff|"
		"loses]"},
	{"manager", 4, 4, cmd_manager, "NODE PRIORITY master|standby"},
	{"guid", 3, 3, cmd_guid, "NODE GUID"},
	{"key", 4, 4, cmd_key, "NODE M_KEY LEVEL"},
	{"replace", 3, 3, cmd_replace, "NODE GUID"},
	{"add", 3, 3, cmd_add, "NAME SWITCH[/PORT]"},
	{"rename", 3, 3, cmd_rename, "NODE NAME"},
	{"show", 2, 2, cmd_show, "NODE"},
	{"stats", 1, 2, cmd_stats, "[clear]"},
	{"trace", 2, 2, cmd_trace, "FILE|off"},
	{"traffic", 1, 2, cmd_traffic, "[PACKETS|off]"},
	{"judge", 1, 1, cmd_judge, ""},
	{"clients", 1, 1, cmd_clients, ""},
	{"quit", 1, 1, cmd_quit, ""},
	{"help", 1, 1, cmd_help, ""},
};
enum { NCOMMANDS = sizeof(commands) / sizeof(commands[0]) };

static int
cmd_help(struct serve *s, const struct words *w, struct buf *out,
	struct reason *why)
{
	(void)s;
	(void)w;
	(void)why;
	for (size_t i = 0; i < NCOMMANDS; i++)
		buf_printf(out, "%s%s%s\n", commands[i].name,
			*commands[i].help ? " " : "", commands[i].help);
	return 0;
}

int
serve_cmd(
	struct serve *s, const char *line, struct buf *out, struct reason *why)
{
	struct words w = {.n = 0};

	if (split_words(line, &w, why))
		return -1;
	if (w.n == 0)
		return 0;
	for (size_t i = 0; i < NCOMMANDS; i++) {
		if (strcmp(commands[i].name, w.w[0]) != 0)
			continue;
		if (w.n < commands[i].min || w.n > commands[i].max)
			return reason_set(why, "usage: %s %s", commands[i].name,
				commands[i].help);
		return commands[i].run(s, &w, out, why);
	}
	return reason_set(why, "unknown command \"%s\"; try help", w.w[0]);
}
