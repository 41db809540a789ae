/*
 * The file that the command `trace` writes: the fabric, then a line for every
 * Set, in the order in which the SMAs dealt with them.
 *
 *	node GUID ca|switch|router NPORTS NAME
 *	link GUID PORT GUID PORT
 *	set NANOSECONDS GUID PORT ATTR MODIFIER M_KEY STATUS BEFORE DATA
 *
 * PORT is that by which the Set arrived; STATUS is - if there was no answer,
 * BEFORE is - if a Get would not have shown a value. Numbers other than ports
 * and times are hexadecimal; BEFORE and DATA are 64 bytes.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "tests/sim/serve/serve_int.h"

static void
print_bytes(FILE *out, const uint8_t d[MAD_DATA])
{
	static const char digits[] = "0123456789abcdef";
	char text[2 * MAD_DATA];

	for (size_t i = 0; i < MAD_DATA; i++) {
		text[2 * i] = digits[d[i] >> 4];
		text[2 * i + 1] = digits[d[i] & 15];
	}
	(void)fwrite(text, 1, sizeof(text), out);
}

static void
trace_set(void *cookie, const struct sim_set *t)
{
	const struct serve *s = cookie;

	(void)fprintf(s->trace,
		"set %" PRId64 " %016" PRIx64 " %u %x %x %" PRIx64 " ",
		t->now.ns, s->f->node[t->node].guid, t->port, t->attr, t->mod,
		t->mkey);
	if (t->answered)
		(void)fprintf(s->trace, "%x ", t->status);
	else
		(void)fputs("- ", s->trace);
	if (t->has_before)
		print_bytes(s->trace, t->before);
	else
		(void)fputc('-', s->trace);
	(void)fputc(' ', s->trace);
	print_bytes(s->trace, t->data);
	(void)fputc('\n', s->trace);
}

static void
print_fabric(const struct fabric *f, FILE *out)
{
	static const char *const type[] = {"?", "ca", "switch", "router"};

	for (uint32_t i = 0; i < f->nnodes; i++) {
		const struct fabric_node *n = &f->node[i];

		(void)fprintf(out, "node %016" PRIx64 " %s %u %s\n", n->guid,
			type[n->type & 3], n->nports, n->name);
	}
	for (uint32_t i = 0; i < f->ncables; i++) {
		const struct fabric_cable *c = &f->cable[i];

		(void)fprintf(out, "link %016" PRIx64 " %u %016" PRIx64 " %u\n",
			f->node[c->node[0]].guid, c->port[0],
			f->node[c->node[1]].guid, c->port[1]);
	}
}

int
serve_trace_open(struct serve *s, const char *path, struct reason *why)
{
	if (serve_trace_close(s, why))
		return -1;
	s->trace = fopen(path, "we");
	if (!s->trace)
		return reason_set(why, "%s: %s", path, strerror(errno));
	print_fabric(s->f, s->trace);
	sim_trace(s->sim, trace_set, s);
	return 0;
}

int
serve_trace_close(struct serve *s, struct reason *why)
{
	bool lost;

	if (!s->trace)
		return 0;
	sim_trace(s->sim, NULL, NULL);
	lost = ferror(s->trace) != 0;
	lost |= fclose(s->trace) != 0;
	s->trace = NULL;
	return lost ? reason_set(why, "the trace is not complete: %s",
			      strerror(errno))
		    : 0;
}
