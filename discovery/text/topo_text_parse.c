#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "discovery/builder/builder.h"
#include "discovery/text/topo_text.h"
#include "sm/base/hash.h"
#include "sm/base/map.h"
#include "sm/base/mem.h"
#include "sm/base/utf8.h"

enum { NODES_MAX = 100000, PORTS_MAX = 254 }; /* 255 stands for none */

/* A piece of the text. */
struct span {
	const char *p;
	size_t n;
};

/* A port line: kept until all nodes are known. */
struct half {
	struct span peer; /* id of the node at the other end */
	unsigned line, col;
	builder_id node;
	uint8_t port, peer_port;
	uint8_t width, speed, speed_ext; /* width 0: not given */
};

/* Lines that stand before a node line and belong to it; 0: not given. */
struct prelude {
	uint64_t vendor, device, sysimg, guid, port_guid;
};

struct parse {
	const char *name;
	struct reason *why;
	struct builder *d;
	struct prelude pre;
	struct half *half;
	size_t nhalf, half_cap;
	struct span *id; /* by builder_id */
	size_t nnodes, id_cap;
	uint8_t *nports, *type; /* by builder_id */
	size_t nports_cap, type_cap;
	struct map by_id;
	uint64_t self, self_port; /* GUIDs of the header, or 0 */
	bool in_node;
	const char *text, *stop;      /* all of it */
	const char *start, *at, *end; /* the line */
	unsigned line;
};

static int
fail_at(struct parse *p, unsigned line, unsigned col, const char *what)
{
	return reason_set(p->why, "%s:%u:%u: %s", p->name, line, col, what);
}

static int
fail_here(struct parse *p, const char *what)
{
	return fail_at(p, p->line, (unsigned)(p->at - p->start) + 1, what);
}

/* Begin the line that is there; the next one. */
static const char *
take_line(struct parse *p, const char *line)
{
	const char *nl = memchr(line, '\n', (size_t)(p->stop - line));

	p->line++;
	p->start = p->at = line;
	p->end = nl == NULL ? p->stop : nl;
	return nl == NULL ? p->stop : nl + 1;
}

static void
skip_blanks(struct parse *p)
{
	while (p->at < p->end && (*p->at == ' ' || *p->at == '\t'))
		p->at++;
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

/* A number of the base, with or without 0x; false without digits or when it
 * does not fit. */
static bool
parse_number(struct parse *p, unsigned base, uint64_t max, uint64_t *out)
{
	const char *from = p->at;
	uint64_t v = 0;
	bool any = false;

	if (base == 16)
		(void)take_word(p, "0x");
	for (; p->at < p->end; p->at++) {
		int c = tolower((unsigned char)*p->at);
		unsigned digit = c >= '0' && c <= '9'	? (unsigned)(c - '0')
				 : c >= 'a' && c <= 'f' ? (unsigned)c - 'a' + 10
							: 99;

		if (digit >= base)
			break;
		if (v > (UINT64_MAX - digit) / base || v * base + digit > max) {
			p->at = from;
			return false;
		}
		v = v * base + digit;
		any = true;
	}
	if (!any)
		p->at = from;
	*out = v;
	return any;
}

/* "text", without its quotes. */
static bool
parse_quoted(struct parse *p, struct span *out)
{
	const char *close;

	if (p->at == p->end || *p->at != '"')
		return false;
	close = memchr(p->at + 1, '"', (size_t)(p->end - p->at - 1));
	if (close == NULL)
		return false;
	out->p = p->at + 1;
	out->n = (size_t)(close - out->p);
	p->at = close + 1;
	return true;
}

static uint64_t
hash_id(struct span id)
{
	return fnv_more(FNV_START, id.p, id.n);
}

static bool
same_span(struct span a, struct span b)
{
	return a.n == b.n && memcmp(a.p, b.p, a.n) == 0;
}

/* The node with this id; *key: where it is, or may be put, in by_id. */
static bool
find_id(const struct parse *p, struct span id, uint64_t *key, builder_id *n)
{
	for (*key = hash_id(id); map_get(&p->by_id, *key, n); ++*key) {
		if (same_span(p->id[*n], id))
			return true;
	}
	return false;
}

/* "# Initiated from node X port Y" */
static void
parse_comment(struct parse *p)
{
	if (!take_word(p, "#"))
		return;
	skip_blanks(p);
	if (!take_word(p, "Initiated from node "))
		return;
	if (parse_number(p, 16, UINT64_MAX, &p->self) && take_word(p, " port "))
		(void)parse_number(p, 16, UINT64_MAX, &p->self_port);
}

/* True for a message of a tool between the lines of its output. */
static bool
is_noise(const struct parse *p)
{
	static const char *const noise[] = {"src/",
		"ibwarn:", "ibpanic:", "ibdebug:", "Warning", "WARNING",
		"Chassis", "Non-Chassis Nodes", "DR path", "->", "module ",
		"do ", "umad", "mad_rpc"};

	for (size_t i = 0; i < sizeof(noise) / sizeof(noise[0]); i++) {
		size_t n = strlen(noise[i]);

		if ((size_t)(p->end - p->at) >= n &&
			memcmp(p->at, noise[i], n) == 0)
			return true;
	}
	return false;
}

/* key=value before a node; 1: it was one, 0: not, -1: a bad one. */
static int
parse_key(struct parse *p)
{
	static const char *const key[] = {"vendid=", "devid=", "sysimgguid=",
		"switchguid=", "caguid=", "rtguid="};
	uint64_t value;
	unsigned i = 0;

	while (i < 6 && !take_word(p, key[i]))
		i++;
	if (i == 6)
		return 0;
	if (!parse_number(p, 16,
		    i == 0   ? 0xffffff
		    : i == 1 ? 0xffff
			     : UINT64_MAX,
		    &value))
		return fail_here(p, "expected a hexadecimal number that fits");
	if (i == 0) {
		p->pre.vendor = value;
	} else if (i == 1) {
		p->pre.device = value;
	} else if (i == 2) {
		p->pre.sysimg = value;
	} else {
		p->pre.guid = value;
		if (take_word(p, "(") &&
			(!parse_number(p, 16, UINT64_MAX, &p->pre.port_guid) ||
				!take_word(p, ")")))
			return fail_here(p, "expected a port GUID in brackets");
	}
	p->in_node = false;
	return 1;
}

/* Find " lid N" behind the name; 0 when there is none. */
static uint16_t
find_lid(struct parse *p)
{
	uint64_t lid;

	for (; p->at < p->end; p->at++) {
		if (take_word(p, "lid ")) {
			if (parse_number(p, 10, TOPO_LID_MAX, &lid))
				return (uint16_t)lid;
			return 0;
		}
	}
	return 0;
}

/* A name, without what cannot be shown. */
static char *
copy_name(const char *from, size_t n)
{
	char *name = mem_alloc(n + 1);

	memcpy(name, from, n);
	name[n] = '\0';
	utf8_tame(name);
	return name;
}

/* The name in the comment: from the first to the last quote of the line. */
static char *
parse_desc(struct parse *p)
{
	const char *open = memchr(p->at, '"', (size_t)(p->end - p->at));
	const char *close;

	if (open == NULL)
		return NULL;
	for (close = p->end - 1; *close != '"'; close--)
		;
	if (close == open)
		return NULL;
	p->at = close + 1;
	return copy_name(open + 1, (size_t)(close - open - 1));
}

/* A node that has no name in a comment is called by its id, as by ibsim, unless
 * that is a GUID. */
static char *
name_of(struct parse *p, struct span id)
{
	char *desc = parse_desc(p);

	return desc != NULL || id.n == 18 ? desc : copy_name(id.p, id.n);
}

/* The GUID of a node that has no guid= line: from its id, or made up. */
static uint64_t
guid_of(struct parse *p, struct span id)
{
	uint64_t guid = 0;

	for (size_t i = 2; id.n == 18 && i < id.n; i++) {
		int c = tolower((unsigned char)id.p[i]);

		if (!isxdigit(c))
			return 0x100000 + 0x1000 * (p->nnodes + 1);
		guid = guid << 4 |
		       (unsigned)(c <= '9' ? c - '0' : c - 'a' + 10);
	}
	return guid != 0 ? guid : 0x100000 + 0x1000 * (p->nnodes + 1);
}

/* Append where the node with this id in the text is, for people. */
static void
print_place(const struct parse *p, struct span id, struct buf *out)
{
	struct parse w = *p;
	const char *next = p->text;
	struct span far;
	uint64_t port;
	char *desc;

	for (w.line = 0; next <= id.p;)
		next = take_line(&w, next);
	w.at = id.p + id.n + 1;
	desc = parse_desc(&w);
	buf_printf(out, "\"%.*s\" in line %u",
		(int)(desc != NULL ? strlen(desc) : id.n),
		desc != NULL ? desc : id.p, w.line);
	free(desc);
	(void)take_line(&w, next);
	if (!take_word(&w, "["))
		return;
	while (w.at < w.end && *w.at != '"')
		w.at++;
	if (!parse_quoted(&w, &far) || !take_word(&w, "[") ||
		!parse_number(&w, 10, PORTS_MAX, &port))
		return;
	desc = parse_desc(&w);
	buf_printf(out, ", at port %u of \"%.*s\"", (unsigned)port,
		(int)(desc != NULL ? strlen(desc) : far.n),
		desc != NULL ? desc : far.p);
	free(desc);
}

/* This node is another one of the same GUID, or name. */
static int
fail_twice(struct parse *p, struct span id, builder_id other)
{
	bool has_guid = p->pre.guid != 0 || id.n == 18;
	struct buf what = {0};
	int rc;

	if (has_guid)
		buf_printf(&what, "two nodes have the GUID 0x%016llx: ",
			(unsigned long long)(p->pre.guid != 0
						     ? p->pre.guid
						     : guid_of(p, id)));
	else
		buf_printf(&what, "two nodes have this id: ");
	print_place(p, p->id[other], &what);
	buf_printf(&what, ", and ");
	print_place(p, id, &what);
	buf_printf(&what, "; nothing tells them apart: %s",
		has_guid ? "give one another GUID, or take it out"
			 : "rename one, or take it out");
	rc = fail_here(p, what.text);
	buf_free(&what);
	return rc;
}

static void
keep_node(struct parse *p, struct span id, enum topo_type type, unsigned nports)
{
	p->id = mem_grow(p->id, p->nnodes, &p->id_cap, sizeof(*p->id));
	p->nports = mem_grow(p->nports, p->nnodes, &p->nports_cap, 1);
	p->type = mem_grow(p->type, p->nnodes, &p->type_cap, 1);
	p->id[p->nnodes] = id;
	p->nports[p->nnodes] = (uint8_t)nports;
	p->type[p->nnodes] = (uint8_t)type;
	p->nnodes++;
}

static builder_id
make_node(struct parse *p, enum topo_type type, unsigned nports, struct span id)
{
	uint64_t guid = p->pre.guid != 0 ? p->pre.guid : guid_of(p, id);
	char *desc = name_of(p, id);
	builder_id n = builder_add_node(p->d, type, guid, nports, desc);

	free(desc);
	builder_set_ids(p->d, n, p->pre.sysimg != 0 ? p->pre.sysimg : guid,
		(uint32_t)p->pre.vendor, (uint16_t)p->pre.device);
	if (type == TOPO_SWITCH) {
		const char *after = p->at;
		uint16_t lid;

		if (p->pre.port_guid != 0)
			builder_set_port_guid(p->d, n, 0, p->pre.port_guid);
		skip_blanks(p);
		builder_set_enhanced_p0(p->d, n, take_word(p, "enhanced"));
		p->at = after;
		lid = find_lid(p);
		builder_set_found_lid(p->d, n, 0, lid);
	}
	return n;
}

/* Switch N "id" # "name" ...; the type's word is already taken. */
static int
parse_node(struct parse *p, enum topo_type type)
{
	const char *at;
	uint64_t nports, key;
	struct span id;
	builder_id n;

	skip_blanks(p);
	at = p->at;
	if (take_word(p, ": 0x")) {
		p->at = p->start;
		return fail_here(p,
			"this is a list of nodes, as \"ibnetdiscover "
			"-l\" prints it; without -l, -H, -S or -R it "
			"prints what is needed");
	}
	if (!parse_number(p, 10, PORTS_MAX, &nports) || nports == 0) {
		p->at = at;
		return fail_here(p, "expected a number of ports, 1 to 254");
	}
	skip_blanks(p);
	if (!parse_quoted(p, &id))
		return fail_here(p, "expected the node's id in quotes");
	if (p->nnodes == NODES_MAX)
		return fail_here(p, "too many nodes");
	if (find_id(p, id, &key, &n))
		return fail_twice(p, id, n);
	if (p->pre.guid != 0 && builder_find(p->d, p->pre.guid, &n))
		return fail_twice(p, id, n);
	n = make_node(p, type, (unsigned)nports, id);
	map_put(&p->by_id, key, n);
	keep_node(p, id, type, (unsigned)nports);
	p->pre = (struct prelude){0};
	p->in_node = true;
	return 0;
}

/* The rate at the end of a port line, "4xHDR". */
static void
parse_rate(const struct parse *p, struct half *h)
{
	static const struct {
		const char *text;
		uint8_t speed, ext;
	} speed[] = {{"SDR", PORT_SDR, 0}, {"DDR", PORT_DDR, 0},
		{"QDR", PORT_QDR, 0}, {"FDR10", PORT_QDR, 0},
		{"FDR", PORT_QDR, PORT_FDR}, {"EDR", PORT_QDR, PORT_EDR},
		{"HDR", PORT_QDR, PORT_HDR}, {"NDR", PORT_QDR, PORT_NDR},
		{"XDR", PORT_QDR, PORT_XDR}};
	static const struct {
		const char *text;
		uint8_t width;
	} width[] = {{"1x", PORT_WIDTH_1X}, {"2x", PORT_WIDTH_2X},
		{"4x", PORT_WIDTH_4X}, {"8x", PORT_WIDTH_8X},
		{"12x", PORT_WIDTH_12X}};
	struct parse w = *p;
	size_t i, j;

	while (w.end > w.at && isspace((unsigned char)w.end[-1]))
		w.end--;
	w.at = w.end;
	while (w.at > p->at && !isspace((unsigned char)w.at[-1]))
		w.at--;
	for (i = 0; i < 5 && !take_word(&w, width[i].text);)
		i++;
	for (j = 0; j < 9 && i < 5; j++) {
		if ((size_t)(w.end - w.at) == strlen(speed[j].text) &&
			take_word(&w, speed[j].text)) {
			h->width = width[i].width;
			h->speed = speed[j].speed;
			h->speed_ext = speed[j].ext;
			return;
		}
	}
}

/* (guid), which may be left out. */
static int
parse_port_guid(struct parse *p, builder_id n, uint8_t port)
{
	uint64_t guid;

	if (!take_word(p, "("))
		return 0;
	if (!parse_number(p, 16, UINT64_MAX, &guid) || !take_word(p, ")"))
		return fail_here(p, "expected a port GUID in brackets");
	if (p->type[n] != TOPO_SWITCH)
		builder_set_port_guid(p->d, n, port, guid);
	return 0;
}

/* [ext 7]: the port number printed on a chassis, "ibnetdiscover -g". */
static void
skip_chassis_port(struct parse *p)
{
	const char *at = p->at;
	uint64_t port;

	if (!take_word(p, "[ext ") || !parse_number(p, 10, 255, &port) ||
		!take_word(p, "]"))
		p->at = at;
}

/* [3](guid) "peer"[5](guid) # ... */
static int
parse_port(struct parse *p)
{
	builder_id n = (builder_id)p->nnodes - 1;
	struct half h = {.node = n, .line = p->line};
	uint64_t port, peer_port;

	if (!p->in_node)
		return fail_here(p, "a port without a node before it");
	(void)take_word(p, "[");
	if (!parse_number(p, 10, p->nports[n], &port) || port == 0 ||
		!take_word(p, "]"))
		return fail_here(
			p, "expected a port number of this node in []");
	h.port = (uint8_t)port;
	skip_chassis_port(p);
	if (parse_port_guid(p, n, h.port) != 0)
		return -1;
	skip_blanks(p);
	if (p->at == p->end || *p->at == '#')
		return 0; /* no link */
	h.col = (unsigned)(p->at - p->start) + 1;
	if (!parse_quoted(p, &h.peer))
		return fail_here(
			p, "expected the id of the other node in quotes");
	if (!take_word(p, "[") || !parse_number(p, 10, 255, &peer_port) ||
		peer_port == 0 || !take_word(p, "]"))
		return fail_here(
			p, "expected the other node's port number in []");
	h.peer_port = (uint8_t)peer_port;
	parse_rate(p, &h);
	if (p->type[n] != TOPO_SWITCH) {
		const char *hash = memchr(p->at, '#', (size_t)(p->end - p->at));

		p->at = hash == NULL ? p->end : hash + 1;
		skip_blanks(p);
		if (take_word(p, "lid ")) {
			p->at -= 4;
			builder_set_found_lid(p->d, n, h.port, find_lid(p));
		}
	}
	p->half = mem_grow(p->half, p->nhalf, &p->half_cap, sizeof(*p->half));
	p->half[p->nhalf++] = h;
	return 0;
}

static int
parse_line(struct parse *p)
{
	int key;

	while (p->end > p->start && isspace((unsigned char)p->end[-1]))
		p->end--;
	skip_blanks(p);
	if (p->at == p->end)
		return 0;
	if (*p->at == '#') {
		parse_comment(p);
		return 0;
	}
	if (*p->at == '[')
		return parse_port(p);
	if (is_noise(p))
		return 0;
	key = parse_key(p);
	if (key != 0)
		return key < 0 ? -1 : 0;
	if (take_word(p, "Switch"))
		return parse_node(p, TOPO_SWITCH);
	if (take_word(p, "Ca") || take_word(p, "Hca"))
		return parse_node(p, TOPO_CA);
	if (take_word(p, "Rt"))
		return parse_node(p, TOPO_ROUTER);
	if (take_word(p, "SW ") || take_word(p, "CA ") || take_word(p, "RT ")) {
		p->at = p->start;
		return fail_here(p,
			"this is a list of ports, as \"ibnetdiscover "
			"-p\" prints it; without -p it prints what is "
			"needed");
	}
	return fail_here(p, "expected a node, a port, key=value or a comment");
}

/*
 * Link the two ports of a port line. ends: for each port linked so far the
 * other end, as node << 8 | port.
 */
static int
parse_link(struct parse *p, const struct half *h, struct map *ends)
{
	uint64_t key, a, b;
	builder_id peer;
	uint32_t other;

	if (!find_id(p, h->peer, &key, &peer))
		return fail_at(p, h->line, h->col, "no node has this id");
	if (h->peer_port > p->nports[peer])
		return fail_at(p, h->line, h->col,
			"the other node has no port of this number");
	a = (uint64_t)h->node << 8 | h->port;
	b = (uint64_t)peer << 8 | h->peer_port;
	if (map_get(ends, a, &other) || map_get(ends, b, &other)) {
		if (map_get(ends, a, &other) && other == (uint32_t)b)
			goto rate;
		return fail_at(p, h->line, h->col,
			"this link contradicts another line");
	}
	map_put(ends, a, (uint32_t)b);
	map_put(ends, b, (uint32_t)a);
	builder_add_link(p->d, h->node, h->port, peer, h->peer_port);
rate:
	if (h->width == 0)
		return 0;
	builder_set_port_speed(
		p->d, h->node, h->port, h->width, h->speed, h->speed_ext);
	builder_set_port_speed(
		p->d, peer, h->peer_port, h->width, h->speed, h->speed_ext);
	return 0;
}

static int
connect_all(struct parse *p)
{
	struct map ends = {0};
	int rc = 0;

	for (size_t i = 0; i < p->nhalf && rc == 0; i++)
		rc = parse_link(p, &p->half[i], &ends);
	map_free(&ends);
	return rc;
}

/*
 * Choose our own node: that of the header, else the first CA, else the first
 * node.
 */
static int
choose_self(struct parse *p)
{
	builder_id n = 0;
	unsigned port;

	if (p->nnodes == 0)
		return reason_set(p->why, "%s: contains no node", p->name);
	if (p->self == 0 || !builder_find(p->d, p->self, &n)) {
		for (n = 0; n < p->nnodes && p->type[n] != TOPO_CA;)
			n++;
		n = n < p->nnodes ? n : 0;
	}
	port = p->type[n] == TOPO_SWITCH ? 0 : 1;
	for (size_t i = p->nhalf; i-- > 0 && port != 0;) {
		if (p->half[i].node == n)
			port = p->half[i].port;
	}
	for (unsigned i = 1; i <= p->nports[n] && port != 0; i++) {
		if (p->self_port != 0 &&
			builder_port_guid(p->d, n, i) == p->self_port)
			port = i;
	}
	builder_set_self(p->d, n, port);
	return 0;
}

static int
parse_all(struct parse *p, const char *text, size_t n)
{
	p->text = text;
	p->stop = text + n;
	if (n >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
		text += 3; /* a mark that some editors put before UTF-8 */
	while (text < p->stop) {
		text = take_line(p, text);
		if (parse_line(p) != 0)
			return -1;
	}
	if (connect_all(p) != 0)
		return -1;
	return choose_self(p);
}

int
topo_text_parse_pieces(const char *text, size_t n, const char *name,
	uint8_t vl_cap, struct builder_components *out, struct reason *why)
{
	struct parse p = {.name = name, .why = why, .d = builder_new()};
	int rc;

	*out = (struct builder_components){0};
	builder_assume_vls(p.d, vl_cap);
	rc = parse_all(&p, text, n);
	if (rc == 0)
		rc = builder_components(p.d, 0, out, why);
	builder_free(p.d);
	free(p.half);
	free(p.id);
	free(p.nports);
	free(p.type);
	map_free(&p.by_id);
	return rc;
}
