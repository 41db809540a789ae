/*
 * linkcost: the SMPs that a lost link between switches costs, and its return,
 * with adaptive routing and without it: by attribute, until all is quiet. The
 * real core over a simulated fabric, on the virtual clock: no number depends on
 * the machine. Each link is lost twice: the first time a switch is asked
 * whether it goes on choosing when its table is written.
 * usage: linkcost [FABRIC...] (see shape.h; default three:12 three:16)
 *	GROUPS=N	groups that a switch has room for (2048)
 *	WHERE=1		also which switches get the Sets of entries and groups:
 *			ends of the link, of its pod, or of other ones, by the
 *			names of treenet's trees
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sm/base/log.h"
#include "sm/base/mem.h"
#include "sm/mad/mad_ar.h"
#include "tests/sim/model/world.h"
#include "tests/topo/shape.h"

enum { LINKS = 4, TIMES = 2, SUB_GROUPS = 2 };

/* What is counted together. */
enum kind { TABLES, ENTRIES, SLOTS, INFO, OTHER, KINDS };

/* Sets of one switch. */
struct share {
	uint32_t set[KINDS];
};

struct cost {
	uint64_t get[KINDS], set[KINDS], all;
	struct share *of; /* [nodes] or NULL */
};

static enum kind
kind_of(unsigned row)
{
	if (row == sim_attr_row(MAD_LFT))
		return TABLES;
	if (row == sim_attr_row(MAD_AR_LFT))
		return ENTRIES;
	if (row == sim_attr_row(MAD_AR_GROUP))
		return SLOTS;
	return row == sim_attr_row(MAD_AR_INFO) ? INFO : OTHER;
}

static struct world *
start_world(const struct fabric *f, const char *yaml)
{
	struct sim_options o = sim_defaults();
	struct world *w = world_new(f, &o, yaml);

	world_start(w);
	(void)world_settle(w, mono_ms(600000));
	return w;
}

static void
count_set(void *cookie, const struct sim_set *set)
{
	struct share *of = cookie;

	of[set->node].set[kind_of(sim_attr_row(set->attr))]++;
}

/* The cost of setting a link up or down; c.of is the caller's. */
static struct cost
set_link(struct world *w, uint32_t node, unsigned port, bool up)
{
	const struct sim_stats *s = sim_stats(w->sim);
	struct cost c = {.of = mem_zalloc(sim_nodes(w->sim), sizeof(*c.of))};

	sim_clear_stats(w->sim);
	sim_trace(w->sim, count_set, c.of);
	sim_fault_link(w->sim, node, port, up);
	if (!world_settle(w, mono_ms(60000)))
		(void)printf("NEVER SETTLED: %s\n", w->last_why);
	sim_trace(w->sim, NULL, NULL);
	c.all = s->smps;
	for (unsigned row = 0; row < SIM_ATTRS; row++) {
		c.get[kind_of(row)] += s->by[row][MAD_GET];
		c.set[kind_of(row)] += s->by[row][MAD_SET];
	}
	return c;
}

static void
print_cost(
	const char *what, const struct cost *with, const struct cost *without)
{
	static const char *const name[KINDS] = {
		"tables", "entries", "groups", "ARInfo", "others"};

	(void)printf("  %-8s %6llu SMPs of %6llu: x%.2f;", what,
		(unsigned long long)with->all, (unsigned long long)without->all,
		(double)with->all / (double)without->all);
	for (unsigned k = 0; k < KINDS; k++)
		if (with->get[k] + with->set[k] > 0)
			(void)printf(" %s %llu+%llu", name[k],
				(unsigned long long)with->get[k],
				(unsigned long long)with->set[k]);
	(void)printf(" (without: tables %llu+%llu, others %llu+%llu)\n",
		(unsigned long long)without->get[TABLES],
		(unsigned long long)without->set[TABLES],
		(unsigned long long)without->get[OTHER],
		(unsigned long long)without->set[OTHER]);
	(void)fflush(stdout);
}

/* ---- where they go ---- */

enum { NAME = 32, PLACES = 16 };

/* Switches whose names are alike. */
struct place {
	char name[NAME];
	uint32_t switches;
	uint64_t set[KINDS];
};

/* "leaf elsewhere" */
static void
name_place(const struct fabric *f, const struct fabric_cable *c, uint32_t node,
	char out[NAME])
{
	const char *name = f->node[node].name, *dot = strchr(name, '.'), *where;
	size_t pod = dot != NULL ? (size_t)(dot + 1 - name) : 0;
	size_t n = strcspn(name + pod, "0123456789");

	if (node == c->node[0] || node == c->node[1])
		where = "of the link";
	else if (pod == 0 || strncmp(name, f->node[c->node[0]].name, pod) != 0)
		where = "elsewhere";
	else
		where = "of its pod";
	(void)snprintf(out, NAME, "%.*s %s", (int)(n < 12 ? n : 12), name + pod,
		where);
}

static void
print_places(const struct fabric *f, const struct fabric_cable *c,
	const struct cost *cost)
{
	struct place place[PLACES] = {{.switches = 0}};

	for (uint32_t i = 0; i < f->nnodes; i++) {
		const struct share *of = &cost->of[i];
		char name[NAME];
		unsigned k = 0;

		if (of->set[ENTRIES] + of->set[SLOTS] == 0)
			continue;
		name_place(f, c, i, name);
		while (k + 1 < PLACES && place[k].switches > 0 &&
			strcmp(place[k].name, name) != 0)
			k++;
		memcpy(place[k].name, name, NAME);
		place[k].switches++;
		for (unsigned j = 0; j < KINDS; j++)
			place[k].set[j] += of->set[j];
	}
	for (unsigned k = 0; k < PLACES && place[k].switches > 0; k++)
		(void)printf(
			"      %u %s: tables %llu entries %llu groups %llu\n",
			place[k].switches, place[k].name,
			(unsigned long long)place[k].set[TABLES],
			(unsigned long long)place[k].set[ENTRIES],
			(unsigned long long)place[k].set[SLOTS]);
}

/* The first cable between switches from number *c on. */
static const struct fabric_cable *
next_link(const struct fabric *f, uint32_t c)
{
	while (f->node[f->cable[c].node[0]].type != FABRIC_SWITCH ||
		f->node[f->cable[c].node[1]].type != FABRIC_SWITCH)
		c++;
	return &f->cable[c];
}

static void
lose_links(const struct fabric *f, struct world *with, struct world *without)
{
	for (uint32_t i = 0; i < LINKS * TIMES; i++) {
		const struct fabric_cable *c =
			next_link(f, f->ncables / LINKS * (i / TIMES));

		if (i % TIMES == 0)
			(void)printf(" %s - %s\n", f->node[c->node[0]].name,
				f->node[c->node[1]].name);
		for (unsigned up = 0; up < 2; up++) {
			struct cost is =
				set_link(with, c->node[0], c->port[0], up != 0);
			struct cost was = set_link(
				without, c->node[0], c->port[0], up != 0);

			print_cost(up != 0 ? "returned" : "lost", &is, &was);
			if (getenv("WHERE") != NULL)
				print_places(f, c, &is);
			free(is.of);
			free(was.of);
		}
	}
}

static void
run_fabric(const char *name)
{
	const char *groups = getenv("GROUPS");
	struct reason why = {""};
	struct fabric *f = shape_load(name, "../shared/fixtures", &why);
	struct world *with, *without;

	if (f == NULL) {
		(void)printf("%s: %s\n", name, why.text);
		return;
	}
	for (uint32_t i = 0; i < f->nnodes; i++) {
		if (f->node[i].type != FABRIC_SWITCH)
			continue;
		f->node[i].attrs.ar = true;
		f->node[i].attrs.groups =
			(uint16_t)(groups != NULL ? strtoul(groups, NULL, 10)
						  : 2048);
		f->node[i].attrs.sub_groups = SUB_GROUPS;
	}
	with = start_world(f, "routing: {adaptive: {enabled: true}}\n");
	(void)printf("%s: bring-up %llu SMPs", name,
		(unsigned long long)sim_stats(with->sim)->smps);
	without = start_world(f, "");
	(void)printf(" of %llu\n",
		(unsigned long long)sim_stats(without->sim)->smps);
	lose_links(f, with, without);
	world_free(with);
	world_free(without);
	fabric_free(f);
}

int
main(int argc, char **argv)
{
	log_set_level(LOG_LEVEL_ERROR);
	for (int i = 1; i < argc; i++)
		run_fabric(argv[i]);
	if (argc < 2) {
		run_fabric("three:12");
		run_fabric("three:16");
	}
	return 0;
}
