/*
 * wire: SMPs per second that the lower layers carry, umad and xact together,
 * over any fabric that the umad device leads to (ibsim through libumad2sim.so,
 * as a rule). Get(NodeInfo) of the port itself or of a node HOPS away, with a
 * range of windows. Prints figures, asserts nothing.
 *
 * usage: wire [PORT [COUNT [HOPS]]]
 */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "sm/transport/umad.h"
#include "sm/transport/xact.h"
#include "tests/bench/args.h"
#include "tests/bench/bench_clock.h"

struct bench {
	struct xact *x;
	unsigned left, ok, bad;
	uint8_t hops, path1;
	struct mono rtt; /* sum */
};

static void on_done(void *cookie, uint64_t tag, const struct xact_result *res);

static void
submit_some(struct bench *b, struct mono t)
{
	struct xact_request r = {.method = MAD_GET,
		.attr = MAD_NODE_INFO,
		.hops = b->hops,
		.path = {0, b->path1}};

	while (b->left > 0 && xact_room(b->x)) {
		r.target = b->left % 512 + 1;
		xact_submit(b->x, &r, t, on_done, b, b->left--);
	}
}

static void
on_done(void *cookie, uint64_t tag, const struct xact_result *res)
{
	struct bench *b = cookie;
	struct mad_node_info ni;

	(void)tag;
	if (res->outcome == XACT_OK &&
		mad_node_info_decode(res->data, &ni, NULL) == 0)
		b->ok++;
	else
		b->bad++;
	b->rtt.ns += res->rtt.ns;
	submit_some(b, res->now);
}

static void
on_wake(void *cookie)
{
	uint64_t one = 1;

	(void)!write(*(int *)cookie, &one, sizeof(one));
}

static void
drain_answers(struct umad *u, struct xact *x)
{
	struct transport_msg m;
	struct smp s;
	struct mono t = (struct mono){clock_ns(CLOCK_MONOTONIC)};

	while (umad_next(u, &m))
		if (smp_decode(m.mad, m.len, &s, NULL) == 0)
			(void)xact_input(x, &m, &s, t);
	if (!mono_before(t, xact_next(x)))
		xact_tick(x, t);
}

static void
run_window(struct umad *u, int efd, struct bench b, unsigned window)
{
	struct xact_options o = {.timeout = mono_ms(200),
		.retries = 3,
		.window_start = window,
		.window_max = window,
		.target_max = window};
	unsigned count = b.left;
	struct mono t0 = (struct mono){clock_ns(CLOCK_MONOTONIC)};
	const struct xact_stats *st;
	double s;

	b.x = xact_new(&o, umad_transport(u));
	st = xact_stats(b.x);
	submit_some(&b, t0);
	while (xact_pending(b.x) > 0) {
		struct pollfd p = {.fd = efd, .events = POLLIN};
		uint64_t n;

		drain_answers(u, b.x);
		if (xact_pending(b.x) > 0 && poll(&p, 1, 50) > 0)
			(void)!read(efd, &n, sizeof(n));
	}
	s = mono_seconds(
		mono_sub((struct mono){clock_ns(CLOCK_MONOTONIC)}, t0));
	printf("window %4u: %7.0f SMPs/s, mean rtt %6.0f us, %u ok, %u bad, "
	       "%lu sent, %lu retried, %lu late, window at end %u\n",
		window, count / s, mono_seconds(b.rtt) / count * 1e6, b.ok,
		b.bad, (unsigned long)st->sent, (unsigned long)st->retried,
		(unsigned long)st->late, st->window);
	xact_free(b.x);
}

int
main(int argc, char **argv)
{
	struct umad_port_name name;
	struct reason why;
	int efd = eventfd(0, EFD_NONBLOCK);
	unsigned count = args_number(argc, argv, 2, 100000);
	struct umad *u = umad_open(
		argc > 1 ? argv[1] : "auto", true, on_wake, &efd, &name, &why);
	struct bench b = {.hops = (uint8_t)args_number(argc, argv, 3, 0)};

	if (u == NULL) {
		fprintf(stderr, "wire: %s\n", why.text);
		return 1;
	}
	b.path1 = (uint8_t)name.port;
	printf("%s/%d 0x%016lx, %u SMPs, %u hops\n", name.device, name.port,
		(unsigned long)name.guid, count, b.hops);
	for (unsigned w = 1; w <= 256; w *= 2) {
		b.left = w == 1 ? count / 10 : count;
		run_window(u, efd, b, w);
	}
	printf("dropped %lu\n", (unsigned long)umad_dropped(u));
	umad_shutdown(u);
	(void)close(efd);
	return 0;
}
