#include "tests/topo/ibnet.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sm/base/hash.h"
#include "sm/base/map.h"
#include "sm/base/mem.h"
#include "tests/topo/note.h"

/* A span of the text under parse. */
struct span {
	const char *p;
	size_t n;
};

/* A port line, kept until all nodes are known. */
struct half {
	uint32_t node; /* node of the line */
	uint8_t port, peer_port;
	bool has_rate;
	struct fabric_rate rate;
	struct span peer; /* id of the node at the other end */
	unsigned line, col;
};

/* The lines before a node line that belong to it. */
struct prelude {
	uint64_t vendor, device, sysimg, guid, port_guid;
	bool has_vendor, has_device, has_sysimg, has_guid, has_port_guid;
};

struct parse {
	const char *file;
	struct buf *warn;
	struct reason *why;
	struct fabric *f;
	struct prelude pre;
	struct half *half;
	size_t nhalf, half_cap;
	struct span *id;     /* [nnodes] */
	unsigned *node_line; /* [nnodes] */
	size_t id_cap, line_cap;
	struct map by_id;   /* hash of an id -> node */
	struct map by_guid; /* node GUID -> node */
	uint32_t cur;	    /* node of the port lines that may follow */
	/* the line being parsed and the position in it */
	const char *start, *at, *end;
	unsigned line;
};

static int
fail_here(struct parse *p, const char *what)
{
	return reason_set(p->why, "%s:%u:%u: %s", p->file, p->line,
		(unsigned)(p->at - p->start) + 1, what);
}

static void
warn_line(struct parse *p, const char *what)
{
	if (p->warn)
		buf_printf(p->warn, "%s:%u:%u: %s\n", p->file, p->line,
			(unsigned)(p->at - p->start) + 1, what);
}

static void
skip_blanks(struct parse *p)
{
	while (p->at < p->end && (*p->at == ' ' || *p->at == '\t'))
		p->at++;
}

static bool
take_char(struct parse *p, char c)
{
	if (p->at == p->end || *p->at != c)
		return false;
	p->at++;
	return true;
}

static bool
take_word(struct parse *p, const char *word)
{
	size_t n = strlen(word);

	if ((size_t)(p->end - p->at) < n || memcmp(p->at, word, n) != 0)
		return false;
	p->at += n;
	return true;
}

static int
digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return 99;
}

/* A number of the base up to max; false if there is none. */
static bool
take_number(struct parse *p, unsigned base, uint64_t max, uint64_t *out)
{
	const char *from = p->at;
	uint64_t v = 0;

	for (; p->at < p->end; p->at++) {
		unsigned d = (unsigned)digit_of(*p->at);

		if (d >= base)
			break;
		if (v > (max - d) / base) {
			p->at = from;
			return false;
		}
		v = v * base + d;
	}
	*out = v;
	return p->at > from;
}

/* "text"; out: without the quotes. */
static bool
take_quoted(struct parse *p, struct span *out)
{
	const char *q;

	if (!take_char(p, '"'))
		return false;
	q = memchr(p->at, '"', (size_t)(p->end - p->at));
	if (!q)
		return false;
	*out = (struct span){p->at, (size_t)(q - p->at)};
	p->at = q + 1;
	return true;
}

/* [17] */
static bool
take_port(struct parse *p, uint64_t *out)
{
	return take_char(p, '[') && take_number(p, 10, FABRIC_MAX_PORTS, out) &&
	       take_char(p, ']');
}

/* (0002c90300337141) */
static bool
take_paren_guid(struct parse *p, uint64_t *out)
{
	return take_char(p, '(') && take_number(p, 16, UINT64_MAX, out) &&
	       take_char(p, ')');
}

static uint64_t
hash_id(struct span s)
{
	return fnv_more(FNV_START, s.p, s.n);
}

static bool
span_equal(struct span a, struct span b)
{
	return a.n == b.n && memcmp(a.p, b.p, a.n) == 0;
}

static uint32_t
find_id(const struct parse *p, struct span id)
{
	uint32_t n;

	for (uint64_t h = hash_id(id);; h++) {
		if (!map_get(&p->by_id, h, &n))
			return FABRIC_NONE;
		if (span_equal(p->id[n], id))
			return n;
	}
}

static void
put_id(struct parse *p, struct span id, uint32_t node)
{
	uint64_t h = hash_id(id);

	while (map_get(&p->by_id, h, NULL))
		h++;
	map_put(&p->by_id, h, node);
}

/* "key=0x1234", perhaps with "(1234)" behind it. */
static int
parse_assignment(struct parse *p, uint64_t *val, bool *has)
{
	uint64_t v;

	skip_blanks(p);
	if (!take_char(p, '='))
		return fail_here(p, "a '=' should stand here");
	skip_blanks(p);
	(void)take_word(p, "0x");
	if (!take_number(p, 16, UINT64_MAX, &v))
		return fail_here(p, "a hexadecimal number should stand here");
	*val = v;
	*has = true;
	return 0;
}

static int
parse_guid_line(struct parse *p)
{
	if (parse_assignment(p, &p->pre.guid, &p->pre.has_guid))
		return -1;
	if (p->at < p->end && *p->at == '(') {
		if (!take_paren_guid(p, &p->pre.port_guid))
			return fail_here(p, "a GUID should stand here");
		p->pre.has_port_guid = true;
	}
	return 0;
}

/* A GUID in an id such as "S-0002c90300337140". */
static bool
id_guid(struct span id, uint64_t *guid)
{
	if (id.n != 18 || id.p[1] != '-')
		return false;
	*guid = 0;
	for (size_t i = 2; i < 18; i++) {
		unsigned d = (unsigned)digit_of(id.p[i]);

		if (d > 15)
			return false;
		*guid = *guid << 4 | d;
	}
	return true;
}

/* "lid 17 lmc 0" anywhere in the rest of the line. */
static void
parse_lid(struct parse *p, struct fabric_port *port)
{
	uint64_t v;

	for (; p->at < p->end; p->at++) {
		if (take_word(p, " lid ") && take_number(p, 10, 0xffff, &v)) {
			port->lid = (uint16_t)v;
			if (take_word(p, " lmc ") && take_number(p, 10, 7, &v))
				port->lmc = (uint8_t)v;
			return;
		}
	}
}

static void
apply_prelude(struct parse *p, uint32_t ix, struct span id)
{
	struct fabric_node *n = &p->f->node[ix];
	const struct prelude *pre = &p->pre;
	bool sw = n->type == FABRIC_SWITCH;

	if (pre->has_guid)
		n->guid = pre->guid;
	else
		(void)id_guid(id, &n->guid);
	n->sysimg = pre->has_sysimg ? pre->sysimg : n->guid;
	if (pre->has_vendor)
		n->vendor = (uint32_t)pre->vendor & 0xffffff;
	if (pre->has_device)
		n->device = (uint16_t)pre->device;
	for (unsigned i = sw ? 0 : 1; i <= (sw ? 0U : n->nports); i++)
		fabric_port(p->f, ix, i)->guid = n->guid + i;
	if (sw && pre->has_port_guid)
		fabric_port(p->f, ix, 0)->guid = pre->port_guid;
}

static int
check_new_node(struct parse *p, struct span id, uint32_t ix)
{
	char text[96];
	uint32_t other = find_id(p, id);

	if (other == FABRIC_NONE)
		(void)map_get(&p->by_guid, p->f->node[ix].guid, &other);
	if (other == FABRIC_NONE)
		return 0;
	p->at = id.p;
	(void)snprintf(text, sizeof(text),
		"GUID 0x%" PRIx64 " or its id was already used in line %u",
		p->f->node[ix].guid, p->node_line[other]);
	return fail_here(p, text);
}

/* The name behind '#', without trailing newline; "" if there is none. */
static struct span
parse_desc(struct parse *p)
{
	struct span desc = {"", 0};

	skip_blanks(p);
	if (take_char(p, '#')) {
		skip_blanks(p);
		(void)take_quoted(p, &desc);
	}
	return desc;
}

/* "# heddle: key=value ..."; the rest of the parser sees the line end there. */
static int
parse_note(struct parse *p, uint32_t ix)
{
	const char *text, *start, *bad = p->at;
	struct reason sub;

	start = note_find(p->at, (size_t)(p->end - p->at), &text);
	if (start == NULL)
		return 0;
	if (note_parse(text, (size_t)(p->end - text),
		    p->f->node[ix].type == FABRIC_SWITCH, &p->f->node[ix].attrs,
		    &bad, &sub)) {
		p->at = bad;
		return fail_here(p, sub.text);
	}
	p->end = start;
	return 0;
}

/* Switch	36 "S-0002c903007b78b0"	# "name" base port 0 lid 19 lmc 0 */
static int
parse_node(struct parse *p, enum fabric_type type)
{
	struct span id, desc;
	uint64_t nports;
	uint32_t ix;
	const char *from;
	char name[65];

	skip_blanks(p);
	from = p->at;
	if (!take_number(p, 10, FABRIC_MAX_PORTS, &nports) || nports == 0) {
		p->at = from;
		return fail_here(
			p, "a number of ports, 1 to 255, should stand here");
	}
	skip_blanks(p);
	if (!take_quoted(p, &id) || id.n == 0)
		return fail_here(p, "a node id in quotes should stand here");
	from = p->at;
	desc = parse_desc(p);
	if (!desc.n) { /* the '#' may begin a note */
		desc = id;
		p->at = from;
	}
	(void)snprintf(name, sizeof(name), "%.*s",
		(int)(desc.n < 64 ? desc.n : 64), desc.p);
	ix = fabric_add(p->f, type, (unsigned)nports, name);
	apply_prelude(p, ix, id);
	p->id = mem_grow(p->id, ix, &p->id_cap, sizeof(*p->id));
	p->node_line =
		mem_grow(p->node_line, ix, &p->line_cap, sizeof(unsigned));
	if (check_new_node(p, id, ix))
		return -1;
	p->id[ix] = id;
	(void)snprintf(
		name, sizeof(name), "%.*s", (int)(id.n < 64 ? id.n : 64), id.p);
	p->f->node[ix].id = arena_strdup(p->f->arena, name);
	p->node_line[ix] = p->line;
	put_id(p, id, ix);
	map_put(&p->by_guid, p->f->node[ix].guid, ix);
	if (parse_note(p, ix))
		return -1;
	if (type == FABRIC_SWITCH) {
		skip_blanks(p);
		p->f->node[ix].enhanced_p0 = take_word(p, "enhanced");
		parse_lid(p, fabric_port(p->f, ix, 0));
	}
	p->pre = (struct prelude){0};
	p->cur = ix;
	return 0;
}

static bool
parse_width(struct parse *p, struct fabric_rate *r)
{
	uint64_t w;

	if (!take_word(p, "w=") || !take_number(p, 10, 12, &w))
		return false;
	r->width = w == 12 ? 8 : w == 8 ? 4 : w == 4 ? 2 : 1;
	return true;
}

/* Whether a comment ends in an unknown word that looks like a rate. */
static bool
looks_like_rate(const char *from, const char *word, const char *end)
{
	size_t n = (size_t)(end - word);

	return n >= 3 && memchr(from, '#', (size_t)(word - from)) &&
	       isdigit((unsigned char)*word) && memchr(word, 'x', 3);
}

/* ibsim's options and ibnetdiscover's comment behind a port's peer. */
static void
parse_port_tail(struct parse *p, struct half *h)
{
	const char *from, *word = p->end;

	h->rate = (struct fabric_rate){.width = 2, .speed = 4, .speed_ext = 4};
	skip_blanks(p);
	h->has_rate = parse_width(p, &h->rate);
	from = p->at;
	while (word > from && word[-1] != ' ' && word[-1] != '\t')
		word--;
	if (fabric_rate_parse(word, (size_t)(p->end - word), &h->rate))
		h->has_rate = true;
	else if (looks_like_rate(from, word, p->end)) {
		p->at = word;
		warn_line(p, "unknown link rate, taken as 4xHDR");
	}
	p->at = from;
	if (p->f->node[h->node].type != FABRIC_SWITCH)
		parse_lid(p, fabric_port(p->f, h->node, h->port));
}

/* [3](2c90300337141)	"S-f4521403005764b0"[6](guid)	# lid 28 lmc 0 ... */
static int
parse_port(struct parse *p)
{
	struct half h = {.node = p->cur, .line = p->line};
	uint64_t num, guid = 0, peer_port = 1;
	bool has_guid = false;

	if (p->cur == FABRIC_NONE)
		return fail_here(p, "a port without a node line before it");
	if (!take_port(p, &num) || num == 0)
		return fail_here(p, "a port number should stand here");
	if (num > p->f->node[p->cur].nports)
		return fail_here(p, "a port number beyond the node's ports");
	if (p->at < p->end && *p->at == '(') {
		if (!take_paren_guid(p, &guid))
			return fail_here(p, "a port GUID should stand here");
		has_guid = true;
	}
	skip_blanks(p);
	h.port = (uint8_t)num;
	h.col = (unsigned)(p->at - p->start) + 1;
	if (!take_quoted(p, &h.peer) || h.peer.n == 0)
		return fail_here(p, "a node id in quotes should stand here");
	skip_blanks(p);
	if (p->at < p->end && *p->at == '[' &&
		(!take_port(p, &peer_port) || peer_port == 0))
		return fail_here(p, "a port number should stand here");
	h.peer_port = (uint8_t)peer_port;
	if (p->at < p->end && *p->at == '(') {
		uint64_t ignored;

		if (!take_paren_guid(p, &ignored))
			return fail_here(p, "a port GUID should stand here");
	}
	if (has_guid && p->f->node[p->cur].type != FABRIC_SWITCH)
		fabric_port(p->f, p->cur, h.port)->guid = guid;
	parse_port_tail(p, &h);
	p->half = mem_grow(p->half, p->nhalf, &p->half_cap, sizeof(h));
	p->half[p->nhalf++] = h;
	return 0;
}

/* Refuse bytes that no text capture has. */
static int
check_bytes(struct parse *p, bool record)
{
	for (const char *s = p->start; s < p->end; s++) {
		unsigned char c = (unsigned char)*s;

		p->at = s;
		if (c == 0)
			return fail_here(p, "a zero byte: not a text file");
		if (record && (c == 0x7f || (c < 0x20 && c != '\t')))
			return fail_here(p, "a control character");
	}
	p->at = p->start;
	return 0;
}

static const struct {
	const char *word;
	enum {
		W_VENDOR,
		W_DEVICE,
		W_SYSIMG,
		W_GUID,
		W_SWITCH,
		W_CA,
		W_ROUTER,
		W_REFUSE
	} what;
} words[] = {
	{"vendid", W_VENDOR},
	{"devid", W_DEVICE},
	{"sysimgguid", W_SYSIMG},
	{"switchguid", W_GUID},
	{"caguid", W_GUID},
	{"hcaguid", W_GUID},
	{"rtguid", W_GUID},
	{"Switch", W_SWITCH},
	{"Ca", W_CA},
	{"Hca", W_CA},
	{"Rt", W_ROUTER},
	{"include ", W_REFUSE},
	{"do ", W_REFUSE},
	{"module", W_REFUSE},
	{"@", W_REFUSE},
};

enum { NWORDS = sizeof(words) / sizeof(words[0]) };

static unsigned
find_word(const struct parse *p)
{
	size_t left = (size_t)(p->end - p->at);

	for (unsigned i = 0; i < NWORDS; i++) {
		size_t n = strlen(words[i].word);
		char next = '\0';

		if (left > n)
			next = p->at[n];
		if (left < n || memcmp(p->at, words[i].word, n) != 0)
			continue;
		if (words[i].what < W_REFUSE && next && next != ' ' &&
			next != '\t' && next != '=')
			continue;
		return i;
	}
	return NWORDS;
}

static int
parse_word(struct parse *p, unsigned w)
{
	struct prelude *pre = &p->pre;

	if (check_bytes(p, true))
		return -1;
	p->at = p->start + strlen(words[w].word);
	if (words[w].what < W_SWITCH)
		p->cur = FABRIC_NONE;
	switch (words[w].what) {
	case W_VENDOR:
		return parse_assignment(p, &pre->vendor, &pre->has_vendor);
	case W_DEVICE:
		return parse_assignment(p, &pre->device, &pre->has_device);
	case W_SYSIMG:
		return parse_assignment(p, &pre->sysimg, &pre->has_sysimg);
	case W_GUID:
		return parse_guid_line(p);
	case W_SWITCH:
		return parse_node(p, FABRIC_SWITCH);
	case W_CA:
		return parse_node(p, FABRIC_CA);
	case W_ROUTER:
		return parse_node(p, FABRIC_ROUTER);
	case W_REFUSE:
		break;
	}
	p->at = p->start;
	return fail_here(
		p, "ibsim's include, do, module and aliases are not read");
}

/* Something 36 "S-..." */
static bool
looks_like_node(const struct parse *p)
{
	struct parse q = *p;
	struct span id;
	uint64_t n;

	while (q.at < q.end && isalpha((unsigned char)*q.at))
		q.at++;
	if (q.at == q.start)
		return false;
	skip_blanks(&q);
	if (!take_number(&q, 10, UINT32_MAX, &n))
		return false;
	skip_blanks(&q);
	return take_quoted(&q, &id);
}

static int
parse_line(struct parse *p)
{
	unsigned w;

	p->at = p->start;
	while (p->end > p->start && isspace((unsigned char)p->end[-1]))
		p->end--;
	if (p->start == p->end || *p->start == '#')
		return check_bytes(p, false);
	if (*p->start == '[')
		return check_bytes(p, true) ? -1 : parse_port(p);
	w = find_word(p);
	if (w < NWORDS)
		return parse_word(p, w);
	if (check_bytes(p, false))
		return -1;
	if (looks_like_node(p))
		return fail_here(p, "unknown node type: Switch, Ca or Rt");
	warn_line(p, "not a line of a fabric, skipped");
	return 0;
}

/* The port line of the other end of a port line's cable, or NULL. */
static const struct half *
other_half(const struct parse *p, const uint32_t *at, uint32_t peer,
	const struct half *h)
{
	const struct fabric_node *n = &p->f->node[peer];
	uint32_t i;

	if (h->peer_port > n->nports)
		return NULL;
	i = at[n->first + h->peer_port];
	return i == FABRIC_NONE ? NULL : &p->half[i];
}

static int
fail_half(struct parse *p, const struct half *h, const char *what)
{
	return reason_set(p->why, "%s:%u:%u: port %u of \"%s\": %s", p->file,
		h->line, h->col, h->port, p->f->node[h->node].name, what);
}

/* Link the ends of the port line h, if the other end agrees. */
static int
link_half(struct parse *p, const uint32_t *at, const struct half *h)
{
	uint32_t peer = find_id(p, h->peer), cable;
	const struct half *o;
	struct reason sub;

	if (peer == FABRIC_NONE)
		return fail_half(p, h, "no node has the id it is cabled to");
	if (h->peer_port > p->f->node[peer].nports)
		return fail_half(p, h, "the other node has no such port");
	o = other_half(p, at, peer, h);
	if (!o)
		return fail_half(p, h, "the other end has no line for it");
	if (find_id(p, o->peer) != h->node || o->peer_port != h->port)
		return fail_half(p, h, "the other end names another port");
	if (o < h)
		return 0;
	cable = fabric_connect(
		p->f, h->node, h->port, peer, h->peer_port, &sub);
	if (cable == FABRIC_NONE)
		return fail_half(p, h, sub.text);
	p->f->cable[cable].rate =
		h->has_rate || !o->has_rate ? h->rate : o->rate;
	if (h->has_rate && o->has_rate &&
		memcmp(&h->rate, &o->rate, sizeof(h->rate)) != 0 && p->warn)
		buf_printf(p->warn, "%s:%u: the ends' rates differ\n", p->file,
			h->line);
	return 0;
}

static int
link_all(struct parse *p)
{
	uint32_t *at = mem_alloc((p->f->nports + 1) * sizeof(*at));
	int rc = 0;

	memset(at, 0xff, (p->f->nports + 1) * sizeof(*at));
	for (size_t i = 0; i < p->nhalf && rc == 0; i++) {
		struct half *h = &p->half[i];
		uint32_t *slot = &at[p->f->node[h->node].first + h->port];

		if (*slot != FABRIC_NONE)
			rc = fail_half(p, h, "the port is used twice");
		*slot = (uint32_t)i;
	}
	for (size_t i = 0; i < p->nhalf && rc == 0; i++)
		rc = link_half(p, at, &p->half[i]);
	free(at);
	return rc;
}

static int
parse_all(struct parse *p, const char *text, size_t n)
{
	const char *s = text, *stop = text + n;

	while (s < stop) {
		const char *nl = memchr(s, '\n', (size_t)(stop - s));

		p->line++;
		p->start = s;
		p->end = nl ? nl : stop;
		s = nl ? nl + 1 : stop;
		if (parse_line(p))
			return -1;
	}
	if (p->f->nnodes == 0)
		return reason_set(p->why, "%s: no node in it", p->file);
	return link_all(p);
}

struct fabric *
ibnet_parse(const char *text, size_t n, const char *file, struct buf *warn,
	struct reason *why)
{
	struct parse p = {.file = file,
		.warn = warn,
		.why = why,
		.f = fabric_new(),
		.cur = FABRIC_NONE};

	if (parse_all(&p, text, n)) {
		fabric_free(p.f);
		p.f = NULL;
	}
	free(p.half);
	free(p.id);
	free(p.node_line);
	map_free(&p.by_id);
	map_free(&p.by_guid);
	return p.f;
}

struct fabric *
ibnet_load(const char *path, struct buf *warn, struct reason *why)
{
	struct buf text = {0};
	struct fabric *f = NULL;
	FILE *in = fopen(path, "rb");
	char chunk[65536];
	size_t n;

	if (!in) {
		reason_set(why, "%s: %s", path, strerror(errno));
		return NULL;
	}
	while ((n = fread(chunk, 1, sizeof(chunk), in)) > 0)
		buf_put(&text, chunk, n);
	if (ferror(in))
		reason_set(why, "%s: %s", path, strerror(errno));
	else
		f = ibnet_parse(
			text.n ? text.text : "", text.n, path, warn, why);
	(void)fclose(in);
	buf_free(&text);
	return f;
}
