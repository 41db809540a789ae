/*
 * heddle-ftscheck: judge the tables that a subnet manager left in a fabric.
 *
 *   ibnetdiscover > net; dump_fts -n > fts; heddle-ftscheck net fts
 *
 * Exit 0: every port reaches every port and no deadlock is possible; 1: not so;
 * 2: the input cannot be read.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tests/e2e/judge.h"
#include "tests/e2e/ndtext.h"

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

static int
usage(void)
{
	fprintf(stderr,
		"usage: heddle-ftscheck [--json] [--allow-cycles] NET TABLES\n"
		"NET: ibnetdiscover's text; TABLES: dump_fts's, - for stdin\n");
	return 2;
}

int
main(int argc, char **argv)
{
	bool json = false, cycles_allowed = false, good;
	struct judge_report r;
	struct ndtext *t;
	int i;

	for (i = 1; i < argc && strncmp(argv[i], "--", 2) == 0; i++) {
		if (strcmp(argv[i], "--json") == 0)
			json = true;
		else if (strcmp(argv[i], "--allow-cycles") == 0)
			cycles_allowed = true;
		else
			return usage();
	}
	if (argc - i != 2)
		return usage();
	t = read_all(argv[i], argv[i + 1]);
	if (!t)
		return 2;
	judge_all(t, &r);
	good = judge_good(&r, cycles_allowed);
	if (json)
		print_json(t, &r, good);
	else
		print_text(t, &r);
	if (json && !good && r.problems.text)
		fputs(r.problems.text, stderr);
	if (!json)
		printf("verdict   %s\n", good ? "good" : "BAD");
	judge_free(&r);
	ndtext_free(t);
	return good ? 0 : 1;
}
