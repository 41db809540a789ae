/*
 * soak: chaos runs (chaos.h) of successive seeds, or one of them again.
 *
 *	soak [--seconds N] [--count N] [--hosts N] [--large N] [--from SEED]
 *		[--judge N] [--tenants] [--drains] [--health] [--lanes]
 *		[--adaptive] [--engine NAME] [--replay]
 *	soak --seed SEED	that one, with the daemon's log
 *
 * --hosts: about as many at most; --large: at least; --tenants: with
 * partitions; --drains: switches and links are drained; --health: links flap
 * and err, and are drained for that; --lanes: with several routing layers, and
 * sometimes QoS levels; --adaptive: most switches choose among ports;
 * --replay: each day is recorded, and lived again with the same messages;
 * --engine: dor, torus, dragonfly, on fabrics that it is for; nue, on any.
 *
 * --judge: a sum of 1 (a restart writes nothing), 2 (no loop at any moment), 4
 * (no dependency cycle at any moment) and 8 (no copy of a packet to a group at
 * any moment); 15 if not given.
 *
 * Each seed that fails is printed with the reason and its script; the exit code
 * is 1 if one failed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "sm/base/log.h"
#include "tests/sim/chaos/chaos.h"

struct soak {
	struct chaos_limits limits;
	uint64_t from;
	unsigned long seconds, count;
	bool one;
};

static void
print_usage(void)
{
	(void)fprintf(stderr,
		"usage: soak [--seconds N] [--count N] "
		"[--hosts N] [--large N]\n"
		"            [--from SEED] [--judge N] [--tenants] [--drains]\n"
		"            [--health] [--lanes] [--adaptive] [--engine "
		"NAME]\n"
		"            [--replay]\n"
		"       soak --seed SEED [--hosts N] [--large "
		"N] [--tenants] [--drains] [--health]\n"
		"            [--lanes] [--adaptive] [--engine NAME] "
		"[--replay]\n");
	exit(2);
}

static unsigned long long
parse_number(const char *s)
{
	char *end;
	unsigned long long v;

	if (s == NULL)
		print_usage();
	v = strtoull(s, &end, 0);
	if (*s == '\0' || *end != '\0')
		print_usage();
	return v;
}

static struct soak
read_options(char **argv)
{
	struct soak o = {.limits = {.max_hosts = 600,
				 .judge = CHAOS_MEMORY | CHAOS_LOOPS |
					  CHAOS_CYCLES | CHAOS_COPIES},
		.from = 1,
		.count = -1UL};

	for (int i = 1; argv[i] != NULL; i++) {
		if (strcmp(argv[i], "--judge") == 0) {
			o.limits.judge = (unsigned)parse_number(argv[++i]);
		} else if (strcmp(argv[i], "--tenants") == 0) {
			o.limits.tenants = true;
		} else if (strcmp(argv[i], "--drains") == 0) {
			o.limits.drains = true;
		} else if (strcmp(argv[i], "--replay") == 0) {
			o.limits.replay = true;
		} else if (strcmp(argv[i], "--health") == 0) {
			o.limits.health = true;
		} else if (strcmp(argv[i], "--lanes") == 0) {
			o.limits.lanes = true;
		} else if (strcmp(argv[i], "--adaptive") == 0) {
			o.limits.adaptive = true;
		} else if (strcmp(argv[i], "--engine") == 0) {
			o.limits.engine = argv[++i];
		} else if (strcmp(argv[i], "--seconds") == 0) {
			o.seconds = (unsigned long)parse_number(argv[++i]);
		} else if (strcmp(argv[i], "--count") == 0) {
			o.count = (unsigned long)parse_number(argv[++i]);
		} else if (strcmp(argv[i], "--hosts") == 0) {
			o.limits.max_hosts = (unsigned)parse_number(argv[++i]);
		} else if (strcmp(argv[i], "--large") == 0) {
			o.limits.min_hosts = (unsigned)parse_number(argv[++i]);
		} else if (strcmp(argv[i], "--from") == 0) {
			o.from = parse_number(argv[++i]);
		} else if (strcmp(argv[i], "--seed") == 0) {
			o.from = parse_number(argv[++i]);
			o.one = true;
			o.count = 1;
		} else {
			print_usage();
		}
	}
	return o;
}

static void
print_result(uint64_t seed, const struct chaos_report *r, bool failed, bool all)
{
	printf("seed=%llu %s switches=%u hosts=%u events=%u virtual=%.0fs "
	       "runs=%u smps=%llu blocks=%llu mft_blocks=%llu changes=%llu "
	       "loops=%llu cycles=%llu copies=%llu rewritten=%llu%s%s\n",
		(unsigned long long)seed, failed ? "FAILED" : "ok", r->switches,
		r->hosts, r->events, r->seconds, r->runs,
		(unsigned long long)r->smps, (unsigned long long)r->blocks,
		(unsigned long long)r->mft_blocks,
		(unsigned long long)r->changes, (unsigned long long)r->loops,
		(unsigned long long)r->cycles, (unsigned long long)r->copies,
		(unsigned long long)r->rewritten, failed ? ": " : "",
		failed ? r->why.text : "");
	if (all && r->loops > 0)
		printf("first loop: %s\n", r->loop.text);
	if (all && r->cycles > 0)
		printf("first cycle: %s\n", r->cycle.text);
	if (all && r->copies > 0)
		printf("first copy: %s\n", r->copy.text);
	if (all || failed)
		printf("%s", r->script.text);
	(void)fflush(stdout);
}

int
main(int argc, char **argv)
{
	struct soak o = read_options(argv);
	time_t end = time(NULL) + (time_t)o.seconds;
	unsigned long run = 0, failed = 0, loops = 0, cycles = 0, forgot = 0,
		      copies = 0;
	unsigned long long changes = 0, isolated = 0, checks = 0, replayed = 0,
			   struck[CHAOS_PHASES] = {0};

	(void)argc;
	if (o.one)
		log_set_level(LOG_LEVEL_DEBUG);
	else if (freopen("/dev/null", "w", stderr) == NULL)
		return 2;
	while (run < o.count && (o.seconds == 0 || time(NULL) < end)) {
		struct chaos_report r;
		bool bad = chaos_run(o.from, &o.limits, &r) != 0;

		if (bad || o.one)
			print_result(o.from, &r, bad, o.one);
		failed += bad;
		loops += r.loops > 0;
		cycles += r.cycles > 0;
		copies += r.copies > 0;
		forgot += r.rewritten > 0;
		changes += r.changes;
		isolated += r.isolated;
		checks += r.checks;
		replayed += r.replayed;
		for (unsigned i = 0; i < CHAOS_PHASES; i++)
			struck[i] += r.struck[i];
		chaos_report_free(&r);
		run++;
		o.from++;
	}
	printf("run=%lu failed=%lu; with loops=%lu cycles=%lu copies=%lu "
	       "rewrites=%lu\n",
		run, failed, loops, cycles, copies, forgot);
	if (o.limits.replay)
		printf("replayed: %llu messages sent again\n", replayed);
	if (o.limits.health)
		printf("drained for health: %llu links\n", isolated);
	printf("judged: %llu changes of table entries, %llu dependencies and "
	       "ways followed\nstruck:",
		changes, checks);
	for (unsigned i = 0; i < CHAOS_PHASES; i++)
		printf("%s %s %llu", i > 0 ? "," : "",
			sm_phase_name((enum sm_phase)i), struck[i]);
	printf("\n");
	return failed ? 1 : 0;
}
