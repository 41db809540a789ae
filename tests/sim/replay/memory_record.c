#include "tests/sim/replay/memory_record.h"

#include <stdlib.h>
#include <string.h>

#include "sm/base/mem.h"

static void
keep_entry(void *cookie, const uint8_t *entry, size_t n)
{
	struct memory_record *m = cookie;
	uint32_t length = (uint32_t)n;

	while (m->cap - m->n < n + sizeof(length)) {
		m->cap = m->cap == 0 ? 1 << 16 : m->cap * 2;
		m->bytes = mem_resize(m->bytes, m->cap, 1);
	}
	memcpy(m->bytes + m->n, &length, sizeof(length));
	memcpy(m->bytes + m->n + sizeof(length), entry, n);
	m->n += sizeof(length) + n;
}

static int
next_entry(void *cookie, uint8_t **entry, size_t *n, struct reason *why)
{
	struct memory_record *m = cookie;
	uint32_t length;

	(void)why;
	if (m->at == m->n)
		return 0;
	memcpy(&length, m->bytes + m->at, sizeof(length));
	*entry = m->bytes + m->at + sizeof(length);
	*n = length;
	m->at += sizeof(length) + length;
	return 1;
}

void
memory_record_begin(struct memory_record *m, bool mask)
{
	static const struct record_mask none;
	struct record_mask random = record_mask_new();

	*m = (struct memory_record){0};
	m->tap = record_tap_new(mask ? &random : &none, keep_entry, m);
}

void
memory_record_free(struct memory_record *m)
{
	record_tap_free(m->tap);
	free(m->bytes);
}

int
memory_record_replay(struct memory_record *m,
	const struct replay_listener *listener, struct replay_report *out,
	struct reason *why)
{
	const struct replay_source source = {m, next_entry};
	const struct replay_listener nothing = {0};
	struct replay_report report;
	struct replay *r;
	int rc = 0;

	m->at = 0;
	r = replay_new(&source, listener != NULL ? listener : &nothing);
	replay_run(r, UINT64_MAX, &report);
	replay_free(r);
	if (report.end != REPLAY_SAME)
		rc = reason_set(why, "the replay differs: %s", report.why.text);
	else if (report.beyond > 0)
		rc = reason_set(why, "%llu messages were not recorded",
			(unsigned long long)report.beyond);
	buf_free(&report.why);
	if (out != NULL)
		*out = report;
	return rc;
}
