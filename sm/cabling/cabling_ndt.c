#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "sm/base/hash.h"
#include "sm/base/map.h"
#include "sm/base/mem.h"
#include "sm/base/node_entry.h"
#include "sm/base/suggest.h"
#include "sm/base/utf8.h"
#include "sm/cabling/cabling_read.h"

enum { FIELDS_MAX = 64, PORT_MAX = 254, NAME_BYTES = 160, SHOWN = 60 };

enum column { START_DEVICE, START_PORT, END_DEVICE, END_PORT, LINK_TYPE };

enum { NEEDED = LINK_TYPE, COLUMNS = LINK_TYPE + 1 };

/* What UFM calls them, and what others do. */
static const char *const column_names[COLUMNS][2] = {
	[START_DEVICE] = {"StartDevice", "StartDev"},
	[START_PORT] = {"StartPort", "StartPort"},
	[END_DEVICE] = {"EndDevice", "EndDev"},
	[END_PORT] = {"EndPort", "EndPort"},
	[LINK_TYPE] = {"LinkType", "LinkType"},
};

struct field {
	char *text; /* without blanks around it */
	unsigned col;
};

struct ndt {
	struct cabling *c;
	struct reason *why;
	char *start; /* of the line */
	unsigned line;
	struct field field[FIELDS_MAX];
	size_t nfields;
	size_t at[COLUMNS]; /* the field of each; FIELDS_MAX: there is none */
	struct map by_name; /* nodes by the hash of their names */
	struct map by_port; /* links by node << 8 | port */
};

static int fail_at(const struct ndt *r, unsigned col, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static int
fail_at(const struct ndt *r, unsigned col, const char *fmt, ...)
{
	char text[sizeof(r->why->text)];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return reason_set(
		r->why, "%s:%u:%u: %s", r->c->source, r->line, col, text);
}

/* ---- a line of CSV ---- */

static void
trim_field(struct ndt *r, char *from, char *to)
{
	while (from < to && isspace((unsigned char)*from))
		from++;
	while (to > from && isspace((unsigned char)to[-1]))
		to--;
	*to = '\0';
	utf8_tame(from);
	r->field[r->nfields].text = from;
	r->field[r->nfields++].col = (unsigned)(from - r->start) + 1;
}

/* The end of the field in quotes that begins at p, its inner quotes made
 * single; NULL: it has none. *to: the end of its text. */
static char *
unquote_field(char *p, char **to)
{
	char *out = p;

	for (; *p != '\0'; p++) {
		if (*p == '"' && p[1] != '"') {
			*to = out;
			return p + 1;
		}
		p += *p == '"';
		*out++ = *p;
	}
	return NULL;
}

/* Cut the line into fields. */
static int
split_line(struct ndt *r)
{
	char *p = r->start, *to;

	r->nfields = 0;
	for (;;) {
		char *from = p + strspn(p, " \t");
		char *next, *after;

		if (r->nfields == FIELDS_MAX)
			return fail_at(r, (unsigned)(p - r->start) + 1,
				"a line has at most %d fields", FIELDS_MAX);
		if (*from == '"') {
			next = unquote_field(++from, &to);
			if (next == NULL)
				return fail_at(r, (unsigned)(from - r->start),
					"this quote is not closed");
			after = next + strspn(next, " \t\r");
			if (*after != ',' && *after != '\0')
				return fail_at(r,
					(unsigned)(after - r->start) + 1,
					"expected a comma after the quote");
			next = after;
		} else {
			next = from + strcspn(from, ",");
			to = next;
		}
		p = *next == ',' ? next + 1 : NULL;
		trim_field(r, from, to);
		if (p == NULL)
			return 0;
	}
}

/* ---- the names of the columns ---- */

/* The name of a column without what sites put before it: "#Fields:". */
static const char *
bare_name(const char *text)
{
	const char *colon;

	if (*text != '#')
		return text;
	colon = strchr(text, ':');
	return colon != NULL ? colon + 1 : text + 1;
}

static bool
is_column(const char *text, enum column c)
{
	return strcasecmp(bare_name(text), column_names[c][0]) == 0 ||
	       strcasecmp(bare_name(text), column_names[c][1]) == 0;
}

static int
fail_column(const struct ndt *r, enum column c)
{
	struct suggest s = suggest_for(column_names[c][0]);

	for (size_t i = 0; i < r->nfields; i++)
		suggest_offer(&s, bare_name(r->field[i].text));
	return fail_at(r, 1, "there is no column %s%s%.*s%s",
		column_names[c][0], s.best != NULL ? "; is it '" : "", SHOWN,
		s.best != NULL ? s.best : "", s.best != NULL ? "'?" : "");
}

static int
read_header(struct ndt *r)
{
	for (unsigned c = 0; c < COLUMNS; c++) {
		r->at[c] = FIELDS_MAX;
		for (size_t i = 0; i < r->nfields; i++) {
			if (!is_column(r->field[i].text, (enum column)c))
				continue;
			if (r->at[c] != FIELDS_MAX)
				return fail_at(r, r->field[i].col,
					"a second column %s",
					column_names[c][0]);
			r->at[c] = i;
		}
		if (r->at[c] == FIELDS_MAX && c < NEEDED)
			return fail_column(r, (enum column)c);
	}
	return 0;
}

/* ---- the lines after it ---- */

static bool
is_name_of(const struct cabling_node *n, const char *name, uint64_t guid)
{
	return guid != 0 ? n->guid == guid
			 : n->guid == 0 && strcmp(n->name, name) == 0;
}

/* The node of this name, which may be a GUID; made when it is new. */
static uint32_t
find_node(struct ndt *r, const char *name)
{
	struct cabling_node n = {.name = name};
	uint64_t key = fnv_more(FNV_START, name, strlen(name));
	uint32_t at;

	if (node_entry_is_guid(name, &n.guid)) {
		key = hash_spread(n.guid);
		n.name = "";
	}
	for (; map_get(&r->by_name, key, &at); key++)
		if (is_name_of(&r->c->node[at], name, n.guid))
			return at;
	at = cabling_add_node(r->c, &n);
	map_put(&r->by_name, key, at);
	return at;
}

/* A number, up to the end of the text; 0: it is none, or too large. */
static unsigned
whole_number(const char *text)
{
	unsigned long n;
	char *end;

	if (!isdigit((unsigned char)*text))
		return 0;
	n = strtoul(text, &end, 10);
	return *end == '\0' && n <= PORT_MAX ? (unsigned)n : 0;
}

/* "Port 7" and "7" are of the device itself, "Blade 3_Port 1/7" is of an ASIC
 * of a leaf of it, whose name is then as cabling_match.h has it. 0: neither. */
static unsigned
switch_port(const char *device, const char *port, char name[NAME_BYTES])
{
	unsigned leaf, asic;
	int n = 0;

	(void)snprintf(name, NAME_BYTES, "%s", device);
	if (strncasecmp(port, "port ", 5) == 0)
		return whole_number(port + 5 + strspn(port + 5, " "));
	/* NOLINTNEXTLINE(cert-err34-c): three digits always fit */
	if (sscanf(port, "Blade %3u_Port %3u/%n", &leaf, &asic, &n) == 2 &&
		n > 0) {
		(void)snprintf(
			name, NAME_BYTES, "%.128s/L%u/U%u", device, leaf, asic);
		return whole_number(port + n);
	}
	return whole_number(port);
}

/* An adapter of a host is a node: "node07 mlx5_0", or "mlx5_0" of node07: a
 * word that ends in a number. */
static bool
is_adapter(const char *device, const char *port, char name[NAME_BYTES])
{
	size_t n = strlen(device);

	if (strncmp(port, device, n) == 0 && port[n] == ' ') {
		(void)snprintf(name, NAME_BYTES, "%s", port);
		return true;
	}
	if (!isalpha((unsigned char)*port) || strchr(port, ' ') != NULL ||
		!isdigit((unsigned char)port[strlen(port) - 1]))
		return false;
	(void)snprintf(name, NAME_BYTES, "%s %s", device, port);
	return true;
}

static int
read_end(struct ndt *r, enum column device, struct cabling_end *out)
{
	const struct field *d = &r->field[r->at[device]];
	const struct field *p = &r->field[r->at[device + 1]];
	char name[NAME_BYTES];

	if (*d->text == '\0' || *p->text == '\0')
		return fail_at(r, *d->text == '\0' ? d->col : p->col,
			"%s is empty",
			column_names[device + (*d->text != '\0')][0]);
	if (strlen(d->text) + strlen(p->text) > NAME_BYTES - 16)
		return fail_at(r, d->col, "the name is too long");
	out->port = (uint8_t)switch_port(d->text, p->text, name);
	if (out->port == 0) {
		if (!is_adapter(d->text, p->text, name))
			return fail_at(r, p->col,
				"'%.*s' is no port: expected Port 1 to Port "
				"%d, Blade LEAF_Port ASIC/PORT, or an adapter "
				"such as mlx5_0",
				SHOWN, p->text, PORT_MAX);
		out->port = 1;
	}
	out->node = find_node(r, name);
	return 0;
}

static bool
is_same_end(struct cabling_end a, struct cabling_end b)
{
	return a.node == b.node && a.port == b.port;
}

static uint64_t
port_key(struct cabling_end e)
{
	return (uint64_t)e.node << 8 | e.port;
}

/* The link may have been listed before, as seen from its other end. */
static int
add_link(struct ndt *r, const struct cabling_link *l)
{
	uint32_t at = CABLING_NONE;
	bool used[2];

	for (unsigned i = 0; i < 2; i++)
		used[i] = map_get(&r->by_port, port_key(l->end[i]), &at);
	if (used[0] || used[1]) {
		const struct cabling_link *was = &r->c->link[at];
		enum column c = used[0] ? START_DEVICE : END_DEVICE;

		if (used[0] && used[1] &&
			is_same_end(*cabling_far_end(r->c, at, l->end[0]),
				l->end[1]))
			return 0;
		return fail_at(r, r->field[r->at[c]].col,
			"%.*s %.*s is linked by line %u already", SHOWN,
			r->field[r->at[c]].text, SHOWN,
			r->field[r->at[c + 1]].text, was->line);
	}
	for (unsigned i = 0; i < 2; i++)
		map_put(&r->by_port, port_key(l->end[i]),
			(uint32_t)r->c->nlinks);
	cabling_add_link(r->c, l);
	return 0;
}

static int
read_link(struct ndt *r)
{
	struct cabling_link l = {.line = r->line};
	size_t type = r->at[LINK_TYPE];

	for (unsigned c = 0; c < NEEDED; c++)
		if (r->at[c] >= r->nfields)
			return fail_at(r,
				r->field[r->nfields - 1].col +
					(unsigned)strlen(
						r->field[r->nfields - 1].text),
				"the line ends before %s", column_names[c][0]);
	if (type < r->nfields && *r->field[type].text != '\0' &&
		strcasecmp(r->field[type].text, "data") != 0) {
		r->c->unread++;
		return 0;
	}
	if (read_end(r, START_DEVICE, &l.end[0]) != 0 ||
		read_end(r, END_DEVICE, &l.end[1]) != 0)
		return -1;
	if (is_same_end(l.end[0], l.end[1]))
		return fail_at(r, r->field[r->at[END_DEVICE]].col,
			"both ends of this link are the same port");
	return add_link(r, &l);
}

/* Lines without text, and comments after the names of the columns, say
 * nothing. */
static int
read_lines(struct ndt *r, char *text)
{
	bool header = false;
	int rc = 0;

	for (char *next; rc == 0 && text != NULL; text = next) {
		next = strchr(text, '\n');
		if (next != NULL)
			*next++ = '\0';
		r->line++;
		r->start = text;
		if (text[strspn(text, " \t\r,")] == '\0' ||
			(header && *text == '#'))
			continue;
		rc = split_line(r);
		if (rc == 0)
			rc = header ? read_link(r) : read_header(r);
		header = true;
	}
	if (rc == 0 && r->c->nlinks == 0)
		rc = reason_set(r->why, "%s: lists no link", r->c->source);
	return rc;
}

bool
cabling_is_ndt(const char *text, size_t n)
{
	size_t at = strspn(text, " \t\r\n"),
	       end = at + strcspn(text + at, "\n");
	unsigned commas = 0;

	for (size_t i = at; i < end && i < n; i++)
		commas += text[i] == ',';
	return commas >= NEEDED - 1;
}

struct cabling *
cabling_read_ndt(
	const char *text, size_t n, const char *source, struct reason *why)
{
	struct ndt r = {.c = cabling_new(source), .why = why};
	char *copy = mem_alloc(n + 1);
	int rc;

	memcpy(copy, text, n);
	copy[n] = '\0';
	rc = read_lines(&r, copy);
	map_free(&r.by_name);
	map_free(&r.by_port);
	free(copy);
	if (rc == 0) {
		(void)cabling_seal(r.c);
		return r.c;
	}
	cabling_free(r.c);
	return NULL;
}
