#include "tests/sim/serve/simserve.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "sm/base/buf.h"
#include "tests/sim/serve/serve.h"
#include "tests/topo/ibnet.h"

enum option_id {
	O_NAME = 1,
	O_PROFILE,
	O_SEED,
	O_HOP,
	O_SERVICE,
	O_TIMEOUT,
	O_RETRIES,
	O_CTL,
	O_PLANAR,
	O_COUNT
};

static const struct option long_options[] = {
	{"name", required_argument, NULL, O_NAME},
	{"profile", required_argument, NULL, O_PROFILE},
	{"seed", required_argument, NULL, O_SEED},
	{"hop", required_argument, NULL, O_HOP},
	{"service", required_argument, NULL, O_SERVICE},
	{"timeout", required_argument, NULL, O_TIMEOUT},
	{"retries", required_argument, NULL, O_RETRIES},
	{"ctl", required_argument, NULL, O_CTL},
	{"planar", no_argument, NULL, O_PLANAR},
	{NULL, 0, NULL, 0},
};

static const char usage[] =
	"usage: heddle-sim serve FABRIC [--name NAME] [--profile full|ibsim]\n"
	"           [--seed N] [--hop US] [--service US] [--timeout MS]\n"
	"           [--retries N] [--ctl PATH] [--planar]\n";

static int
report_error(const char *text)
{
	(void)fprintf(stderr, "heddle-sim: %s\n", text);
	return 1;
}

static int
parse_number(const char *text, uint64_t max, uint64_t *out)
{
	char *end;

	*out = strtoull(text, &end, 0);
	if (end != text && *end == '\0' && *text != '-' && *out <= max)
		return 0;
	(void)fprintf(stderr, "heddle-sim: bad number: %s\n", text);
	return -1;
}

static int
set_profile(struct sim_options *o, const char *name)
{
	if (strcmp(name, "ibsim") == 0) {
		/* the capabilities of Debian's ibsim 0.10 */
		o->ibsim = true;
		o->lft_cap = 30 * 1024;
		o->mft_cap = 1024;
		o->opt_sl2vl = false;
		o->vl_cap = 4;
		o->mtu_cap = 4;
		o->keep_lids = true;
		o->trap_tries = 1;
		return 0;
	}
	if (strcmp(name, "full") == 0)
		return 0;
	(void)fprintf(stderr, "heddle-sim: no such profile: %s\n", name);
	return -1;
}

static int
set_option(struct serve_options *o, int c, const char *arg)
{
	static const uint64_t most = 1000000000;
	uint64_t v = 0;

	if (c != O_NAME && c != O_CTL && c != O_PROFILE && c != O_PLANAR &&
		parse_number(arg, c == O_SEED ? UINT64_MAX : most, &v))
		return -1;
	switch ((enum option_id)c) {
	case O_NAME:
		o->name = arg;
		return 0;
	case O_CTL:
		o->ctl = arg;
		return 0;
	case O_PROFILE:
		return set_profile(&o->sim, arg);
	case O_SEED:
		o->sim.seed = v;
		return 0;
	case O_HOP:
		o->sim.hop = mono_us((int64_t)v);
		return 0;
	case O_SERVICE:
		o->sim.service = mono_us((int64_t)v);
		return 0;
	case O_TIMEOUT:
		o->timeout = mono_ms((int64_t)v);
		return 0;
	case O_RETRIES:
		o->retries = (unsigned)v;
		return 0;
	case O_PLANAR:
		o->planar = true;
		return 0;
	case O_COUNT:
		break;
	}
	return -1;
}

static struct fabric *
load_fabric(const char *path)
{
	struct buf warn = {0};
	struct reason why = {{0}};
	struct fabric *f = ibnet_load(path, &warn, &why);

	if (warn.n)
		(void)fputs(warn.text, stderr);
	buf_free(&warn);
	if (!f)
		(void)report_error(why.text);
	else if (f->nnodes == 0) {
		(void)fprintf(stderr, "heddle-sim: %s: no nodes\n", path);
		fabric_free(f);
		return NULL;
	}
	return f;
}

static int
serve_fabric(const char *path, const struct serve_options *o, int ready_fd)
{
	struct reason why = {{0}};
	struct fabric *f = load_fabric(path);
	struct serve *s;

	if (!f)
		return 1;
	s = serve_new(f, o, &why);
	if (!s) {
		fabric_free(f);
		return report_error(why.text);
	}
	/* latencies are microseconds; the default slack is 50 of them */
	(void)prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
	if (ready_fd >= 0) {
		(void)!write(ready_fd, "", 1);
		(void)close(ready_fd);
	} else {
		(void)printf("heddle-sim: ready as \"%s\": %u switches, "
			     "%u hosts, %u cables\n",
			o->name, f->nswitches, f->nhosts, f->ncables);
		(void)fflush(stdout);
	}
	serve_run(s);
	serve_free(s);
	fabric_free(f);
	return 0;
}

/* Defaults with the name that clients use by default. */
static struct serve_options
env_defaults(void)
{
	struct serve_options o = serve_defaults();
	const char *name = getenv("IBSIM_SOCKNAME");

	if (name && *name)
		o.name = name;
	return o;
}

int
simserve_run(int argc, char **argv)
{
	struct serve_options o = env_defaults();
	int c;

	while ((c = getopt_long(argc, argv, "", long_options, NULL)) != -1) {
		if (set_option(&o, c, optarg))
			goto bad;
	}
	if (optind + 1 != argc)
		goto bad;
	return serve_fabric(argv[optind], &o, -1);
bad:
	(void)fputs(usage, stderr);
	return 2;
}

int
simserve_plain(
	const char *path, const char *name, const char *profile, int ready_fd)
{
	struct serve_options o = env_defaults();

	o.name = name;
	if (profile && set_profile(&o.sim, profile))
		return 2;
	return serve_fabric(path, &o, ready_fd);
}
