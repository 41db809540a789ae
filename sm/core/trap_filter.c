#include "sm/core/trap_filter.h"

#include <stdlib.h>

#include "sm/base/hash.h"
#include "sm/base/map.h"
#include "sm/base/mem.h"

enum {
	BURST = 16,	     /* tokens that a source may have */
	REPEAT_MS = 1000,    /* the same notice within this is a repetition */
	EARN_MS = 250,	     /* a source earns a token in this time */
	MAX_SOURCES = 65536, /* LIDs */
};

struct source {
	struct mono last;   /* of the last trap acted on */
	struct mono earned; /* when tokens were last added */
	uint64_t print;	    /* fingerprint of that trap */
	unsigned tokens;
};

struct trap_filter {
	struct map by_lid;
	struct source *src;
	size_t n, cap;
};

struct trap_filter *
trap_filter_new(void)
{
	return mem_zalloc(1, sizeof(struct trap_filter));
}

void
trap_filter_free(struct trap_filter *t)
{
	if (t == NULL)
		return;
	map_free(&t->by_lid);
	free(t->src);
	free(t);
}

/* FNV-1a of the notice and its TID: repetitions carry both unchanged. */
static uint64_t
trap_print(const struct smp *s)
{
	return fnv_more(FNV_START ^ s->tid, s->data, sizeof(s->data));
}

static struct source *
source_of(struct trap_filter *t, uint16_t lid, struct mono now)
{
	uint32_t i;

	if (map_get(&t->by_lid, lid, &i))
		return &t->src[i];
	t->src = mem_grow(t->src, t->n, &t->cap, sizeof(*t->src));
	t->src[t->n] = (struct source){.tokens = BURST, .earned = now};
	map_put(&t->by_lid, lid, (uint32_t)t->n);
	return &t->src[t->n++];
}

static void
earn_tokens(struct source *s, struct mono now)
{
	int64_t n = mono_sub(now, s->earned).ns / mono_ms(EARN_MS).ns;

	if (n <= 0)
		return;
	s->tokens = n >= BURST - (int64_t)s->tokens ? BURST
						    : s->tokens + (unsigned)n;
	s->earned = now;
}

enum trap_verdict
trap_filter_judge(struct trap_filter *t, uint16_t lid, const struct smp *s,
	const struct mad_notice *n, struct mono now)
{
	struct source *src = source_of(t, lid, now);
	uint64_t print = trap_print(s) ^ n->trap;
	bool seen = src->print == print && src->last.ns != 0;

	if (seen && mono_before(now, mono_add(src->last, mono_ms(REPEAT_MS))))
		return TRAP_REPEAT;
	earn_tokens(src, now);
	if (src->tokens == 0)
		return TRAP_FLOOD;
	src->tokens--;
	src->print = print;
	src->last = now;
	return seen ? TRAP_AGAIN : TRAP_ACT;
}

void
trap_filter_repress(const struct transport_msg *m, const struct smp *s,
	uint64_t key, struct transport_msg *out)
{
	struct smp r = *s;

	r.method = MAD_TRAP_REPRESS;
	r.mkey = key;
	r.status = 0;
	r.response = false;
	*out = *m;
	out->error = 0;
	out->len = MAD_SIZE;
	smp_encode(&r, out->mad);
}
