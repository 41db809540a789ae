#include "tests/e2e/setlog.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sm/base/mem.h"

enum { MAX_LINE = 512, MAX_PORTS = 255, HEX = 2 * SETLOG_DATA };

/* The next word of a line, ended there; "" after the last one. */
static char *
next_word(char **at)
{
	char *word = *at + strspn(*at, " ");

	*at = word + strcspn(word, " \n");
	if (**at != '\0')
		*(*at)++ = '\0';
	return word;
}

/* The next word as a number up to max; *ok becomes false if it is none. */
static uint64_t
next_number(char **at, int base, uint64_t max, bool *ok)
{
	char *word = next_word(at), *end;
	uint64_t v = strtoull(word, &end, base);

	*ok &= end != word && *end == '\0' && v <= max;
	return v;
}

static int
read_node(struct setlog *l, char *at, struct reason *why)
{
	bool ok = true;
	struct setlog_node n = {.guid = next_number(&at, 16, UINT64_MAX, &ok)};

	n.is_switch = strcmp(next_word(&at), "switch") == 0;
	n.nports = (unsigned)next_number(&at, 10, MAX_PORTS, &ok);
	if (!ok)
		return reason_set(why, "no node");
	at[strcspn(at, "\n")] = '\0';
	(void)snprintf(n.name, sizeof(n.name), "%s", at);
	n.port = mem_zalloc(n.nports + 1U, sizeof(*n.port));
	l->node = mem_grow(l->node, l->nnodes, &l->node_cap, sizeof(n));
	map_put(&l->by_guid, n.guid, (uint32_t)l->nnodes);
	l->node[l->nnodes++] = n;
	return 0;
}

/* The next two words as the GUID of a node and one of its ports. */
static int
read_end(struct setlog *l, char **at, uint32_t *node, unsigned *port,
	struct reason *why)
{
	bool ok = true;
	uint64_t guid = next_number(at, 16, UINT64_MAX, &ok);

	*port = (unsigned)next_number(at, 10, MAX_PORTS, &ok);
	if (!ok)
		return reason_set(why, "no GUID and port");
	if (!map_get(&l->by_guid, guid, node))
		return reason_set(why, "no node has GUID %016" PRIx64, guid);
	if (*port > l->node[*node].nports)
		return reason_set(why, "no port %u", *port);
	return 0;
}

static int
read_link(struct setlog *l, char *at, struct reason *why)
{
	uint32_t node[2] = {0};
	unsigned port[2];

	for (int i = 0; i < 2; i++)
		if (read_end(l, &at, &node[i], &port[i], why))
			return -1;
	for (int i = 0; i < 2; i++)
		l->node[node[i]].port[port[i]] =
			(struct setlog_port){true, node[1 - i]};
	return 0;
}

static int
read_bytes(const char *text, uint8_t d[SETLOG_DATA])
{
	if (strlen(text) != HEX)
		return -1;
	for (size_t i = 0; i < SETLOG_DATA; i++) {
		char two[3] = {text[2 * i], text[2 * i + 1], '\0'}, *end;

		d[i] = (uint8_t)strtoul(two, &end, 16);
		if (end != two + 2)
			return -1;
	}
	return 0;
}

static int
read_set(struct setlog *l, char *at, struct reason *why)
{
	struct setlog_set s = {.status = SETLOG_SILENT};
	bool ok = true;
	char *word;

	(void)next_number(&at, 10, INT64_MAX, &ok);
	if (read_end(l, &at, &s.node, &s.arrived, why))
		return -1;
	s.attr = (uint16_t)next_number(&at, 16, UINT16_MAX, &ok);
	s.mod = (uint32_t)next_number(&at, 16, UINT32_MAX, &ok);
	s.mkey = next_number(&at, 16, UINT64_MAX, &ok);
	if (at[0] == '-')
		(void)next_word(&at);
	else
		s.status = (int)next_number(&at, 16, UINT16_MAX, &ok);
	if (!ok)
		return reason_set(why, "no Set");
	word = next_word(&at);
	s.has_before = strcmp(word, "-") != 0;
	if ((s.has_before && read_bytes(word, s.before)) ||
		read_bytes(next_word(&at), s.data))
		return reason_set(why, "not 64 bytes");
	l->set = mem_grow(l->set, l->nsets, &l->set_cap, sizeof(s));
	l->set[l->nsets++] = s;
	return 0;
}

static int
read_line(struct setlog *l, char *line, struct reason *why)
{
	char *word = next_word(&line);

	if (strcmp(word, "node") == 0)
		return read_node(l, line, why);
	if (strcmp(word, "link") == 0)
		return read_link(l, line, why);
	if (strcmp(word, "set") == 0)
		return read_set(l, line, why);
	return reason_set(why, "none of node, link, set");
}

struct setlog *
setlog_read(FILE *in, struct reason *why)
{
	struct setlog *l = mem_zalloc(1, sizeof(*l));
	char line[MAX_LINE];
	struct reason part;

	for (unsigned n = 1; fgets(line, sizeof(line), in); n++) {
		if (read_line(l, line, &part) == 0)
			continue;
		reason_set(why, "line %u: %s", n, part.text);
		setlog_free(l);
		return NULL;
	}
	return l;
}

void
setlog_free(struct setlog *l)
{
	if (!l)
		return;
	for (size_t i = 0; i < l->nnodes; i++)
		free(l->node[i].port);
	map_free(&l->by_guid);
	free(l->node);
	free(l->set);
	free(l);
}

int64_t
setlog_find(const struct setlog *l, const char *name)
{
	for (size_t i = 0; i < l->nnodes; i++)
		if (strcmp(l->node[i].name, name) == 0)
			return (int64_t)i;
	return -1;
}
