/*
 * partitions.conf: statements end with a semicolon, '#' begins a comment.
 *
 *	NAME=KEY, flag, flag=value : member, member=membership
 *		mgid=GROUP, flag=value
 *		member ;
 *
 * As in OpenSM, words may be cut short ("limi", "ALL_C"), a membership that is
 * no such word means limited, a partition without a P_Key gets the next free
 * one, and the default partition exists before the file is read: all ports are
 * limited members, the subnet manager a full one. At a mistake OpenSM drops
 * everything up to the next semicolon, and more; here the one member is left
 * out, with a note.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "config/config.h"
#include "config/import/import_priv.h"
#include "config/partition_options.h"
#include "sm/base/hash.h"
#include "sm/base/map.h"
#include "sm/base/mem.h"

enum { WORD = 64 };

/* Keywords for members; GUIDs come after them. */
enum word { ALL, HOSTS, SWITCHES, ROUTERS, SM, WORDS };

static const char *const words[WORDS][2] = {
	[ALL] = {"ALL", "all"},
	[HOSTS] = {"ALL_CAS", "hosts"},
	[SWITCHES] = {"ALL_SWITCHES", "switches"},
	[ROUTERS] = {"ALL_ROUTERS", "routers"},
	[SM] = {"SELF", "sm"},
};

struct member {
	uint64_t guid; /* 0: the word */
	enum word word;
	const char *as; /* static; NULL: a later one replaces it */
	unsigned line;	/* 0: of no statement */
};

/* What the flags of one statement say. */
struct flags {
	bool ipoib;
	unsigned mtu, sl, scope; /* 0, or as written */
	const char *rate;	 /* or NULL */
	bool sl_given, qkey_given;
	unsigned long qkey;
};

struct part {
	char name[WORD], theirs[WORD];
	unsigned pkey, line;
	struct member *member;
	size_t n, cap;
	struct map by_guid;	 /* its last member of a GUID */
	uint32_t of_word[WORDS]; /* one more than that of a word; 0: none */
	struct flags flags; /* SL: of the last statement; IPoIB: the first */
	unsigned ipoib_line;
	bool both_noted;
};

struct reader {
	const struct import_file *f;
	struct import_notes *notes;
	struct part *part;
	size_t n, cap;
	uint32_t by_key[PKEY_NUMBER +
			1];   /* one more than the partition; 0: none */
	struct map by_name;   /* hash of our name -> the first of it */
	struct map by_theirs; /* the same, of the name in the file */
	size_t statements;
	size_t understood; /* P_Keys and members */
	unsigned line;	   /* of the statement, then of its continuation */
	const char *defmember;
	unsigned next_key; /* for partitions without one */
	bool both;	   /* allow_both_pkeys */
	bool qos;
};

static char *
trim_blanks(char *s)
{
	size_t n;

	s += strspn(s, " \t\r\n");
	n = strlen(s);
	while (n > 0 && strchr(" \t\r\n", s[n - 1]) != NULL)
		s[--n] = '\0';
	return s;
}

/* "a = b" -> a, and b or NULL. */
static char *
cut_value(char *s)
{
	char *eq = strchr(s, '=');

	if (eq == NULL)
		return NULL;
	*eq = '\0';
	(void)trim_blanks(s);
	return trim_blanks(eq + 1);
}

static bool
parse_number(const char *s, unsigned long max, unsigned long *out)
{
	char *end;

	if (s == NULL || *s < '0' || *s > '9')
		return false;
	*out = strtoul(s, &end, 0);
	return *end == '\0' && *out <= max;
}

/* True if s is the word, or its beginning. */
static bool
is_abbreviation(const char *s, const char *word)
{
	return *s != '\0' && strncmp(s, word, strlen(s)) == 0;
}

static const char *
parse_membership(const struct reader *r, const char *s)
{
	static const char *const word[] = {"full", "both", "limited"};

	for (size_t i = 0; s != NULL && i < 3; i++)
		if (is_abbreviation(s, word[i]))
			return i == 1 && !r->both ? "full" : word[i];
	return NULL;
}

static uint64_t
hash_name(const char *name)
{
	return fnv_more(FNV_START, name, strlen(name));
}

/* The letters, digits, '_' and '-' of a name. */
static size_t
clean_name(const char *name, char out[WORD])
{
	size_t k = 0;

	for (size_t i = 0; name[i] != '\0' && k < WORD - 16; i++)
		if ((name[i] >= 'a' && name[i] <= 'z') ||
			(name[i] >= 'A' && name[i] <= 'Z') ||
			(name[i] >= '0' && name[i] <= '9') || name[i] == '_' ||
			name[i] == '-')
			out[k++] = name[i];
	out[k] = '\0';
	return k;
}

static struct part *
add_part(struct reader *r, const char *name, unsigned pkey)
{
	char clean[WORD] = "";
	size_t k = clean_name(name, clean);
	struct part *p;
	uint32_t other;

	if (k > 0 && map_get(&r->by_name, hash_name(clean), &other))
		import_note(r->notes, r->f, r->line,
			"partition '%.60s' has P_Key 0x%04x, and 0x%04x in "
			"line %u: two partitions",
			name, pkey, r->part[other].pkey, r->part[other].line);
	if (k == 0 || map_get(&r->by_name, hash_name(clean), NULL))
		(void)snprintf(clean + k, sizeof(clean) - k, "%spkey_%04x",
			k > 0 ? "_" : "", pkey);
	r->part = mem_grow(r->part, r->n, &r->cap, sizeof(*r->part));
	p = &r->part[r->n];
	*p = (struct part){.pkey = pkey, .line = r->line};
	memcpy(p->name, clean, sizeof(clean));
	(void)snprintf(p->theirs, sizeof(p->theirs), "%s", name);
	map_put(&r->by_name, hash_name(clean), (uint32_t)r->n);
	if (!map_get(&r->by_theirs, hash_name(p->theirs), NULL))
		map_put(&r->by_theirs, hash_name(p->theirs), (uint32_t)r->n);
	r->by_key[pkey] = (uint32_t)++r->n;
	return p;
}

static struct part *
find_part(struct reader *r, const char *name, unsigned pkey)
{
	struct part *p;

	if (r->by_key[pkey] == 0)
		return add_part(r, name, pkey);
	p = &r->part[r->by_key[pkey] - 1];
	if (*name != '\0' && strncmp(name, p->theirs, WORD - 1) != 0)
		import_note(r->notes, r->f, r->line,
			"partition '%.60s' has the P_Key of '%.60s' in line "
			"%u, 0x%04x: its members are in that one",
			name, p->theirs, p->line, pkey);
	return p;
}

/* ---- flags ---- */

static const char *
rate_word(unsigned long code)
{
	for (uint32_t i = 0; partition_rates[i] != NULL; i++)
		if (partition_rate_code(i) == code)
			return partition_rates[i];
	return NULL;
}

static bool
set_flag(struct flags *p, const char *flag, unsigned long v)
{
	static const char scopes[] = {2, 5, 8, 14, 0};

	if (strcasecmp(flag, "mtu") == 0 && v >= 1 && v <= 5)
		p->mtu = 128U << v;
	else if (strcasecmp(flag, "rate") == 0 && rate_word(v) != NULL)
		p->rate = rate_word(v);
	else if (strcasecmp(flag, "sl") == 0 && v <= 15)
		p->sl = (unsigned)v;
	else if (strcasecmp(flag, "scope") == 0 && v > 0 && v < 16 &&
		 p->scope == 0 && strchr(scopes, (int)v) != NULL)
		p->scope = (unsigned)v;
	else if (strcasecmp(flag, "q_key") == 0)
		p->qkey = v;
	else
		return false;
	p->sl_given |= strcasecmp(flag, "sl") == 0;
	p->qkey_given |= strcasecmp(flag, "q_key") == 0;
	return true;
}

/* Without allow_both_pkeys "both" is full: said once. */
static void
note_both(struct reader *r, struct part *p, const char *text)
{
	if (r->both || p->both_noted || !is_abbreviation(text, "both"))
		return;
	p->both_noted = true;
	import_note(r->notes, r->f, r->line,
		"partition %s: 'both' means full, as allow_both_pkeys is not "
		"TRUE",
		p->name);
}

static void
take_flag(struct reader *r, struct part *p, struct flags *f, char *flag)
{
	const char *v = cut_value(flag);
	unsigned long n;

	if (*flag == '\0' && v == NULL)
		return;
	if (is_abbreviation(flag, "ipoib"))
		f->ipoib = true;
	else if (is_abbreviation(flag, "defmember") &&
		 parse_membership(r, v) != NULL) {
		r->defmember = parse_membership(r, v);
		note_both(r, p, v);
	} else if (strcasecmp(flag, "indx0") == 0)
		import_lost(r->notes, r->f, r->line,
			"indx0: index 0 is for the default partition, and "
			"keys that ports have do not move");
	else if (strcasecmp(flag, "sl") == 0 && !r->qos)
		import_note(r->notes, r->f, r->line,
			"sl: OpenSM ignores it without qos TRUE");
	else if (!parse_number(v, 0xffffffff, &n) || !set_flag(f, flag, n))
		import_lost(r->notes, r->f, r->line,
			"%.40s%s%.40s: not understood", flag,
			v != NULL ? "=" : "", v != NULL ? v : "");
}

/* Whether both are the parameters of one broadcast group. */
static bool
is_same_group(const struct flags *a, const struct flags *b)
{
	return a->mtu == b->mtu && a->scope == b->scope && a->qkey == b->qkey &&
	       a->rate == b->rate;
}

/* The flags of a statement: as in OpenSM, the first one with ipoib makes the
 * group, and the last one sets the SL. */
static void
apply_flags(
	struct reader *r, struct part *p, const struct flags *f, bool is_first)
{
	struct flags *had = &p->flags;

	if (!is_first && r->qos && had->sl != f->sl)
		import_lost(r->notes, r->f, r->line,
			"partition %s: SL %u before is SL %u from here on: the "
			"last statement counts",
			p->name, had->sl, f->sl);
	had->sl = f->sl;
	had->sl_given = f->sl_given;
	if (!f->ipoib)
		return;
	if (had->ipoib) {
		if (!is_same_group(had, f))
			import_lost(r->notes, r->f, r->line,
				"partition %s: the IPoIB group has other "
				"parameters in line %u: the first ones count",
				p->name, p->ipoib_line);
		return;
	}
	*had = *f;
	p->ipoib_line = r->line;
}

/* ---- members ---- */

/* A later member of the same text replaces an earlier one. */
static void
add_member(struct reader *r, struct part *p, const struct member *m)
{
	uint32_t last = 0;
	bool again = m->guid != 0 ? map_get(&p->by_guid, m->guid, &last)
				  : p->of_word[m->word] > 0;
	struct member *was;

	if (again) {
		if (m->guid == 0)
			last = p->of_word[m->word] - 1;
		was = &p->member[last];
		if (was->line > 0 && was->as != m->as && m->guid != 0)
			import_lost(r->notes, r->f, m->line,
				"partition %s: 0x%016" PRIx64 " is %s here "
				"and %s in line %u: the last counts",
				p->name, m->guid, m->as, was->as, was->line);
		else if (was->line > 0 && was->as != m->as)
			import_lost(r->notes, r->f, m->line,
				"partition %s: %s is %s here and %s in line "
				"%u: the last counts",
				p->name, words[m->word][0], m->as, was->as,
				was->line);
		was->as = NULL;
	}
	p->member = mem_grow(p->member, p->n, &p->cap, sizeof(*p->member));
	p->member[p->n] = *m;
	if (m->guid != 0)
		map_put(&p->by_guid, m->guid, (uint32_t)p->n);
	else
		p->of_word[m->word] = (uint32_t)p->n + 1;
	p->n++;
}

/* A keyword for ports, or a port GUID; false: neither. */
static bool
parse_member(const char *text, struct member *out)
{
	char *end;

	for (unsigned i = 0; i < WORDS; i++)
		if (is_abbreviation(text, words[i][0])) {
			out->word = (enum word)i;
			return true;
		}
	out->guid = strtoull(text, &end, 0);
	return *text >= '0' && *text <= '9' && *end == '\0' && out->guid != 0;
}

static void
take_member(struct reader *r, struct part *p, char *text)
{
	const char *v = cut_value(text);
	struct member m = {.line = r->line};

	m.as = v != NULL ? parse_membership(r, v) : r->defmember;
	if ((*text == '\0' && v == NULL) || is_abbreviation(text, "NONE"))
		return;
	if (!parse_member(text, &m)) {
		import_lost(r->notes, r->f, r->line,
			"partition %s: member '%.60s%s%.40s': neither a GUID "
			"nor a keyword",
			p->name, text, v != NULL ? "=" : "",
			v != NULL ? v : "");
		return;
	}
	r->understood++;
	if (v != NULL)
		note_both(r, p, v);
	if (m.as == NULL) {
		import_note(r->notes, r->f, r->line,
			"partition %s: '%.40s' is not a membership; limited is "
			"assumed",
			p->name, v);
		m.as = "limited";
	}
	add_member(r, p, &m);
}

/* Members, by commas and lines; a group takes the rest of its line. */
static void
take_members(struct reader *r, struct part *p, char *text)
{
	while (text != NULL) {
		char *eol = strchr(text, '\n'), *save = NULL, *m;

		if (eol != NULL)
			*eol = '\0';
		for (m = strtok_r(text, ",", &save); m != NULL;
			m = strtok_r(NULL, ",", &save)) {
			m = trim_blanks(m);
			if (strncmp(m, "mgid", 4) == 0) {
				import_lost(r->notes, r->f, r->line,
					"partition %s: group %.80s: groups by "
					"mgid are not carried over",
					p->name, m);
				break;
			}
			take_member(r, p, m);
		}
		r->line += eol != NULL;
		text = eol != NULL ? eol + 1 : NULL;
	}
}

/* ---- statements ---- */

static bool
has_key(const struct reader *r, unsigned pkey)
{
	return pkey == PARTITION_DEFAULT_KEY || r->by_key[pkey] != 0;
}

/* The P_Key of a partition that is given none: that of its name, or a new one;
 * 0: there is none left. */
static unsigned
key_by_name(struct reader *r, const char *name)
{
	char theirs[WORD];
	uint32_t i;

	(void)snprintf(theirs, sizeof(theirs), "%s", name);
	if (strcmp(name, "Default") == 0)
		return PARTITION_DEFAULT_KEY;
	if (*name != '\0' && map_get(&r->by_theirs, hash_name(theirs), &i))
		return r->part[i].pkey;
	while (r->next_key < PKEY_NUMBER && has_key(r, ++r->next_key))
		;
	if (r->next_key == PKEY_NUMBER)
		return 0;
	import_note(r->notes, r->f, r->line,
		"partition '%.60s' has no P_Key: OpenSM would give it 0x%04x",
		name, r->next_key);
	return r->next_key;
}

/* The default partition has members before the file is read. */
static void
add_first_members(struct reader *r, struct part *p)
{
	if (p->pkey != PARTITION_DEFAULT_KEY || p->n > 0)
		return;
	add_member(r, p, &(struct member){.word = ALL, .as = "limited"});
	add_member(r, p, &(struct member){.word = SM, .as = "full"});
}

/* The partition that a head "NAME=KEY, flags" is about, or NULL. */
static struct part *
take_head(struct reader *r, char *head)
{
	char *save = NULL, *flag = strtok_r(head, ",", &save), *name;
	const char *key;
	struct flags flags = {0};
	unsigned long n = 0;
	size_t before = r->n;
	struct part *p;

	if (flag == NULL)
		return NULL;
	key = cut_value(flag);
	name = trim_blanks(flag);
	if (key == NULL && *name >= '0' && *name <= '9') {
		key = name;
		name = name + strlen(name);
	}
	if (key != NULL && !parse_number(key, 0xffff, &n)) {
		import_lost(r->notes, r->f, r->line,
			"partition '%.60s': '%.40s' is not a P_Key; the "
			"partition is left out",
			name, key);
		return NULL;
	}
	r->understood += key != NULL;
	if ((n & PKEY_NUMBER) == 0)
		n = key_by_name(r, name);
	if (n == 0) {
		import_lost(r->notes, r->f, r->line,
			"partition '%.60s': there is no P_Key left for it",
			name);
		return NULL;
	}
	p = find_part(r, name, (unsigned)n & PKEY_NUMBER);
	add_first_members(r, p);
	while ((flag = strtok_r(NULL, ",", &save)) != NULL)
		take_flag(r, p, &flags, trim_blanks(flag));
	apply_flags(r, p, &flags, r->n > before);
	return p;
}

static void
take_statement(struct reader *r, char *text)
{
	char *colon = strchr(text, ':');
	struct part *p;

	if (*trim_blanks(text) == '\0')
		return;
	r->statements++;
	if (colon == NULL) {
		import_lost(r->notes, r->f, r->line,
			"'%.60s': no colon; OpenSM reads no partition here",
			trim_blanks(text));
		return;
	}
	*colon = '\0';
	r->defmember = "limited";
	p = take_head(r, text);
	if (p != NULL)
		take_members(r, p, colon + 1);
}

static void
read_all(struct reader *r)
{
	char *text = mem_alloc(r->f->len + 1);
	unsigned line = 1;
	bool comment = false;
	size_t n = 0;

	r->line = 1;
	for (size_t i = 0; i <= r->f->len; i++) {
		char c = ';';

		if (i < r->f->len)
			c = r->f->text[i];
		comment = c == '#' || (comment && c != '\n' && i < r->f->len);
		line += c == '\n';
		if (comment || c == '\0')
			continue;
		if (n == 0 && strchr(" \t\r\n", c) != NULL)
			continue;
		if (n == 0)
			r->line = line;
		if (c != ';') {
			text[n++] = c;
			continue;
		}
		text[n] = '\0';
		if (i == r->f->len && n > 0)
			import_note(r->notes, r->f, r->line,
				"no semicolon at the end of the file");
		take_statement(r, text);
		n = 0;
	}
	free(text);
}

/* ---- printing ---- */

static void
print_ipoib(const struct flags *p, struct buf *out)
{
	buf_printf(out, "    ipoib:\n      enabled: true\n");
	if (p->mtu != 0)
		buf_printf(out, "      mtu: %u\n", p->mtu);
	if (p->rate != NULL)
		buf_printf(out, "      rate: %s\n", p->rate);
	if (p->sl_given)
		buf_printf(out, "      sl: %u\n", p->sl);
	if (p->scope != 0)
		buf_printf(out, "      scope: %u\n", p->scope);
	if (p->qkey_given)
		buf_printf(out, "      qkey: 0x%lx\n", p->qkey);
}

static void
print_part(const struct part *p, struct buf *out)
{
	buf_printf(out, "  \"%s\":\n    pkey: 0x%04x\n    members:%s\n",
		p->name, p->pkey, p->n == 0 ? " {}" : "");
	for (size_t i = 0; i < p->n; i++) {
		const struct member *m = &p->member[i];

		if (m->as != NULL && m->guid != 0)
			buf_printf(out, "      0x%016" PRIx64 ": %s\n", m->guid,
				m->as);
		else if (m->as != NULL)
			buf_printf(out, "      %s: %s\n", words[m->word][1],
				m->as);
	}
	if (p->flags.ipoib)
		print_ipoib(&p->flags, out);
}

static void
print_all(struct reader *r, struct import_qos *q, struct buf *out)
{
	buf_printf(out, "partitions:\n");
	/*
	 * Without a default partition, Heddle makes all ports limited members
	 * of it and the subnet manager a full one, as OpenSM does, but only
	 * where there is another partition.
	 */
	if (r->n == 0)
		buf_printf(out, "  \"Default\":\n    pkey: 0x7fff\n"
				"    members:\n      all: limited\n"
				"      sm: full\n");
	for (size_t i = 0; i < r->n; i++) {
		struct part *p = &r->part[i];

		if (p->flags.sl_given && r->qos) {
			import_qos_partition(q, p->name, p->pkey, p->flags.sl);
			p->flags.sl_given = false;
		}
		print_part(p, out);
	}
}

static void
free_parts(struct reader *r)
{
	for (size_t i = 0; i < r->n; i++) {
		map_free(&r->part[i].by_guid);
		free(r->part[i].member);
	}
	map_free(&r->by_name);
	map_free(&r->by_theirs);
	free(r->part);
	free(r);
}

int
import_partitions(const struct import_file *f, struct import_qos *q, bool both,
	struct import_notes *n, struct buf *out, struct reason *why)
{
	struct reader *r = mem_zalloc(1, sizeof(*r));
	int rc = 0;

	r->f = f;
	r->notes = n;
	r->both = both;
	r->qos = import_qos_on(q);
	read_all(r);
	if (r->statements > 0 && r->understood == 0)
		rc = reason_set(why, "%.200s: no partition in it is understood",
			f->name);
	else
		print_all(r, q, out);
	free_parts(r);
	return rc;
}
