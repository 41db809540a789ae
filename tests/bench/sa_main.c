/*
 * Path queries per second that one core answers, and the time of one: alone,
 * and while another core computes all routes anew. From the request's bytes to
 * the answer's, without the system calls around them.
 *
 * usage: sa [QUERIES]
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "distribution/device/device_store.h"
#include "routing/driver/compute.h"
#include "sm/base/mem.h"
#include "sm/base/rng.h"
#include "sm/mad/mad_sa.h"
#include "sm/policy/pkeys.h"
#include "sm/sa/sa.h"
#include "tests/bench/args.h"
#include "tests/bench/bench_clock.h"
#include "tests/topo/frozen.h"
#include "tests/topo/shape.h"

#define PREFIX UINT64_C(0xfe80000000000000)

enum { BATCH = 1024 };

struct bench {
	struct transport t;
	struct sa *sa;
	struct view *view;
	port_ix *host;
	uint32_t nhosts;
	struct rng rng;
	uint64_t good, bad;
	/* the other core */
	struct route_job job;
	atomic_bool stop;
	unsigned reroutes;
};

static int
take_answer(struct transport *t, const struct transport_msg *m)
{
	struct bench *b = (struct bench *)(void *)t;

	if (m->mad[4] == 0 && m->mad[5] == 0)
		b->good++;
	else
		b->bad++;
	return 0;
}

static void
release_view(void *cookie, struct view *v)
{
	(void)cookie;
	v->refs--; /* the last reference is ours */
}

/* All ports in the default partition. */
static struct pkeys *
open_keys(struct topo *t)
{
	struct config *c = config_default(NULL);
	struct device_store *none = device_new(NULL);
	struct pkeys *k = pkeys_make(c, t, NULL);

	pkeys_settle(k, none);
	device_free(none);
	config_unref(c);
	return k;
}

static struct view *
make_view(const struct fabric *f, struct lft_pool *pool, struct route_job *job)
{
	static const char *const engines[] = {"updn"};
	static const struct engine_options none;
	struct view *v = mem_zalloc(1, sizeof(*v));
	struct route_account story;
	struct reason why;

	v->refs = 1;
	v->topo = frozen_topo(f, &(struct frozen_lids){0});
	v->pkeys = open_keys(v->topo);
	*job = (struct route_job){
		.topo = v->topo,
		.pool = pool,
		.options = &none,
		.load_limit = 1250,
		.threads = 1,
	};
	v->routes = compute_routes(job, engines, 1, &story, &why);
	if (v->routes == NULL) {
		(void)fprintf(stderr, "sa: %s\n", why.text);
		exit(EXIT_FAILURE);
	}
	return v;
}

/* A Get(PathRecord) as the kernel asks it, from one host to another. */
static void
make_query(struct bench *b, struct transport_msg *m)
{
	const struct topo *t = b->view->topo;
	const struct topo_port *from =
		&t->port[b->host[rng_below(&b->rng, b->nhosts)]];
	const struct topo_port *to =
		&t->port[b->host[rng_below(&b->rng, b->nhosts)]];
	const struct mad_sa h = {
		.base_version = 1,
		.class_version = MAD_SA_VERSION,
		.method = MAD_GET,
		.tid = 1,
		.attr = MAD_SA_PATH_REC,
		.mask = MAD_SA_PATH_DGID | MAD_SA_PATH_SGID |
			MAD_SA_PATH_REVERSIBLE | MAD_SA_PATH_NPATHS |
			MAD_SA_PATH_PKEY,
	};
	const struct mad_sa_path p = {
		.dgid = {PREFIX, to->guid},
		.sgid = {PREFIX, from->guid},
		.reversible = true,
		.npaths = 1,
		.pkey = 0xffff,
	};

	memset(m, 0, sizeof(*m));
	m->addr.lid = from->lid;
	m->addr.qpn = 1;
	m->len = MAD_SIZE;
	mad_sa_encode(&h, m->mad);
	mad_sa_path_encode(&p, m->mad + MAD_SA_HEADER);
}

static int
by_value(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static void
measure_queries(struct bench *b, const char *when, uint32_t n)
{
	struct transport_msg *m = mem_zalloc(BATCH, sizeof(*m));
	int64_t *took = mem_zalloc(n, sizeof(*took)), busy = 0;
	uint32_t mid, high, top;

	n -= n % BATCH;
	for (uint32_t i = 0; i < n; i += BATCH) {
		int64_t t0;

		for (uint32_t k = 0; k < BATCH; k++)
			make_query(b, &m[k]);
		t0 = clock_ns(CLOCK_THREAD_CPUTIME_ID);
		for (uint32_t k = 0; k < BATCH; k++) {
			int64_t at = clock_ns(CLOCK_MONOTONIC);

			sa_receive(b->sa, &m[k], (struct mono){at});
			took[i + k] = clock_ns(CLOCK_MONOTONIC) - at;
		}
		busy += clock_ns(CLOCK_THREAD_CPUTIME_ID) - t0;
	}
	qsort(took, n, sizeof(*took), by_value);
	mid = n / 2;
	high = n - n / 100;
	top = n - n / 1000;
	(void)printf("  %-16s %8.0f queries per second of a core, median %5.2f "
		     "us, 99%% %6.2f us, 99.9%% %7.2f us\n",
		when, n / ((double)busy / 1e9), (double)took[mid] / 1e3,
		(double)took[high] / 1e3, (double)took[top] / 1e3);
	free(took);
	free(m);
}

/* A full computation, over and over, in a pool of its own. */
static void *
reroute_loop(void *cookie)
{
	static const char *const engines[] = {"updn"};
	struct bench *b = cookie;

	while (!atomic_load(&b->stop)) {
		struct lft_pool *pool = lft_pool_new();
		struct route_account story;
		struct reason why;

		b->job.pool = pool;
		routes_unref(compute_routes(&b->job, engines, 1, &story, &why));
		lft_pool_free(pool);
		b->reroutes++;
	}
	return NULL;
}

static void
bench_fabric(const char *name, uint32_t n)
{
	struct fabric *f = shape_of("%s", name);
	struct bench b = {.t.send = take_answer, .rng = {1}};
	const struct sa_ops ops = {.cookie = &b, .release = release_view};
	const struct sa_params p = {
		.prefix = PREFIX, .packet_life = 18, .table_mib = 256};
	struct lft_pool *pool = lft_pool_new();
	pthread_t other;

	b.view = make_view(f, pool, &b.job);
	b.host = mem_zalloc(b.view->topo->nports, sizeof(*b.host));
	for (port_ix i = 0; i < b.view->topo->nports; i++)
		if (topo_has_lid(b.view->topo, i) &&
			b.view->topo->port[i].num != 0)
			b.host[b.nhosts++] = i;
	b.sa = sa_new(&b.t, &ops, &p);
	sa_commit(b.sa, b.view);
	(void)printf("%s: %u hosts, %u switches\n", name, b.nhosts,
		b.view->topo->nsw);
	measure_queries(&b, "alone", n);
	if (pthread_create(&other, NULL, reroute_loop, &b) == 0) {
		measure_queries(&b, "during a reroute", n);
		atomic_store(&b.stop, true);
		(void)pthread_join(other, NULL);
		(void)printf(
			"  (%u full computations meanwhile)\n", b.reroutes);
	}
	if (b.bad > 0)
		(void)printf("  %llu queries were refused\n",
			(unsigned long long)b.bad);
	sa_free(b.sa);
	view_unref(b.view);
	lft_pool_free(pool);
	free(b.host);
	fabric_free(f);
}

int
main(int argc, char **argv)
{
	uint32_t n = args_number(argc, argv, 1, 1000000);

	bench_fabric("648:18:18", n);
	bench_fabric("three:24", n);
	bench_fabric("three:36", n);
	return EXIT_SUCCESS;
}
