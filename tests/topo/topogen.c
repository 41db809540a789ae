#include "tests/topo/topogen.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/topo/gen.h"
#include "tests/topo/ibnet.h"

enum option_id {
	O_SPINES = 1,
	O_LEAVES,
	O_HOSTS,
	O_HOSTS_ODD,
	O_PARALLEL,
	O_K,
	O_N,
	O_M,
	O_W,
	O_P,
	O_DIM,
	O_A,
	O_H,
	O_SWITCHES,
	O_DEGREE,
	O_SEED,
	O_FAIL_LINKS,
	O_FAIL_SWITCHES,
	O_DISCONNECT,
	O_SHARP,
	O_RAILS,
	O_SEPARATE,
	O_SELF_LOOPS,
	O_PORTS,
	O_HIGH,
	O_POPULATE,
	O_HELP,
	O_COUNT
};

/* A comma or x separated list of numbers. */
struct list {
	unsigned v[GEN_MAX_DIMS];
	unsigned n;
};

struct args {
	struct list opt[O_COUNT];
	uint64_t seed;
	const char *file;
};

static const struct option long_options[] = {
	{"spines", required_argument, NULL, O_SPINES},
	{"leaves", required_argument, NULL, O_LEAVES},
	{"hosts", required_argument, NULL, O_HOSTS},
	{"hosts-odd", required_argument, NULL, O_HOSTS_ODD},
	{"parallel", required_argument, NULL, O_PARALLEL},
	{"k", required_argument, NULL, O_K},
	{"n", required_argument, NULL, O_N},
	{"m", required_argument, NULL, O_M},
	{"w", required_argument, NULL, O_W},
	{"p", required_argument, NULL, O_P},
	{"dim", required_argument, NULL, O_DIM},
	{"a", required_argument, NULL, O_A},
	{"h", required_argument, NULL, O_H},
	{"switches", required_argument, NULL, O_SWITCHES},
	{"degree", required_argument, NULL, O_DEGREE},
	{"seed", required_argument, NULL, O_SEED},
	{"fail-links", required_argument, NULL, O_FAIL_LINKS},
	{"fail-switches", required_argument, NULL, O_FAIL_SWITCHES},
	{"may-disconnect", no_argument, NULL, O_DISCONNECT},
	{"sharp", no_argument, NULL, O_SHARP},
	{"rails", required_argument, NULL, O_RAILS},
	{"separate", no_argument, NULL, O_SEPARATE},
	{"self-loops", required_argument, NULL, O_SELF_LOOPS},
	{"ports", required_argument, NULL, O_PORTS},
	{"high", no_argument, NULL, O_HIGH},
	{"populate", required_argument, NULL, O_POPULATE},
	{"help", no_argument, NULL, O_HELP},
	{NULL, 0, NULL, 0},
};

static const char usage[] =
	"usage: heddle-sim generate KIND [options] > FABRIC\n"
	"  fattree2  --spines S --leaves L --hosts N [--hosts-odd N]\n"
	"            [--parallel CABLES]\n"
	"  fattree3  --k PORTS                (3 levels of k-port switches)\n"
	"  kary      --k K --n N              (k-ary n-tree)\n"
	"  pgft      --m M1,.. --w W1,.. [--p P1,..]\n"
	"  mesh, torus, hyperx  --dim AxBx.. [--hosts N]\n"
	"  hypercube --n N [--hosts N]\n"
	"  line, ring --n N [--hosts N]\n"
	"  dragonfly --a A --p P --h H\n"
	"  random    --switches N --degree D [--hosts N] [--seed S]\n"
	"  single    --hosts N\n"
	"  pair\n"
	"  file PATH                          (ibnetdiscover output)\n"
	"then, in this order:\n"
	"  --populate EVEN,ODD  keep so many hosts at even and odd leaves\n"
	"  --rails N [--separate]  cable each host to N leaves\n"
	"  --sharp              an aggregation node at every switch\n"
	"  --self-loops N       cable N switches to themselves\n"
	"  --ports N [--high]   switches of N ports, the last ones in use\n"
	"  --fail-links N, --fail-switches N [--seed S] [--may-disconnect]\n";

static int
parse_list(const char *text, struct list *out)
{
	out->n = 0;
	while (out->n < GEN_MAX_DIMS) {
		char *end;
		unsigned long v;

		errno = 0;
		v = strtoul(text, &end, 10);
		if (end == text || *text == '-' || errno || v > 1000000)
			return -1;
		out->v[out->n++] = (unsigned)v;
		if (*end == '\0')
			return 0;
		if (*end != ',' && *end != 'x')
			return -1;
		text = end + 1;
	}
	return -1;
}

static int
parse_args(int argc, char **argv, struct args *a)
{
	int c;

	while ((c = getopt_long_only(argc, argv, "", long_options, NULL)) !=
		-1) {
		char *end;

		if (c <= 0 || c >= O_COUNT || c == O_HELP)
			return -1;
		if (!optarg) {
			a->opt[c].n = 1;
		} else if (c == O_SEED) {
			a->seed = strtoull(optarg, &end, 0);
			if (end == optarg || *end)
				return -1;
		} else if (parse_list(optarg, &a->opt[c])) {
			(void)fprintf(
				stderr, "heddle-sim: bad number: %s\n", optarg);
			return -1;
		}
	}
	if (optind < argc)
		a->file = argv[optind++];
	return optind == argc ? 0 : -1;
}

/* The option's number, or the default. */
static unsigned
option_number(const struct args *a, enum option_id o, unsigned otherwise)
{
	return a->opt[o].n ? a->opt[o].v[0] : otherwise;
}

static struct fabric *
make_fattree2(const struct args *a, struct reason *why)
{
	struct gen_fattree2 p = {
		.spines = option_number(a, O_SPINES, 1),
		.leaves = option_number(a, O_LEAVES, 2),
		.parallel = option_number(a, O_PARALLEL, 1),
		.hosts_even = option_number(a, O_HOSTS, 1),
		.hosts_odd = option_number(
			a, O_HOSTS_ODD, option_number(a, O_HOSTS, 1)),
	};

	return gen_tree_two(&p, why);
}

static struct fabric *
make_fattree3(const struct args *a, struct reason *why)
{
	return gen_tree_three(option_number(a, O_K, 4), why);
}

static struct fabric *
make_kary(const struct args *a, struct reason *why)
{
	return gen_tree_kary(
		option_number(a, O_K, 2), option_number(a, O_N, 2), why);
}

static struct fabric *
make_pgft(const struct args *a, struct reason *why)
{
	const struct list *m = &a->opt[O_M], *w = &a->opt[O_W];
	const struct list *p = &a->opt[O_P];

	if (m->n == 0 || m->n != w->n || (p->n && p->n != m->n)) {
		reason_set(why, "--m, --w and --p need the same levels");
		return NULL;
	}
	return gen_tree_pgft(m->n, m->v, w->v, p->n ? p->v : NULL, why);
}

static struct fabric *
make_mesh(const struct args *a, struct reason *why)
{
	return gen_grid(a->opt[O_DIM].v, a->opt[O_DIM].n, false,
		option_number(a, O_HOSTS, 1), why);
}

static struct fabric *
make_torus(const struct args *a, struct reason *why)
{
	return gen_grid(a->opt[O_DIM].v, a->opt[O_DIM].n, true,
		option_number(a, O_HOSTS, 1), why);
}

static struct fabric *
make_hyperx(const struct args *a, struct reason *why)
{
	return gen_hyperx(a->opt[O_DIM].v, a->opt[O_DIM].n,
		option_number(a, O_HOSTS, 1), why);
}

static struct fabric *
make_hypercube(const struct args *a, struct reason *why)
{
	unsigned dim[GEN_MAX_DIMS];

	for (unsigned i = 0; i < GEN_MAX_DIMS; i++)
		dim[i] = 2;
	return gen_grid(dim, option_number(a, O_N, 3), false,
		option_number(a, O_HOSTS, 1), why);
}

static struct fabric *
make_line(const struct args *a, struct reason *why)
{
	unsigned n = option_number(a, O_N, 2);

	return gen_grid(&n, 1, false, option_number(a, O_HOSTS, 1), why);
}

static struct fabric *
make_ring(const struct args *a, struct reason *why)
{
	unsigned n = option_number(a, O_N, 4);

	return gen_grid(&n, 1, true, option_number(a, O_HOSTS, 1), why);
}

static struct fabric *
make_dragonfly(const struct args *a, struct reason *why)
{
	return gen_dragonfly(option_number(a, O_A, 4), option_number(a, O_P, 2),
		option_number(a, O_H, 2), why);
}

static struct fabric *
make_random(const struct args *a, struct reason *why)
{
	return gen_random(option_number(a, O_SWITCHES, 16),
		option_number(a, O_DEGREE, 4), option_number(a, O_HOSTS, 1),
		a->seed, why);
}

static struct fabric *
make_single(const struct args *a, struct reason *why)
{
	unsigned one = 1;

	return gen_grid(&one, 1, false, option_number(a, O_HOSTS, 2), why);
}

static struct fabric *
make_pair(const struct args *a, struct reason *why)
{
	(void)a;
	(void)why;
	return gen_pair();
}

static struct fabric *
make_file(const struct args *a, struct reason *why)
{
	struct buf warn = {0};
	struct fabric *f;

	if (!a->file) {
		reason_set(why, "file needs a path");
		return NULL;
	}
	f = ibnet_load(a->file, &warn, why);
	if (warn.n)
		(void)fputs(warn.text, stderr);
	buf_free(&warn);
	return f;
}

static const struct {
	const char *name;
	struct fabric *(*make)(const struct args *, struct reason *);
} kinds[] = {
	{"fattree2", make_fattree2},
	{"fattree3", make_fattree3},
	{"kary", make_kary},
	{"pgft", make_pgft},
	{"xgft", make_pgft},
	{"mesh", make_mesh},
	{"torus", make_torus},
	{"hyperx", make_hyperx},
	{"hypercube", make_hypercube},
	{"line", make_line},
	{"ring", make_ring},
	{"dragonfly", make_dragonfly},
	{"random", make_random},
	{"single", make_single},
	{"pair", make_pair},
	{"file", make_file},
};

static struct fabric *
edit_fabric(struct fabric *f, const struct args *a, struct reason *why)
{
	const struct list *pop = &a->opt[O_POPULATE];
	bool keep = !a->opt[O_DISCONNECT].n;

	if (f && pop->n)
		f = gen_edit_populate(f, pop->v[0], pop->v[pop->n > 1 ? 1 : 0]);
	if (f && a->opt[O_RAILS].n)
		f = gen_edit_rails(f, option_number(a, O_RAILS, 1),
			a->opt[O_SEPARATE].n != 0, why);
	if (f && a->opt[O_SHARP].n)
		f = gen_edit_aggregation(f, why);
	if (f && a->opt[O_SELF_LOOPS].n)
		f = gen_edit_self_loops(
			f, option_number(a, O_SELF_LOOPS, 0), why);
	if (f && a->opt[O_PORTS].n)
		f = gen_edit_ports(f, option_number(a, O_PORTS, 0),
			a->opt[O_HIGH].n != 0, why);
	if (f && a->opt[O_FAIL_LINKS].n)
		f = gen_edit_fail_links(f, option_number(a, O_FAIL_LINKS, 0),
			a->seed, keep, why);
	if (f && a->opt[O_FAIL_SWITCHES].n)
		f = gen_edit_fail_switches(f,
			option_number(a, O_FAIL_SWITCHES, 0), a->seed, keep,
			why);
	return f;
}

static int
write_out(const struct fabric *f)
{
	struct buf out = {0};
	int rc = 0;

	ibnet_print(f, &out);
	if (fwrite(out.text, 1, out.n, stdout) != out.n || fflush(stdout)) {
		perror("heddle-sim: stdout");
		rc = -1;
	}
	(void)fprintf(stderr,
		"heddle-sim: %u switches, %u hosts, "
		"%u cables\n",
		f->nswitches, f->nhosts, f->ncables);
	buf_free(&out);
	return rc;
}

int
topogen_run(int argc, char **argv)
{
	struct args a = {.seed = 1};
	struct reason why = {{0}};
	struct fabric *f;
	size_t k = 0, nkinds = sizeof(kinds) / sizeof(kinds[0]);
	int rc;

	while (argc > 1 && k < nkinds && strcmp(argv[1], kinds[k].name) != 0)
		k++;
	if (argc < 2 || k == nkinds || parse_args(argc - 1, argv + 1, &a)) {
		(void)fputs(usage, stderr);
		return 2;
	}
	f = edit_fabric(kinds[k].make(&a, &why), &a, &why);
	if (!f) {
		(void)fprintf(stderr, "heddle-sim: %s\n", why.text);
		return 1;
	}
	rc = write_out(f);
	fabric_free(f);
	return rc ? 1 : 0;
}
