#include "config/import/import.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "config/config.h"
#include "config/import/import_priv.h"
#include "sm/base/mem.h"

enum { MAX_LINE = 1024, MAX_TEXT = 200, MAX_PATH = 1024 };

/* How a value of OpenSM becomes one of Heddle. */
enum how {
	SAME,
	SECONDS,
	MILLISECONDS,
	VLS,
	ENGINES,
	INVERTED,
	GUARDS,
	YES,
	SMPS,
	TOPS, /* of the engines that are taken over */
	SECRET,
	STOCK_SECRET, /* not carried over if it is publicly known */
	LAYERS,	      /* 0: all that there are */
	SIZES	      /* of the file that it names */
};

/* In the order of the sections: they are printed from here. */
static const struct option {
	const char *theirs, *ours;
	enum how how;
} options[] = {
	{"guid", "fabric.port", SAME},
	{"subnet_prefix", "fabric.subnet_prefix", SAME},
	{"lmc", "fabric.lmc.hosts", SAME},
	{"lmc_esp0", "fabric.lmc.switches", YES},
	{"sm_priority", "fabric.priority", SAME},
	{"m_key", "fabric.m_key", SECRET},
	{"m_key_protection_level", "fabric.m_key_protection", SAME},
	{"m_key_lease_period", "fabric.m_key_lease", SECONDS},
	{"sm_key", "fabric.sm_key", SECRET},
	{"no_partition_enforcement", "fabric.partition_enforcement", INVERTED},
	{"part_enforce", "fabric.partition_enforcement", GUARDS},
	{"routing_engine", "routing.engines", ENGINES},
	{NULL, NULL, TOPS},
	{"torus_config", "routing.torus.dimensions", SIZES},
	{"nue_max_num_vls", "routing.nue.layers", LAYERS},
	{"sweep_interval", "sweep.interval", SECONDS},
	{"transaction_timeout", "smp.timeout", MILLISECONDS},
	{"transaction_retries", "smp.retries", SAME},
	{"max_wire_smps", "smp.window_max", SMPS},
	{"sminfo_polling_timeout", "standby.poll_interval", MILLISECONDS},
	{"polling_retry_number", "standby.missed_polls", SAME},
	{"subnet_timeout", "link.subnet_timeout", SAME},
	{"packet_life_time", "link.packet_lifetime", SAME},
	{"head_of_queue_lifetime", "link.hoq_lifetime", SAME},
	{"leaf_head_of_queue_lifetime", "link.leaf_hoq_lifetime", SAME},
	{"vl_stall_count", "link.vl_stall_count", SAME},
	{"local_phy_errors_threshold", "link.phy_errors_threshold", SAME},
	{"overrun_errors_threshold", "link.overrun_errors_threshold", SAME},
	{"max_op_vls", "link.max_vls", VLS},
	{"sa_key", "sa.trust_key", STOCK_SECRET},
};

enum { NOPTIONS = sizeof(options) / sizeof(options[0]) };

/* OpenSM's defaults, which it writes into its file, where Heddle's are better
 * and others: no administrator has chosen them. */
static const struct {
	const char *key, *value;
} stock[] = {
	{"m_key_lease_period", "0"},
	{"m_key_protection_level", "0"},
	{"max_wire_smps", "4"},
	{"nue_max_num_vls", "1"},
	{"polling_retry_number", "4"},
	{"sminfo_polling_timeout", "10000"},
};

static bool
is_stock(const char *key, const char *value)
{
	for (size_t i = 0; i < sizeof(stock) / sizeof(stock[0]); i++)
		if (strcmp(stock[i].key, key) == 0)
			return import_is_default(stock[i].value, value);
	return false;
}

const char *
import_counterpart(const char *key, const char **stock_value)
{
	*stock_value = NULL;
	for (size_t i = 0; i < sizeof(stock) / sizeof(stock[0]); i++)
		if (strcmp(stock[i].key, key) == 0)
			*stock_value = stock[i].value;
	for (size_t i = 0; i < NOPTIONS; i++)
		if (options[i].theirs != NULL &&
			strcmp(options[i].theirs, key) == 0)
			return options[i].ours;
	return NULL;
}

/* The options that name files, and where OpenSM has them. */
enum named { PARTITIONS, QOS_POLICY, PREFIX_ROUTES, ROOTS, TORUS, NAMED };

static const struct {
	const char *key, *file; /* file NULL: there is none by default */
} named[NAMED] = {
	[PARTITIONS] = {"partition_config_file", "partitions.conf"},
	[QOS_POLICY] = {"qos_policy_file", "qos-policy.conf"},
	[PREFIX_ROUTES] = {"prefix_routes_file", "prefix-routes.conf"},
	[ROOTS] = {"root_guid_file", NULL},
	[TORUS] = {"torus_config", "torus-2QoS.conf"},
};

struct import {
	struct import_file file; /* opensm.conf */
	const char *dir;	 /* where files are that it does not name */
	const struct schema_module *const
		*modules; /* that there are: they have OpenSM's names
			   */
	struct config *all_defaults;
	char value[NOPTIONS][MAX_TEXT]; /* ours, "" for not given */
	struct buf roots;		/* a list of switches */
	const char *roots_of;		/* and the engines that it is for */
	char lmc[MAX_TEXT];
	struct {
		char path[MAX_PATH]; /* "" if there is none */
		unsigned line;	     /* 0: the default place */
	} named[NAMED];
	bool both;    /* allow_both_pkeys */
	bool has_sa;  /* the section "sa" has a key */
	bool secrets; /* there are keys to protect */
	size_t lines, understood;
	struct import_qos *qos;
	struct import_notes notes;
	struct buf silent; /* options at OpenSM's defaults */
	unsigned column;   /* of its last line */
};

/* ---- values ---- */

static bool
is_true(const char *v)
{
	return strcasecmp(v, "TRUE") == 0 || strcmp(v, "1") == 0;
}

/* Whether a module is, or stands for, an engine of OpenSM. */
static bool
is_for_engine(const struct schema_module *m, const char *name)
{
	char word[MAX_LINE];

	(void)snprintf(word, sizeof(word), " %s ", name);
	return strcmp(m->name, name) == 0 ||
	       (m->opensm != NULL && strstr(m->opensm, word) != NULL);
}

/* Keep the engines that Heddle has, under its names; false: none of them. */
static bool
translate_engines(
	struct import *im, unsigned line, const char *v, char out[MAX_TEXT])
{
	char list[MAX_LINE], *save = NULL, *name;
	bool any = false;
	size_t i, at;

	(void)snprintf(list, sizeof(list), "%s", v);
	at = (size_t)snprintf(out, MAX_TEXT, "[");
	for (name = strtok_r(list, ", ", &save); name != NULL;
		name = strtok_r(NULL, ", ", &save)) {
		for (i = 0; im->modules[i] != NULL &&
			    !is_for_engine(im->modules[i], name);
			i++)
			;
		if (strcmp(name, "no_fallback") == 0)
			import_note(&im->notes, &im->file, line,
				"routing_engine no_fallback: behind these "
				"engines there is always up/down, which cannot "
				"deadlock");
		else if (im->modules[i] == NULL)
			import_lost(&im->notes, &im->file, line,
				"routing_engine %.60s: not available in "
				"Heddle, "
				"whose engines are all deadlock-free",
				name);
		else if (strstr(out, im->modules[i]->name) == NULL) {
			at += (size_t)snprintf(out + at, MAX_TEXT - at, "%s%s",
				any ? ", " : "", im->modules[i]->name);
			any = true;
		}
	}
	(void)snprintf(out + at, MAX_TEXT - at, "]");
	return any;
}

/* Translate a value. False: it is the default, or a note was written. */
static bool
translate_value(struct import *im, const struct option *o, unsigned line,
	const char *v, char out[MAX_TEXT])
{
	static const char *const vls[] = {"", "1", "2", "4", "8", "15"};

	switch (o->how) {
	case SECONDS:
		(void)snprintf(out, MAX_TEXT, "%.20ss", v);
		return true;
	case MILLISECONDS:
		(void)snprintf(out, MAX_TEXT, "%.20sms", v);
		return true;
	case VLS:
		(void)snprintf(out, MAX_TEXT, "%s",
			v[0] >= '1' && v[0] <= '5' && v[1] == '\0'
				? vls[v[0] - '0']
				: v);
		return true;
	case ENGINES:
		return translate_engines(im, line, v, out);
	case INVERTED:
		(void)snprintf(out, MAX_TEXT, "false");
		return is_true(v);
	case GUARDS:
		(void)snprintf(out, MAX_TEXT, "false");
		if (strcasecmp(v, "in") == 0 || strcasecmp(v, "out") == 0)
			import_note(&im->notes, &im->file, line,
				"part_enforce %.10s: switches enforce both "
				"ways",
				v);
		return strcasecmp(v, "off") == 0;
	case YES:
		(void)snprintf(out, MAX_TEXT, "%s", im->lmc);
		return is_true(v) && im->lmc[0] != '\0';
	case SMPS: /* 0: no limit */
		(void)snprintf(out, MAX_TEXT, "%.20s",
			strtoull(v, NULL, 0) == 0 && *v == '0' ? "4096" : v);
		return true;
	case STOCK_SECRET:
		(void)snprintf(out, MAX_TEXT, "%.20s", v);
		if (strtoull(v, NULL, 0) == 1)
			import_note(&im->notes, &im->file, line,
				"%s: OpenSM's default, publicly known, "
				"is not trusted; %s takes a key of your own",
				o->theirs, o->ours);
		return strtoull(v, NULL, 0) != 1;
	case LAYERS:
		(void)snprintf(
			out, MAX_TEXT, "%.20s", strcmp(v, "0") == 0 ? "8" : v);
		return true;
	case SECRET:
	case SAME:
	case TOPS: /* neither is from a value */
	case SIZES:
	default:
		(void)snprintf(out, MAX_TEXT, "%.*s", MAX_TEXT - 1, v);
		return strcmp(o->theirs, "guid") != 0 ||
		       strtoull(v, NULL, 0) != 0;
	}
}

/* List an option at its default, in lines of at most 80 columns. */
static void
add_silent(struct import *im, const char *key)
{
	enum { WIDTH = 78, INDENT = 4 };
	unsigned n = (unsigned)strlen(key);
	bool fits = im->column > 0 && im->column + 2 + n <= WIDTH;

	buf_printf(&im->silent, "%s%s%s", im->column > 0 ? "," : "",
		fits ? " " : "\n#   ", key);
	im->column = fits ? im->column + 2 + n : INDENT + n;
}

/* An option that has no counterpart. */
static void
pass_option(struct import *im, unsigned line, const char *key, const char *v)
{
	const char *why;

	switch (import_judge_option(key, v, &why)) {
	case IMPORT_DEFAULT:
		add_silent(im, key);
		break;
	case IMPORT_SAME:
		import_note(&im->notes, &im->file, line, "%.60s %.100s: %s",
			key, v, why);
		break;
	case IMPORT_UNKNOWN:
		im->understood--;
		/* fallthrough */
	case IMPORT_LOST:
	default:
		import_lost(&im->notes, &im->file, line, "%.60s %.100s: %s",
			key, v, why);
		break;
	}
}

/* Keep an option's value if Heddle accepts it. */
static void
set_option(struct import *im, size_t i, unsigned line, const char *v,
	const char *text)
{
	const struct option *o = &options[i];
	bool secret = o->how == SECRET || o->how == STOCK_SECRET;
	char set[2 * MAX_TEXT];
	const char *const list[] = {set};
	struct config *c;
	struct reason why;

	(void)snprintf(set, sizeof(set), "%s=%s", o->ours, text);
	c = config_with(im->all_defaults, list, 1, &why);
	if (c == NULL) {
		import_lost(&im->notes, &im->file, line, "%.60s %.60s: %.200s",
			o->theirs, secret ? "(secret)" : v,
			secret ? "not a hexadecimal number" : why.text);
		return;
	}
	config_unref(c);
	(void)snprintf(im->value[i], MAX_TEXT, "%s", text);
	/* 0 and 1 are no secrets */
	im->secrets |= secret && strtoull(text, NULL, 0) > 1;
	im->has_sa |= o->how == STOCK_SECRET;
	if (strcmp(o->theirs, "lmc") == 0)
		memcpy(im->lmc, im->value[i], MAX_TEXT);
}

/* True if the option names a file, which is kept for later. */
static bool
take_file_name(struct import *im, unsigned line, const char *key, const char *v)
{
	for (unsigned i = 0; i < NAMED; i++) {
		if (strcmp(named[i].key, key) != 0)
			continue;
		(void)snprintf(im->named[i].path, MAX_PATH, "%s", v);
		im->named[i].line = line;
		return true;
	}
	return false;
}

static void
take_option(struct import *im, unsigned line, const char *key, const char *v)
{
	char text[MAX_TEXT];
	size_t i;

	im->understood++;
	if (import_qos_take(im->qos, key, v) ||
		take_file_name(im, line, key, v))
		return;
	if (strcmp(key, "allow_both_pkeys") == 0 && is_true(v)) {
		im->both = true;
		return;
	}
	for (i = 0;
		i < NOPTIONS && (options[i].theirs == NULL ||
					strcmp(options[i].theirs, key) != 0);
		i++)
		;
	if (i == NOPTIONS)
		pass_option(im, line, key, v);
	else if (is_stock(key, v))
		import_note(&im->notes, &im->file, line,
			"%s %.20s: OpenSM's default is not carried over; %s "
			"stays at that of Heddle",
			key, v, options[i].ours);
	else if (translate_value(im, &options[i], line, v, text))
		set_option(im, i, line, v, text);
}

static void
read_options(struct import *im)
{
	struct import_line line;
	size_t at = 0;

	while (import_next_line(&im->file, &at, &line, &im->notes)) {
		im->lines++;
		/* "(null)": not set */
		if (*line.rest == '\0')
			import_lost(&im->notes, &im->file, line.number,
				"'%.60s': not understood", line.key);
		else if (strcmp(line.rest, "(null)") != 0)
			take_option(im, line.number, line.key, line.rest);
		else
			im->understood++;
	}
}

/* ---- files that opensm.conf names ---- */

/* A file that was copied to where opensm.conf is, by its name; else path as it
 * is: in the place that it names there may be one of another host. */
static void
find_beside(const struct import *im, const char *path, char out[MAX_PATH])
{
	const char *slash = strrchr(im->file.name, '/');
	const char *last = strrchr(path, '/');

	(void)snprintf(out, MAX_PATH, "%.*s%s",
		slash == NULL ? 0 : (int)(slash + 1 - im->file.name),
		im->file.name, last == NULL ? path : last + 1);
	if (access(out, F_OK) != 0)
		(void)snprintf(out, MAX_PATH, "%s", path);
}

/*
 * Read one of them. False: there is none, which is listed unless OpenSM goes
 * without it, too.
 */
static bool
read_named(struct import *im, enum named which, struct import_file *f)
{
	const char *path = im->named[which].path;
	unsigned line = im->named[which].line;
	char standard[MAX_PATH] = "", found[MAX_PATH];
	struct reason why;
	bool default_place;

	if (named[which].file != NULL && im->dir != NULL)
		(void)snprintf(standard, sizeof(standard), "%s/%s", im->dir,
			named[which].file);
	if (*path == '\0')
		path = standard;
	default_place = strcmp(path, standard) == 0;
	if (*path == '\0')
		return false;
	find_beside(im, path, found);
	if (import_read(found, f, &why) == 0) {
		import_note(&im->notes, &im->file, line, "%s: %.200s was read",
			named[which].key, found);
		memcpy(im->named[which].path, found, sizeof(found));
		f->name = im->named[which].path;
		return true;
	}
	if (default_place && errno == ENOENT)
		import_note(&im->notes, &im->file, line,
			"%s: there is no %.200s here", named[which].key, path);
	else
		import_lost(&im->notes, &im->file, line, "%s: %.300s",
			named[which].key, why.text);
	return false;
}

/* The text of the engines, "" for none. */
static const char *
engines_of(const struct import *im)
{
	size_t i = 0;

	while (options[i].how != ENGINES)
		i++;
	return im->value[i];
}

/* Root switches are for the engines that OpenSM would give them to. */
static void
take_roots(struct import *im)
{
	const char *engines = engines_of(im);
	struct import_file f;

	if (im->named[ROOTS].line == 0)
		return;
	if (*engines == '\0') {
		import_note(&im->notes, &im->file, im->named[ROOTS].line,
			"%s: OpenSM uses it with updn and ftree only; see "
			"routing.roles.root",
			named[ROOTS].key);
		return;
	}
	if (!read_named(im, ROOTS, &f))
		return;
	(void)import_roots(&f, 6, &im->notes, &im->roots);
	im->roots_of = engines;
	free(f.text);
}

/* The file of torus-2QoS, where that is one of the engines. */
static void
take_torus(struct import *im)
{
	const char *engines = engines_of(im);
	struct buf text = {0};
	struct import_file f;
	size_t i = 0;

	if (strstr(engines, "torus") == NULL)
		return;
	if (strncmp(engines, "[torus", 6) == 0)
		import_qos_torus(im->qos);
	if (!read_named(im, TORUS, &f))
		return;
	import_torus(&f, &im->notes, &text);
	while (options[i].how != SIZES)
		i++;
	if (text.n > 0)
		set_option(im, i, im->named[TORUS].line, f.name, text.text);
	buf_free(&text);
	free(f.text);
}

static void
take_prefix_routes(struct import *im, struct buf *out)
{
	struct import_file f;

	if (!read_named(im, PREFIX_ROUTES, &f))
		return;
	(void)import_prefix_routes(&f, im->has_sa, &im->notes, out);
	free(f.text);
}

/* Without QoS, OpenSM does not read it. */
static void
take_qos_policy(struct import *im)
{
	struct import_file f;

	if (!import_qos_on(im->qos) || !read_named(im, QOS_POLICY, &f))
		return;
	import_policy(&f, im->qos, &im->notes);
	free(f.text);
}

/* The partitions: of the file given, else of that which opensm.conf names. */
static int
take_partitions(struct import *im, const struct import_file *given,
	struct buf *out, struct reason *why)
{
	struct import_file f = {0};
	int rc = 0;

	if (given->text != NULL)
		return import_partitions(
			given, im->qos, im->both, &im->notes, out, why);
	if (read_named(im, PARTITIONS, &f))
		rc = import_partitions(
			&f, im->qos, im->both, &im->notes, out, why);
	free(f.text);
	return rc;
}

/* ---- printing ---- */

/* "fabric.lmc.hosts": the levels that are not open yet, then the value. */
static void
print_key(struct buf *out, const char *path, const char *before,
	const char *value)
{
	unsigned depth = 0;
	size_t at = 0, i;

	for (i = 0; path[i] != '\0' && path[i] == before[i]; i++)
		if (path[i] == '.') {
			at = i + 1;
			depth++;
		}
	for (;;) {
		size_t n = strcspn(path + at, ".");

		buf_printf(out, "%*s%.*s:", (int)(2 * depth), "", (int)n,
			path + at);
		if (path[at + n] == '\0')
			break;
		buf_printf(out, "\n");
		at += n + 1;
		depth++;
	}
	buf_printf(out, "%s%s\n", *value == '\n' ? "" : " ", value);
}

/* The text of an option's value, or NULL for none. */
static const char *
value_of(const struct import *im, size_t i)
{
	return im->value[i][0] != '\0' ? im->value[i] : NULL;
}

/* The root switches, by the option of each engine that takes them; returns the
 * key printed last, which is before if there is none. */
static const char *
print_roots(const struct import *im, const char *before, struct buf *out)
{
	for (size_t i = 0; im->roots.n > 0 && im->modules[i] != NULL; i++) {
		const struct schema_module *m = im->modules[i];

		if (m->tops == NULL || strcmp(m->tops, before) == 0 ||
			strstr(im->roots_of, m->name) == NULL)
			continue;
		print_key(out, m->tops, before, im->roots.text);
		before = m->tops;
	}
	return before;
}

static void
print_options(const struct import *im, struct buf *out)
{
	const char *before = "";

	for (size_t i = 0; i < NOPTIONS; i++) {
		const char *v = value_of(im, i);

		if (options[i].how == TOPS)
			before = print_roots(im, before, out);
		if (v == NULL || options[i].ours == NULL ||
			strcmp(options[i].ours, before) == 0)
			continue;
		print_key(out, options[i].ours, before, v);
		before = options[i].ours;
		if (strcmp(before, "fabric.lmc.hosts") != 0)
			continue;
		print_key(out, "fabric.lmc.routers", before, v);
		print_key(out, "fabric.lmc.aggregation", before, v);
	}
}

/* A heading, and lines below it, all of them comments. */
static void
print_comment(struct buf *out, const char *heading, const char *lines)
{
	if (lines == NULL)
		return;
	buf_printf(out, "# %s:\n", heading);
	while (*lines != '\0') {
		size_t n = strcspn(lines, "\n");

		buf_printf(out, "#   %.*s\n", (int)n, lines);
		lines += n + (lines[n] != '\0');
	}
}

static void
print_comments(const struct import *im, struct buf *out)
{
	print_comment(out, "Not carried over", im->notes.lost.text);
	print_comment(out, "Notes", im->notes.info.text);
	if (im->silent.n > 0)
		buf_printf(out,
			"# No counterpart, but set to OpenSM's defaults:%s\n",
			im->silent.text);
}

/* The output must be a valid configuration. */
static int
check_output(const struct import *im, const struct buf *out, struct reason *why)
{
	struct diag_list d;
	struct config *c =
		config_parse("import", out->text, out->n, im->modules, &d);

	if (c == NULL)
		(void)reason_set(why,
			"the result is not a valid configuration: %s",
			d.n > 0 ? d.item[0].message : "?");
	diag_free(&d);
	config_unref(c);
	return c != NULL ? 0 : -1;
}

/* The sections of the result. */
static int
print_sections(struct import *im, const struct import_file *parts,
	struct buf *body, struct reason *why)
{
	struct buf routes = {0};
	int rc;

	if (im->file.text != NULL) {
		take_roots(im);
		take_torus(im);
		take_prefix_routes(im, &routes);
		take_qos_policy(im);
	}
	print_options(im, body);
	buf_put(body, routes.text, routes.n);
	buf_free(&routes);
	rc = take_partitions(im, parts, body, why);
	import_qos_print(im->qos, &im->file, &im->notes, body);
	return rc;
}

static int
import_all(struct import *im, const struct import_file *parts,
	struct import_result *out, struct reason *why)
{
	struct buf body = {0};
	int rc;

	read_options(im);
	if (im->lines > 0 && im->understood == 0)
		return reason_set(why,
			"%.200s: nothing in it is an option of OpenSM",
			im->file.name);
	rc = print_sections(im, parts, &body, why);
	if (rc == 0) {
		print_comments(im, &out->yaml);
		if (body.n > 0)
			buf_put(&out->yaml, body.text, body.n);
		else
			buf_printf(&out->yaml, "{}\n");
		rc = check_output(im, &out->yaml, why);
	}
	buf_free(&body);
	if (rc != 0)
		return -1;
	out->lost = im->notes.lost;
	out->nlost = im->notes.nlost;
	out->has_secrets = im->secrets;
	im->notes.lost = (struct buf){0};
	return 0;
}

static void
import_end(struct import *im)
{
	free(im->file.text);
	buf_free(&im->roots);
	buf_free(&im->notes.lost);
	buf_free(&im->notes.info);
	buf_free(&im->silent);
	config_unref(im->all_defaults);
	import_qos_free(im->qos);
	free(im);
}

int
import_files(const char *opts, const char *parts, const char *dir,
	const struct schema_module *const *modules, struct import_result *out,
	struct reason *why)
{
	struct import *im = mem_zalloc(1, sizeof(*im));
	struct import_file p = {0};
	int rc = 0;

	im->all_defaults = config_default(modules);
	im->modules = modules;
	im->qos = import_qos_new();
	if (opts != NULL) {
		im->dir = dir;
		rc = import_read(opts, &im->file, why);
	}
	if (rc == 0 && parts != NULL)
		rc = import_read(parts, &p, why);
	if (rc == 0)
		rc = import_all(im, &p, out, why);
	if (rc != 0)
		import_free(out);
	free(p.text);
	import_end(im);
	return rc;
}

void
import_free(struct import_result *r)
{
	buf_free(&r->yaml);
	buf_free(&r->lost);
	*r = (struct import_result){0};
}
