#include "routing/text/fts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sm/base/mem.h"

/* ---- printing ---- */

static void
print_path(const struct topo *t, node_ix n, struct buf *out)
{
	uint8_t path[64];
	int hops = topo_route(t, n, path);

	buf_printf(out, "DR path slid 0; dlid 0; 0");
	for (int i = 1; i <= hops; i++)
		buf_printf(out, ",%u", path[i]);
}

static const char *
type_name(uint8_t type)
{
	return type == TOPO_SWITCH   ? "Switch"
	       : type == TOPO_ROUTER ? "Router"
				     : "Channel Adapter";
}

/* A description in one line. */
static void
print_desc(const struct topo *t, node_ix n, struct buf *out)
{
	for (const char *s = topo_desc(t, n); *s != '\0'; s++)
		buf_printf(out, "%c",
			(unsigned char)*s < ' ' || *s == 0x7f ? '?' : *s);
}

/* The LIDs of the port last printed in full; the rest are paths of it. */
struct span {
	uint32_t base, end;
};

static void
print_entry(const struct topo *t, uint16_t lid, unsigned out,
	struct span *printed, struct buf *b)
{
	port_ix p = topo_by_lid(t, lid, NULL);

	buf_printf(b, "0x%04x %03u ", lid, out);
	if (p == TOPO_NONE) {
		buf_printf(b, "\n");
		return;
	}
	if (lid < printed->end) {
		buf_printf(b,
			": (path #%u out of %u: portguid 0x%016" PRIx64 ")\n",
			lid - printed->base + 1, printed->end - printed->base,
			t->port[p].guid);
		return;
	}
	printed->base = t->port[p].lid;
	printed->end = printed->base + (1U << t->port[p].lmc);
	buf_printf(b, ": (%s portguid 0x%016" PRIx64 ": '",
		type_name(t->node[t->port[p].node].type), t->port[p].guid);
	print_desc(t, t->port[p].node, b);
	buf_printf(b, "')\n");
}

void
fts_print(const struct verify_tables *in, struct buf *out)
{
	const struct topo *t = in->topo;

	for (sw_ix s = 0; s < t->nsw; s++) {
		const struct topo_node *node = &t->node[t->sw[s].node];
		struct span printed = {0, 0};
		unsigned valid = 0;

		buf_printf(
			out, "Unicast lids [0x0-0x%x] of switch ", t->max_lid);
		print_path(t, t->sw[s].node, out);
		buf_printf(out, " guid 0x%016" PRIx64 " (", node->guid);
		print_desc(t, t->sw[s].node, out);
		buf_printf(out, "):\n  Lid  Out   Destination\n"
				"       Port     Info \n");
		for (uint32_t lid = 0; lid <= t->max_lid; lid++) {
			const uint8_t *line;

			if (lid / LFT_BLOCK >= in->nblocks)
				break;
			line = lft_bytes(in->pool,
				lft_row_ref(in->row[s], lid / LFT_BLOCK));
			if (line[lid % LFT_BLOCK] > node->nports)
				continue;
			print_entry(t, (uint16_t)lid, line[lid % LFT_BLOCK],
				&printed, out);
			valid++;
		}
		buf_printf(out, "%u valid lids dumped \n", valid);
	}
}

/* ---- reading ---- */

struct parse {
	struct fts *f;
	const char *name;
	struct reason *why;
	const char *start, *at, *end; /* the line */
	unsigned line;
	size_t captables, capowners;
	bool told[TOPO_LID_MAX + 1]; /* the owner of the LID is known */
};

static int
parse_error(struct parse *p, const char *what)
{
	return reason_set(p->why, "%s:%u:%u: %s", p->name, p->line,
		(unsigned)(p->at - p->start) + 1, what);
}

/* Go behind the next `word`; false when the line has none. */
static bool
skip_to_word(struct parse *p, const char *word)
{
	const char *hit =
		memmem(p->at, (size_t)(p->end - p->at), word, strlen(word));

	if (hit == NULL)
		return false;
	p->at = hit + strlen(word);
	return true;
}

/* Digits of the base, at most 64 bits and max. */
static bool
parse_number(struct parse *p, unsigned base, uint64_t max, uint64_t *out)
{
	const char *from = p->at;
	uint64_t v = 0;

	for (; p->at < p->end; p->at++) {
		unsigned c = (unsigned char)*p->at, d;

		d = c >= '0' && c <= '9'   ? c - '0'
		    : c >= 'a' && c <= 'f' ? c - 'a' + 10
		    : c >= 'A' && c <= 'F' ? c - 'A' + 10
					   : 99;
		if (d >= base)
			break;
		if (v > (UINT64_MAX - d) / base || v * base + d > max) {
			p->at = from;
			return false;
		}
		v = v * base + d;
	}
	*out = v;
	return p->at > from;
}

/* "Unicast lids [0x0-0x2c] of switch ... guid 0x... (name):" */
static int
parse_head(struct parse *p)
{
	struct fts *f = p->f;
	uint64_t guid;

	if (!skip_to_word(p, " guid 0x") ||
		!parse_number(p, 16, UINT64_MAX, &guid))
		return parse_error(p, "expected the switch's GUID");
	for (size_t i = 0; i < f->ntables; i++)
		if (f->table[i].guid == guid)
			return parse_error(p, "this switch was listed before");
	f->table = mem_grow(
		f->table, f->ntables, &p->captables, sizeof(*f->table));
	f->table[f->ntables++] = (struct fts_table){.guid = guid};
	return 0;
}

static void
store_entry(struct fts_table *t, uint32_t lid, uint8_t out)
{
	if (lid >= t->nlid) {
		uint32_t n = t->nlid == 0 ? 1024 : t->nlid;

		while (n <= lid)
			n *= 2;
		t->entry = mem_resize(t->entry, n, 1);
		memset(t->entry + t->nlid, LFT_DROP, n - t->nlid);
		t->nlid = n;
	}
	t->entry[lid] = out;
}

/* "0x0001 005 : (Channel Adapter portguid 0x...: 'h1')" */
static int
parse_entry(struct parse *p)
{
	struct fts *f = p->f;
	uint64_t lid, out, guid;

	if (f->ntables == 0)
		return parse_error(p, "an entry before any switch");
	p->at += 2;
	if (!parse_number(p, 16, TOPO_LID_MAX, &lid))
		return parse_error(p, "expected a unicast LID");
	if (p->at == p->end || *p->at != ' ')
		return parse_error(p, "expected a blank and a port number");
	p->at++;
	if (!parse_number(p, 10, 255, &out))
		return parse_error(p, "expected a port number, 0 to 255");
	store_entry(&f->table[f->ntables - 1], (uint32_t)lid, (uint8_t)out);
	if (p->told[lid] || !skip_to_word(p, "portguid 0x"))
		return 0;
	p->told[lid] = true;
	if (!parse_number(p, 16, UINT64_MAX, &guid))
		return parse_error(p, "expected a port GUID");
	f->owner = mem_grow(
		f->owner, f->nowners, &p->capowners, sizeof(*f->owner));
	f->owner[f->nowners++] = (struct fts_owner){guid, (uint16_t)lid};
	return 0;
}

static int
parse_line(struct parse *p)
{
	size_t n;

	while (p->end > p->start &&
		(p->end[-1] == ' ' || p->end[-1] == '\r' || p->end[-1] == '\t'))
		p->end--;
	n = (size_t)(p->end - p->start);
	if (n == 0 || *p->start == ' ' || *p->start == '#')
		return 0;
	if (n > 2 && p->start[0] == '0' && p->start[1] == 'x')
		return parse_entry(p);
	if (n > 12 && memcmp(p->start, "Unicast lids", 12) == 0)
		return parse_head(p);
	if (n > 6 && memcmp(p->end - 6, "dumped", 6) == 0)
		return 0;
	if (n > 6 && (memcmp(p->start, "ibwarn", 6) == 0 ||
			     memcmp(p->start, "Switch", 6) == 0))
		return 0; /* messages of the tool between tables */
	return parse_error(
		p, "expected \"Unicast lids ...\" or \"0xLID port ...\"");
}

static int
by_guid(const void *a, const void *b)
{
	const struct fts_owner *x = a, *y = b;

	if (x->port_guid != y->port_guid)
		return x->port_guid < y->port_guid ? -1 : 1;
	return x->lid < y->lid ? -1 : x->lid > y->lid;
}

/* With an LMC one port has many LIDs: the first is its base. */
static void
sort_owners(struct fts *f)
{
	size_t n = 0;

	if (f->nowners == 0)
		return;
	qsort(f->owner, f->nowners, sizeof(*f->owner), by_guid);
	for (size_t i = 0; i < f->nowners; i++)
		if (n == 0 ||
			f->owner[n - 1].port_guid != f->owner[i].port_guid)
			f->owner[n++] = f->owner[i];
	f->nowners = n;
}

struct fts *
fts_parse(const char *text, size_t n, const char *name, struct reason *why)
{
	struct parse p = {
		.f = mem_zalloc(1, sizeof(*p.f)), .name = name, .why = why};
	const char *stop = text + n;

	while (text < stop) {
		const char *nl = memchr(text, '\n', (size_t)(stop - text));

		p.line++;
		p.start = p.at = text;
		p.end = nl == NULL ? stop : nl;
		text = nl == NULL ? stop : nl + 1;
		if (parse_line(&p) != 0) {
			fts_free(p.f);
			return NULL;
		}
	}
	if (p.f->ntables == 0) {
		(void)reason_set(why, "%s: contains no table", name);
		fts_free(p.f);
		return NULL;
	}
	sort_owners(p.f);
	return p.f;
}

void
fts_free(struct fts *f)
{
	if (f == NULL)
		return;
	for (size_t i = 0; i < f->ntables; i++)
		free(f->table[i].entry);
	free(f->table);
	free(f->owner);
	free(f);
}

static size_t
count_moved_lids(const struct fts *f, const struct topo *t)
{
	size_t n = 0;

	for (size_t i = 0; i < f->nowners; i++) {
		port_ix p = topo_by_port_guid(t, f->owner[i].port_guid);

		n += p != TOPO_NONE && t->port[p].lid != f->owner[i].lid;
	}
	return n;
}

struct routes *
fts_routes(const struct fts *f, struct topo *t, struct lft_pool *pool,
	struct fts_misfit *misfit)
{
	struct routes *r = routes_new(t, pool);
	size_t bytes = (size_t)r->nblocks * LFT_BLOCK;
	uint8_t *row = mem_alloc(bytes);

	r->engine = "found";
	*misfit = (struct fts_misfit){
		.missing = t->nsw, .moved = count_moved_lids(f, t)};
	for (size_t i = 0; i < f->ntables; i++) {
		const struct fts_table *tab = &f->table[i];
		node_ix n = topo_by_node_guid(t, tab->guid);

		if (n == TOPO_NONE || t->node[n].sw == TOPO_NONE) {
			misfit->strange++;
			continue;
		}
		memset(row, LFT_DROP, bytes);
		if (tab->nlid > 0)
			memcpy(row, tab->entry,
				tab->nlid < bytes ? tab->nlid : bytes);
		routes_put_row(r, t->node[n].sw, row, NULL, TOPO_NONE);
		misfit->missing--;
	}
	free(row);
	return r;
}
