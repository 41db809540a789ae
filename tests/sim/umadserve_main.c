/*
 * heddle-umadserve: a simulated fabric for programs under libheddle-umad.so
 * and nothing else; for the tests of that library.
 *
 * usage: heddle-umadserve FABRIC
 *
 * Commands on stdin, one a line: hang NODE, wake NODE, down NODE PORT,
 * up NODE PORT, stats, quit. Ends with its stdin.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tests/sim/umadserve.h"
#include "tests/topo/ibnet.h"

/* What would happen this soon happens now: nobody waits for microseconds. */
static const struct mono soon = {1000000};

static struct mono
clock_now(void)
{
	struct timespec ts;

	(void)clock_gettime(CLOCK_MONOTONIC, &ts);
	return (struct mono){
		(int64_t)ts.tv_sec * 1000000000 + (int64_t)ts.tv_nsec};
}

static void
print_stats(const struct umadserve *u, const struct sim *sim)
{
	const struct umadserve_stats *st = umadserve_stats(u);

	printf("connections %lu sent %lu delivered %lu big %lu timeouts %lu "
	       "unmatched %lu dropped %lu late %lu refused %lu smps %lu\n",
		(unsigned long)st->connections, (unsigned long)st->sent,
		(unsigned long)st->delivered, (unsigned long)st->big,
		(unsigned long)st->timeouts, (unsigned long)st->unmatched,
		(unsigned long)st->dropped, (unsigned long)st->late,
		(unsigned long)st->refused,
		(unsigned long)sim_stats(sim)->smps);
	(void)fflush(stdout);
}

/* Run a line of commands; false: the end. */
static bool
command(struct sim *sim, const struct fabric *f, const struct umadserve *u,
	char *line)
{
	struct sim_behaviour how = {0};
	char *word = strtok_r(line, " ", &line);
	const char *name = strtok_r(NULL, " ", &line);
	const char *number = strtok_r(NULL, " ", &line);
	unsigned port = number ? (unsigned)strtoul(number, NULL, 10) : 0;
	uint32_t node = name ? fabric_find(f, name) : FABRIC_NONE;

	if (!word)
		return true;
	if (strcmp(word, "quit") == 0)
		return false;
	if (strcmp(word, "stats") == 0) {
		print_stats(u, sim);
	} else if (node == FABRIC_NONE) {
		printf("no node %s\n", name ? name : "");
	} else if (strcmp(word, "hang") == 0 || strcmp(word, "wake") == 0) {
		how.hung = word[0] == 'h';
		sim_fault_behave(sim, node, &how);
	} else if ((strcmp(word, "down") == 0 || strcmp(word, "up") == 0) &&
		   port >= 1 && port <= f->node[node].nports) {
		sim_fault_link(sim, node, port, word[0] == 'u');
	} else {
		printf("what is %s\n", word);
	}
	(void)fflush(stdout);
	return true;
}

static int
wait_ms(const struct sim *sim, const struct umadserve *u, struct mono now)
{
	struct mono t = mono_min(sim_next(sim), umadserve_next(u));
	int64_t ms;

	if (t.ns == MONO_NEVER.ns)
		return -1;
	ms = (mono_sub(t, now).ns + 999999) / 1000000;
	return ms < 0 ? 0 : ms > 1000 ? 1000 : (int)ms;
}

static void
run(struct sim *sim, const struct fabric *f, struct umadserve *u)
{
	struct pollfd p[2] = {{.fd = umadserve_fd(u), .events = POLLIN},
		{.fd = STDIN_FILENO, .events = POLLIN}};
	char line[256];
	struct mono now = clock_now();
	bool go = true;

	sim_run_until(sim, now);
	while (go) {
		(void)poll(p, 2, wait_ms(sim, u, now));
		now = clock_now();
		if (p[1].revents) {
			ssize_t n = read(STDIN_FILENO, line, sizeof(line) - 1);

			if (n <= 0)
				break;
			line[n] = '\0';
			for (char *at = line, *one; go && at;) {
				one = strsep(&at, "\n");
				go = command(sim, f, u, one);
			}
		}
		umadserve_turn(u, now);
		sim_run_until(sim, mono_add(now, soon));
		umadserve_flush(u);
	}
}

int
main(int argc, char **argv)
{
	struct sim_options o = sim_defaults();
	struct umadserve_options uo = {0};
	struct reason why;
	struct fabric *f;
	struct umadserve *u;

	if (argc != 2) {
		(void)fprintf(stderr, "usage: heddle-umadserve FABRIC\n");
		return 2;
	}
	f = ibnet_load(argv[1], NULL, &why);
	if (!f) {
		(void)fprintf(stderr, "heddle-umadserve: %s\n", why.text);
		return 1;
	}
	uo.sim = sim_new(f, &o);
	uo.fabric = f;
	u = umadserve_new(&uo, &why);
	if (!u) {
		(void)fprintf(stderr, "heddle-umadserve: %s\n", why.text);
		sim_free(uo.sim);
		fabric_free(f);
		return 1;
	}
	printf("ready\n");
	(void)fflush(stdout);
	run(uo.sim, f, u);
	print_stats(u, uo.sim);
	umadserve_free(u);
	sim_free(uo.sim);
	fabric_free(f);
	return 0;
}
