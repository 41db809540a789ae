/*
 * The packets that are lost when a switch or a link is pulled, as it is and
 * after a drain, in the data plane of the simulation: a switch of each tier,
 * counted from the hosts, and a link of a switch with hosts.
 *
 * usage: pull FABRIC [LOW [HIGH [NODE[/PORT]...]]]
 *
 * FABRIC: see shape.h; LOW and HIGH: the load while nothing is written, in
 * millionths of the hosts' links (default 10), and while tables are written
 * (default 10000). A table: "over", entries that led over what is drained, the
 * fewest that a drain can change; "changed", those that it changed; "blocks",
 * that it wrote; seconds from the command until it may be pulled, with the
 * computation; packets sent and lost in each step. "at full load": what would
 * have been lost if every host had sent as fast as its link is.
 *
 * PULL_YAML in the environment is the configuration of the manager, by default
 * "distribution: {drain: 1ms}": packets are in flight for microseconds here,
 * and with the product's 50 ms between stages, of which the seconds consist
 * then, a high load takes long to simulate.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/bench/args.h"
#include "tests/sim/chaos/pull.h"
#include "tests/topo/shape.h"

enum { MOST = 8 };

static bool
parse_target(const struct fabric *f, const char *text, struct pull_target *out)
{
	const char *slash = strchr(text, '/');
	char name[80];

	(void)snprintf(name, sizeof(name), "%.*s",
		(int)(slash != NULL ? (size_t)(slash - text) : strlen(text)),
		text);
	out->node = fabric_find(f, name);
	out->port = args_said(slash != NULL ? slash + 1 : NULL, 0);
	return out->node != FABRIC_NONE &&
	       f->node[out->node].type == FABRIC_SWITCH;
}

static void
print_losses(const struct pull_cost *c, enum pull_step first)
{
	for (unsigned i = first; i < PULL_STEPS; i++) {
		(void)printf("    %-9s %9llu packets sent, %llu lost",
			pull_step_name[i], (unsigned long long)c->sent[i],
			(unsigned long long)c->lost[i]);
		if (c->lost[i] > 0)
			(void)printf(" (at full load %.0f)", c->lost_full[i]);
		(void)printf("\n");
		if (first == PULL_OUT)
			break;
	}
}

static int
measure_pull(struct pull *p, const struct pull_target *at)
{
	const char *name = p->w->fabric->node[at->node].name;
	struct reason why = {""};
	struct pull_cost c;

	(void)printf("%s", name);
	if (at->port != 0)
		(void)printf(" port %u", at->port);
	(void)fflush(stdout);
	if (pull_run(p, at, true, &c, &why) != 0) {
		(void)printf(": %s\n", why.text);
		return 1;
	}
	(void)printf(": over %llu changed %llu blocks %llu, %s after %.3f s + "
		     "%.2f s of CPU\n",
		(unsigned long long)c.least, (unsigned long long)c.entries,
		(unsigned long long)c.blocks, c.clear ? "clear" : "STILL USED",
		mono_seconds(c.wait), mono_seconds(c.cpu));
	print_losses(&c, PULL_DRAIN);
	if (pull_run(p, at, false, &c, &why) != 0) {
		(void)printf("  undrained: %s\n", why.text);
		return 1;
	}
	(void)printf("  undrained:\n");
	print_losses(&c, PULL_OUT);
	return 0;
}

int
main(int argc, char **argv)
{
	const char *at = getenv("HEDDLE_FIXTURES"), *yaml = getenv("PULL_YAML");
	const struct pull_load load = {args_number(argc, argv, 2, 10) / 1e6,
		args_number(argc, argv, 3, 10000) / 1e6};
	struct pull_target target[MOST];
	struct reason why = {""};
	struct fabric *f;
	struct pull p;
	unsigned n = 0;
	int rc = 0;

	if (argc < 2) {
		(void)fprintf(stderr, "usage: pull FABRIC [LOW [HIGH "
				      "[NODE[/PORT]...]]]\n");
		return 2;
	}
	f = shape_load(argv[1], at != NULL ? at : "../shared/fixtures", &why);
	if (f == NULL) {
		(void)fprintf(stderr, "pull: %s: %s\n", argv[1], why.text);
		return 77;
	}
	for (int i = 4; i < argc && n < MOST; i++)
		if (!parse_target(f, argv[i], &target[n++])) {
			(void)fprintf(stderr, "pull: no switch %s\n", argv[i]);
			fabric_free(f);
			return 2;
		}
	if (n == 0)
		n = pull_targets(f, target, MOST);
	pull_open(&p, f, yaml != NULL ? yaml : "distribution: {drain: 1ms}\n",
		&load);
	for (unsigned i = 0; i < n && rc == 0; i++)
		rc = measure_pull(&p, &target[i]);
	pull_close(&p);
	fabric_free(f);
	return rc;
}
