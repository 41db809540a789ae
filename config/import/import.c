#include "config/import/import.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/config.h"
#include "config/import/import_priv.h"
#include "sm/base/mem.h"

enum { MAX_FILE = 4 << 20, MAX_LINE = 1024, MAX_TEXT = 200 };

/* How a value of OpenSM becomes one of Heddle. */
enum how { SAME, SECONDS, MILLISECONDS, VLS, ENGINES, INVERTED, GUARDS, YES };

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
	{"m_key", "fabric.m_key", SAME},
	{"m_key_protection_level", "fabric.m_key_protection", SAME},
	{"m_key_lease_period", "fabric.m_key_lease", SECONDS},
	{"sm_key", "fabric.sm_key", SAME},
	{"no_partition_enforcement", "fabric.partition_enforcement", INVERTED},
	{"part_enforce", "fabric.partition_enforcement", GUARDS},
	{"routing_engine", "routing.engines", ENGINES},
	{"sweep_interval", "sweep.interval", SECONDS},
	{"transaction_timeout", "smp.timeout", MILLISECONDS},
	{"transaction_retries", "smp.retries", SAME},
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
	{"sa_key", "sa.trust_key", SAME},
};

enum { NOPTIONS = sizeof(options) / sizeof(options[0]) };

/* Engines that have the same name in OpenSM and Heddle. */
static const char *const known[] = {"updn", "ftree", NULL};

struct import {
	const struct import_file *file;
	struct config *all_defaults;
	char value[NOPTIONS][MAX_TEXT]; /* ours, "" for not given */
	char lmc[MAX_TEXT];
	bool both; /* allow_both_pkeys */
	struct import_qos *qos;
	struct buf notes, silent; /* options at OpenSM's defaults */
	unsigned nsilent;
};

void
import_note(struct buf *out, const struct import_file *f, unsigned line,
	const char *fmt, ...)
{
	char text[2 * MAX_TEXT];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	for (char *c = text; *c != '\0'; c++)
		if ((unsigned char)*c < 0x20 || (unsigned char)*c > 0x7e)
			*c = '?';
	buf_printf(out, "# %s:%u: %s\n", f->name, line, text);
}

/* ---- values ---- */

static bool
is_true(const char *v)
{
	return strcasecmp(v, "TRUE") == 0 || strcmp(v, "1") == 0;
}

/* Keep the engines that Heddle has under their name; false: none of them. */
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
		for (i = 0; known[i] != NULL && strcmp(known[i], name) != 0;
			i++)
			;
		if (known[i] == NULL)
			import_note(&im->notes, im->file, line,
				"routing_engine %s: not available in Heddle, "
				"whose engines are all deadlock-free",
				name);
		else if (strstr(out, known[i]) == NULL) {
			at += (size_t)snprintf(out + at, MAX_TEXT - at, "%s%s",
				any ? ", " : "", known[i]);
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
			import_note(&im->notes, im->file, line,
				"part_enforce %s: switches enforce both ways",
				v);
		return strcasecmp(v, "off") == 0;
	case YES:
		(void)snprintf(out, MAX_TEXT, "%s", im->lmc);
		return is_true(v) && im->lmc[0] != '\0';
	case SAME:
	default:
		(void)snprintf(out, MAX_TEXT, "%.*s", MAX_TEXT - 1, v);
		return strcmp(o->theirs, "guid") != 0 ||
		       strtoull(v, NULL, 0) != 0;
	}
}

static void
take_option(struct import *im, unsigned line, const char *key, const char *v)
{
	char text[MAX_TEXT], set[2 * MAX_TEXT];
	const char *const list[] = {set};
	struct config *c;
	struct reason why;
	size_t i;

	if (import_qos_take(im->qos, key, v))
		return;
	for (i = 0; i < NOPTIONS && strcmp(options[i].theirs, key) != 0; i++)
		;
	im->both |= strcmp(key, "allow_both_pkeys") == 0 && is_true(v);
	if (strcmp(key, "allow_both_pkeys") == 0 && im->both)
		return;
	if (i == NOPTIONS && import_is_default(key, v)) {
		buf_printf(&im->silent, "%s%s",
			im->nsilent++ % 3 ? ", " : "\n#   ", key);
		return;
	}
	if (i == NOPTIONS) {
		import_note(&im->notes, im->file, line, "%.60s %.100s: %s", key,
			v,
			strcmp(key, "partition_config_file") == 0
				? "pass it as the second file"
				: "no counterpart");
		return;
	}
	if (!translate_value(im, &options[i], line, v, text))
		return;
	(void)snprintf(set, sizeof(set), "%s=%s", options[i].ours, text);
	c = config_with(im->all_defaults, list, 1, known, &why);
	if (c == NULL) {
		import_note(&im->notes, im->file, line,
			"%.60s %.60s: cannot be carried over: %.200s", key, v,
			why.text);
		return;
	}
	config_unref(c);
	memcpy(im->value[i], text, sizeof(text));
	if (strcmp(key, "lmc") == 0)
		memcpy(im->lmc, text, sizeof(text));
}

static void
read_options(struct import *im, const struct import_file *f)
{
	const char *at = f->text, *end = f->text + f->len;
	char buf[MAX_LINE], *key, *v;
	unsigned line = 0;

	while (at < end) {
		const char *eol = memchr(at, '\n', (size_t)(end - at));
		size_t n = (size_t)((eol != NULL ? eol : end) - at);

		line++;
		if (n >= sizeof(buf))
			import_note(&im->notes, f, line, "line too long");
		(void)snprintf(buf, sizeof(buf), "%.*s",
			n < sizeof(buf) ? (int)n : 0, at);
		at += n + 1;
		buf[strcspn(buf, "#\r")] = '\0';
		key = buf + strspn(buf, " \t");
		v = key + strcspn(key, " \t");
		if (*v != '\0')
			*v++ = '\0';
		v += strspn(v, " \t");
		n = strlen(v);
		while (n > 0 && strchr(" \t", v[n - 1]) != NULL)
			v[--n] = '\0';
		/* "(null)": not set */
		if (*key != '\0' && *v != '\0' && strcmp(v, "(null)") != 0)
			take_option(im, line, key, v);
	}
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
	buf_printf(out, " %s\n", value);
}

static void
print_options(const struct import *im, struct buf *out)
{
	const char *before = "";

	for (size_t i = 0; i < NOPTIONS; i++) {
		if (im->value[i][0] == '\0' ||
			strcmp(options[i].ours, before) == 0)
			continue;
		print_key(out, options[i].ours, before, im->value[i]);
		before = options[i].ours;
		if (strcmp(before, "fabric.lmc.hosts") != 0)
			continue;
		print_key(out, "fabric.lmc.routers", before, im->value[i]);
		print_key(out, "fabric.lmc.aggregation", before, im->value[i]);
	}
}

/* The output must be a valid configuration. */
static int
check_output(const struct buf *out, struct reason *why)
{
	struct diag_list d;
	struct config *c = config_parse("import", out->text, out->n, known, &d);

	if (c == NULL)
		(void)reason_set(why,
			"the result is not a valid configuration: %s",
			d.n > 0 ? d.item[0].message : "?");
	diag_free(&d);
	config_unref(c);
	return c != NULL ? 0 : -1;
}

int
import_text(const struct import_file *opts, const struct import_file *parts,
	struct buf *out, struct reason *why)
{
	struct import *im = mem_zalloc(1, sizeof(*im));
	struct buf b = {0};
	int rc;

	im->file = opts;
	im->all_defaults = config_default();
	im->qos = import_qos_new();
	if (opts->text != NULL)
		read_options(im, opts);
	if (im->notes.text != NULL)
		buf_put(&b, im->notes.text, im->notes.n);
	if (im->nsilent > 0)
		buf_printf(&b,
			"# %s: no counterpart, but set to OpenSM's "
			"defaults:%s\n",
			opts->name, im->silent.text);
	print_options(im, &b);
	if (parts->text != NULL)
		import_partitions(parts, im->qos, im->both, &b);
	import_qos_print(im->qos, opts, &b);
	if (b.n == im->notes.n) /* nothing but comments */
		buf_printf(&b, "{}\n");
	rc = check_output(&b, why);
	if (rc == 0)
		buf_put(out, b.text, b.n);
	buf_free(&b);
	buf_free(&im->notes);
	buf_free(&im->silent);
	config_unref(im->all_defaults);
	import_qos_free(im->qos);
	free(im);
	return rc;
}

/* ---- files ---- */

static int
read_small_file(const char *name, char **text, size_t *len, struct reason *why)
{
	int fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	ssize_t n = -1;

	*text = NULL;
	if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
		st.st_size <= MAX_FILE) {
		*text = mem_alloc((size_t)st.st_size + 1);
		n = read(fd, *text, (size_t)st.st_size);
	}
	if (fd >= 0)
		(void)close(fd);
	if (n < 0)
		return reason_set(why,
			"%s: cannot be read, or is not a regular file of at "
			"most 4 MiB",
			name);
	*len = (size_t)n;
	return 0;
}

int
import_files(const char *opts, const char *parts, struct buf *out,
	struct reason *why)
{
	struct import_file f[2] = {{.name = opts}, {.name = parts}};
	char *text[2] = {NULL, NULL};
	int rc = 0;

	for (unsigned i = 0; i < 2 && rc == 0; i++) {
		if (f[i].name == NULL)
			continue;
		rc = read_small_file(f[i].name, &text[i], &f[i].len, why);
		f[i].text = text[i];
	}
	if (rc == 0)
		rc = import_text(&f[0], &f[1], out, why);
	free(text[0]);
	free(text[1]);
	return rc;
}
