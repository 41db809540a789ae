#include "config/yaml.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "sm/base/mem.h"
#include "sm/base/utf8.h"

/* What is being read: libyaml's parser and the maps and lists still open. */
struct reader {
	yaml_parser_t parser;
	struct arena *arena;
	struct diag_list *diag;
	struct yaml_value *open[YAML_MAX_DEPTH];
	struct yaml_value *last[YAML_MAX_DEPTH]; /* newest member of each */
	unsigned depth;
	size_t nodes;
	struct yaml_value *root;
	struct yaml_value *pending; /* a key that waits for its value */
	bool seen_document;
	bool dead; /* too broken to go on */
};

bool
yaml_empty(const struct yaml_value *v)
{
	return v->kind == YAML_KIND_SCALAR && v->plain && v->text[0] == '\0';
}

/*
 * Report what libyaml would refuse without a place, or accept although Heddle
 * does not: bytes that are not UTF-8, control characters, tabs as indentation.
 * False when the text is not worth reading further.
 */
static bool
check_characters(const char *text, size_t len, struct diag_list *d)
{
	const unsigned char *p = (const unsigned char *)text;
	const unsigned file = diag_source_now(d);
	struct diag_place at = {1, 1, file};
	bool indent = true, good = true;
	uint32_t c = 0;
	size_t i = 0;
	unsigned n;

	if (len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
		i = 3; /* a byte order mark: libyaml gives it no column */
	for (; i < len; i += n) {
		n = utf8_decode(p + i, len - i, &c);
		if (n == 0) {
			diag_add(d, at, "not-utf8", "",
				"byte 0x%02x is not UTF-8 text", p[i]);
			return false;
		}
		if (c == '\n' || c == '\r') {
			if (c == '\r' && i + 1 < len && p[i + 1] == '\n')
				n = 2;
			at = (struct diag_place){at.line + 1, 1, file};
			indent = true;
			continue;
		}
		if (c != '\t' && !utf8_printable(c)) {
			diag_add(d, at, "control-character", "",
				"character U+%04X is not allowed here", c);
			return false;
		}
		if (indent && c == '\t') {
			diag_add(d, at, "tab", "",
				"a tab cannot indent; use spaces");
			good = false;
		}
		indent = indent && c == ' ';
		at.col++;
	}
	return good;
}

static struct diag_place
place_of_mark(const struct reader *r, const yaml_mark_t *m)
{
	return (struct diag_place){(unsigned)m->line + 1,
		(unsigned)m->column + 1, diag_source_now(r->diag)};
}

/* The key path to what is being read, for tools: "fabric.lmc". */
static const char *
open_key_path(const struct reader *r, const char *leaf)
{
	struct buf b = {0};
	const char *s;
	unsigned i;

	for (i = 1; i < r->depth; i++)
		if (r->open[i]->key != NULL)
			buf_printf(&b, "%s%s", b.n > 0 ? "." : "",
				r->open[i]->key);
	if (leaf != NULL)
		buf_printf(&b, "%s%s", b.n > 0 ? "." : "", leaf);
	s = arena_strdup(r->arena, b.n > 0 ? b.text : "");
	buf_free(&b);
	return s;
}

static void
report_mistake(struct reader *r, const yaml_mark_t *m, const char *code,
	const char *message)
{
	diag_add(r->diag, place_of_mark(r, m), code, open_key_path(r, NULL),
		"%s", message);
}

/* libyaml gave up: report it in its words, at its place. */
static void
parser_error(struct reader *r)
{
	const yaml_parser_t *p = &r->parser;
	struct diag_place at = place_of_mark(r, &p->problem_mark);
	const char *problem = p->problem != NULL ? p->problem : "not YAML";
	const char *context = p->context;
	struct diag *e;

	r->dead = true;
	if (p->error == YAML_MEMORY_ERROR || p->error == YAML_READER_ERROR)
		at = (struct diag_place){0, 0, at.file};
	if (context != NULL && p->context_mark.line == p->problem_mark.line) {
		diag_add(r->diag, at, "syntax", open_key_path(r, NULL),
			"%s (%s)", problem, context);
		return;
	}
	e = diag_add(
		r->diag, at, "syntax", open_key_path(r, NULL), "%s", problem);
	if (context != NULL)
		diag_note(r->diag, e, place_of_mark(r, &p->context_mark),
			context);
}

static struct yaml_value *
value_new(struct reader *r, enum yaml_kind kind, const yaml_mark_t *m)
{
	struct yaml_value *v = arena_alloc(r->arena, sizeof(*v));

	v->kind = kind;
	v->at = place_of_mark(r, m);
	v->text = "";
	if (++r->nodes > YAML_MAX_NODES && !r->dead) {
		diag_add(r->diag, v->at, "too-big", "",
			"more than %u keys and values", YAML_MAX_NODES);
		r->dead = true;
	}
	return v;
}

/* Take v as the next key of the map on top. */
static void
attach_key(struct reader *r, struct yaml_value *v)
{
	if (v->kind == YAML_KIND_LIST || v->kind == YAML_KIND_MAP) {
		diag_add(r->diag, v->at, "key-type", open_key_path(r, NULL),
			"a key must be a single word");
		r->dead = true;
		return;
	}
	if (v->plain && strcmp(v->text, "<<") == 0) {
		diag_add(r->diag, v->at, "merge-key", open_key_path(r, NULL),
			"merge keys are not allowed; write the keys out");
		v->kind = YAML_KIND_BAD;
	} else if (v->kind == YAML_KIND_SCALAR && v->text[0] == '\0') {
		diag_add(r->diag, v->at, "key-type", open_key_path(r, NULL),
			"key without a name");
		v->kind = YAML_KIND_BAD;
	}
	r->pending = v;
}

/* Attach v where it belongs: as the root, in a list, or to its key in a map. */
static void
attach_value(struct reader *r, struct yaml_value *v)
{
	struct yaml_value *top;

	if (r->depth == 0) {
		r->root = v;
		return;
	}
	top = r->open[r->depth - 1];
	if (top->kind == YAML_KIND_MAP && r->pending == NULL) {
		attach_key(r, v);
		return;
	}
	if (top->kind == YAML_KIND_MAP) {
		/* a bad key was reported: "" keeps its value from being read */
		v->key = r->pending->kind == YAML_KIND_BAD ? ""
							   : r->pending->text;
		v->key_at = r->pending->at;
		r->pending = NULL;
	}
	if (r->last[r->depth - 1] == NULL)
		top->first = v;
	else
		r->last[r->depth - 1]->next = v;
	r->last[r->depth - 1] = v;
	top->n++;
}

static void
open_value(struct reader *r, struct yaml_value *v)
{
	if (!r->dead && r->depth == YAML_MAX_DEPTH) {
		diag_add(r->diag, v->at, "too-deep", "",
			"nested deeper than %u levels", YAML_MAX_DEPTH);
		r->dead = true;
	}
	if (r->dead)
		return;
	r->last[r->depth] = NULL;
	r->open[r->depth++] = v;
}

static int
by_key(const void *a, const void *b)
{
	const struct yaml_value *x = *(const struct yaml_value *const *)a;
	const struct yaml_value *y = *(const struct yaml_value *const *)b;
	int c = strcmp(x->key, y->key);

	if (c != 0)
		return c;
	return diag_before(x->key_at, y->key_at) ? -1 : 1;
}

/* The members of a map by their keys, those of equal keys by their place, bad
 * keys left out; free it. */
static struct yaml_value **
sort_members(const struct yaml_value *map, size_t *n)
{
	struct yaml_value **v = mem_zalloc(map->n, sizeof(struct yaml_value *));

	*n = 0;
	for (struct yaml_value *m = map->first; m != NULL; m = m->next)
		if (m->key[0] != '\0')
			v[(*n)++] = m;
	qsort(v, *n, sizeof(struct yaml_value *), by_key);
	return v;
}

/* Report every key that a map has twice, with both places. */
static void
check_duplicates(struct reader *r, const struct yaml_value *map)
{
	struct yaml_value **v;
	size_t i, n;
	struct diag *e;

	if (map->n < 2)
		return;
	v = sort_members(map, &n);
	for (i = 1; i < n; i++) {
		if (strcmp(v[i]->key, v[i - 1]->key) != 0)
			continue;
		e = diag_add(r->diag, v[i]->key_at, "duplicate-key",
			open_key_path(r, v[i]->key), "duplicate key '%s'",
			v[i]->key);
		diag_note(r->diag, e, v[i - 1]->key_at, "given here before");
	}
	free(v);
}

static void
close_value(struct reader *r)
{
	const struct yaml_value *v = r->open[r->depth - 1];

	if (v->kind == YAML_KIND_MAP)
		check_duplicates(r, v);
	r->depth--;
}

static void
on_scalar(struct reader *r, const yaml_event_t *e)
{
	struct yaml_value *v = value_new(r, YAML_KIND_SCALAR, &e->start_mark);
	const char *text = (const char *)e->data.scalar.value;

	v->plain = e->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
	if (e->data.scalar.anchor != NULL)
		report_mistake(
			r, &e->start_mark, "anchor", "anchors are not allowed");
	if (e->data.scalar.tag != NULL)
		report_mistake(r, &e->start_mark, "tag",
			"tags are not allowed; types come from the key");
	if (strlen(text) != e->data.scalar.length) {
		report_mistake(r, &e->start_mark, "control-character",
			"a NUL character is not allowed");
		v->kind = YAML_KIND_BAD;
	} else {
		v->text = arena_strdup(r->arena, text);
	}
	attach_value(r, v);
}

static void
on_start(struct reader *r, const yaml_event_t *e, enum yaml_kind kind)
{
	struct yaml_value *v = value_new(r, kind, &e->start_mark);
	bool list = kind == YAML_KIND_LIST;

	if ((list ? e->data.sequence_start.anchor
		  : e->data.mapping_start.anchor) != NULL)
		report_mistake(
			r, &e->start_mark, "anchor", "anchors are not allowed");
	if ((list ? e->data.sequence_start.tag : e->data.mapping_start.tag) !=
		NULL)
		report_mistake(r, &e->start_mark, "tag",
			"tags are not allowed; types come from the key");
	attach_value(r, v);
	open_value(r, v);
}

static void
on_document(struct reader *r, const yaml_event_t *e)
{
	if (e->data.document_start.version_directive != NULL ||
		e->data.document_start.tag_directives.start !=
			e->data.document_start.tag_directives.end)
		report_mistake(r, &e->start_mark, "directive",
			"%directives are not allowed");
	if (r->seen_document) {
		report_mistake(r, &e->start_mark, "many-documents",
			"a second document starts here; one is allowed");
		r->dead = true;
	}
	r->seen_document = true;
}

static void
on_event(struct reader *r, const yaml_event_t *e)
{
	switch (e->type) {
	case YAML_DOCUMENT_START_EVENT:
		on_document(r, e);
		break;
	case YAML_ALIAS_EVENT:
		report_mistake(r, &e->start_mark, "alias",
			"aliases are not allowed; quote values that begin with "
			"*");
		attach_value(r, value_new(r, YAML_KIND_BAD, &e->start_mark));
		break;
	case YAML_SCALAR_EVENT:
		on_scalar(r, e);
		break;
	case YAML_SEQUENCE_START_EVENT:
		on_start(r, e, YAML_KIND_LIST);
		break;
	case YAML_MAPPING_START_EVENT:
		on_start(r, e, YAML_KIND_MAP);
		break;
	case YAML_SEQUENCE_END_EVENT:
	case YAML_MAPPING_END_EVENT:
		close_value(r);
		break;
	case YAML_NO_EVENT:
	case YAML_STREAM_START_EVENT:
	case YAML_STREAM_END_EVENT:
	case YAML_DOCUMENT_END_EVENT:
	default:
		break;
	}
}

static void
read_events(struct reader *r)
{
	yaml_event_t e;
	bool end = false;

	while (!end && !r->dead) {
		if (yaml_parser_parse(&r->parser, &e) == 0) {
			parser_error(r);
			return;
		}
		on_event(r, &e);
		end = e.type == YAML_STREAM_END_EVENT;
		yaml_event_delete(&e);
	}
}

struct yaml_value *
yaml_read(struct arena *a, const char *text, size_t len, struct diag_list *d)
{
	struct reader r = {.arena = a, .diag = d};
	yaml_mark_t start = {0, 0, 0};

	if (len > YAML_MAX_BYTES) {
		diag_add(d, (struct diag_place){0, 0, diag_source_now(d)},
			"too-big", "", "larger than %zu MiB",
			YAML_MAX_BYTES >> 20);
		return NULL;
	}
	if (!check_characters(text, len, d))
		return NULL;
	if (yaml_parser_initialize(&r.parser) == 0)
		abort(); /* out of memory, as in sm/base/mem */
	yaml_parser_set_encoding(&r.parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(
		&r.parser, (const unsigned char *)text, len);
	read_events(&r);
	yaml_parser_delete(&r.parser);
	if (r.dead)
		return NULL;
	if (r.root == NULL || yaml_empty(r.root))
		r.root = value_new(&r, YAML_KIND_MAP, &start);
	return r.root;
}

/* The member of this key, of n sorted ones, or NULL. */
static struct yaml_value *
find_member(struct yaml_value *const *v, size_t n, const char *key)
{
	size_t lo = 0, hi = n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		int c = strcmp(v[mid]->key, key);

		if (c == 0)
			return v[mid];
		if (c < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return NULL;
}

void
yaml_merge(/* NOLINT(misc-no-recursion): yaml_read has bounded the depth */
	struct yaml_value *base, struct yaml_value *over)
{
	size_t n;
	struct yaml_value **known = sort_members(base, &n);
	struct yaml_value **end = &base->first, *m, *next;

	while (*end != NULL)
		end = &(*end)->next;
	for (m = over->first; m != NULL; m = next) {
		struct yaml_value *was = find_member(known, n, m->key);

		next = m->next;
		m->next = NULL;
		if (was == NULL) {
			*end = m;
			end = &m->next;
			base->n++;
		} else if (was->kind == YAML_KIND_MAP &&
			   m->kind == YAML_KIND_MAP) {
			yaml_merge(was, m);
		} else if (was->kind != YAML_KIND_MAP || !yaml_empty(m)) {
			m->next = was->next;
			*was = *m;
		}
	}
	free(known);
}
