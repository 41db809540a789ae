/*
 * heddle-ftscheck: judge the tables that a subnet manager left in a fabric.
 *
 *   ibnetdiscover > net; dump_fts -n > fts; heddle-ftscheck net fts
 *
 * Exit 0: every port reaches every port and no deadlock is possible; 1: it does
 * not, or one is; 2: the input cannot be read.
 */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/e2e/judge.h"
#include "tests/e2e/ndtext.h"
#include "tests/e2e/tracks.h"

static void
print_text(const struct ndtext *t, const struct judge_report *r)
{
	if (r->problems.text)
		fputs(r->problems.text, stdout);
	printf("fabric    %u switches, %u host ports (%u of them aggregation "
	       "nodes), %u links, %u LIDs\n",
		t->nsw, r->hosts, r->aggregation, t->nlinks, r->lids);
	printf("tables    %u of %u switches, %" PRIu64 " blocks, %" PRIu64
	       " entries (%" PRIu64 " for LIDs out of use)\n",
		t->nsw - r->no_table, t->nsw, t->blocks, t->entries, t->stray);
	printf("reach     %" PRIu64 " pairs, %" PRIu64
	       " unreachable; from switches %" PRIu64 ", %" PRIu64
	       " unreachable; %" PRIu64 " loops; at most %u hops\n",
		r->pairs, r->unreachable, r->sw_pairs, r->sw_unreachable,
		r->loops, r->max_hops);
	printf("deadlock  %u of %u channels on a cycle, %u more behind one\n",
		r->cyclic, r->channels, r->behind);
	printf("load      highest %" PRIu64 ", mean %.1f\n", r->load_max,
		r->load_mean);
}

static void
print_json(const struct ndtext *t, const struct judge_report *r, bool good)
{
	printf("{\"good\": %s, \"switches\": %u, \"hosts\": %u,"
	       " \"aggregation\": %u,\n \"links\": %u, \"linked_ports\": %u,"
	       " \"one_way\": %u, \"lids\": %u, \"bad_lids\": %u,\n",
		good ? "true" : "false", t->nsw, r->hosts, r->aggregation,
		t->nlinks, t->linked, t->one_way, r->lids, r->bad_lids);
	printf(" \"no_table\": %u, \"blocks\": %" PRIu64
	       ", \"entries\": %" PRIu64 ", \"stray\": %" PRIu64 ",\n",
		r->no_table, t->blocks, t->entries, t->stray);
	printf(" \"pairs\": %" PRIu64 ", \"unreachable\": %" PRIu64
	       ", \"switch_pairs\": %" PRIu64
	       ", \"switch_unreachable\": %" PRIu64 ",\n",
		r->pairs, r->unreachable, r->sw_pairs, r->sw_unreachable);
	printf(" \"loops\": %" PRIu64 ", \"max_hops\": %u, \"channels\": %u,"
	       " \"cyclic\": %u, \"behind\": %u,\n",
		r->loops, r->max_hops, r->channels, r->cyclic, r->behind);
	printf(" \"load_max\": %" PRIu64 ", \"load_mean\": %.2f}\n",
		r->load_max, r->load_mean);
}

static FILE *
open_or_complain(const char *file)
{
	FILE *f = fopen(file, "r");

	if (!f)
		fprintf(stderr, "heddle-ftscheck: %s: %m\n", file);
	return f;
}

static struct ndtext *
read_all(const char *net, const char *tables)
{
	struct reason why = {{0}};
	struct ndtext *t = NULL;
	FILE *in = open_or_complain(net), *fts = NULL;
	int rc = -1;

	if (!in)
		return NULL;
	fts = strcmp(tables, "-") == 0 ? stdin : open_or_complain(tables);
	if (!fts)
		goto out;
	t = ndtext_read(in, net, &why);
	if (t)
		rc = ndtext_read_tables(t, fts, tables, &why);
	if (rc) {
		fprintf(stderr, "heddle-ftscheck: %s\n", why.text);
		ndtext_free(t);
		t = NULL;
	}
	if (fts != stdin)
		fclose(fts);
out:
	fclose(in);
	return t;
}

struct options {
	bool json, cycles_allowed, diff;
	unsigned tracks, tool, far;
	uint64_t seed;
};

static int
print_usage(void)
{
	fprintf(stderr,
		"usage: heddle-ftscheck [--json] [--allow-cycles] NET TABLES\n"
		"       heddle-ftscheck --diff NET OLD NEW\n"
		"       heddle-ftscheck --tracks N --tool LID [--seed S] "
		"[--far LINKS] NET TABLES\n"
		"NET: ibnetdiscover's text; TABLES: dump_fts's, - for stdin\n");
	return 2;
}

/* Fill o from the options; the index of the first operand, or -1. */
static int
parse_options(int argc, char **argv, struct options *o)
{
	static const struct option longs[] = {
		{"json", no_argument, NULL, 'j'},
		{"allow-cycles", no_argument, NULL, 'c'},
		{"diff", no_argument, NULL, 'd'},
		{"tracks", required_argument, NULL, 't'},
		{"tool", required_argument, NULL, 'l'},
		{"far", required_argument, NULL, 'f'},
		{"seed", required_argument, NULL, 's'},
		{NULL, 0, NULL, 0},
	};
	int c;

	*o = (struct options){.far = 12, .seed = 1};
	while ((c = getopt_long(argc, argv, "", longs, NULL)) != -1) {
		uint64_t v = optarg ? strtoull(optarg, NULL, 0) : 0;

		o->json |= c == 'j';
		o->cycles_allowed |= c == 'c';
		o->diff |= c == 'd';
		if (c == 't')
			o->tracks = (unsigned)v;
		if (c == 'l')
			o->tool = (unsigned)v;
		if (c == 'f')
			o->far = (unsigned)v;
		if (c == 's')
			o->seed = v;
		if (c == '?')
			return -1;
	}
	if (argc - optind != (o->diff ? 3 : 2))
		return -1;
	return optind;
}

static int
print_diff(const struct ndtext *t, const char *net, const char *tables)
{
	struct ndtext *other = read_all(net, tables);

	if (!other)
		return 2;
	printf("%" PRIu64 "\n", ndtext_diff_blocks(t, other));
	ndtext_free(other);
	return 0;
}

static int
print_verdict(const struct ndtext *t, const struct options *o)
{
	struct judge_report r;
	bool good;

	judge_all(t, &r);
	good = judge_good(&r, o->cycles_allowed);
	if (o->json)
		print_json(t, &r, good);
	else
		print_text(t, &r);
	if (o->json && !good && r.problems.text)
		fputs(r.problems.text, stderr);
	if (!o->json)
		printf("verdict   %s\n", good ? "good" : "BAD");
	judge_free(&r);
	return good ? 0 : 1;
}

int
main(int argc, char **argv)
{
	struct options o;
	struct ndtext *t;
	int at = parse_options(argc, argv, &o), rc;

	if (at < 0)
		return print_usage();
	t = read_all(argv[at], argv[at + 1]);
	if (!t)
		return 2;
	if (o.diff)
		rc = print_diff(t, argv[at], argv[at + 2]);
	else if (o.tracks)
		rc = tracks_print(t, stdout, o.tracks, o.seed, o.tool, o.far)
			     ? 0
			     : 1;
	else
		rc = print_verdict(t, &o);
	ndtext_free(t);
	return rc;
}
