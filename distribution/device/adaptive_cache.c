#include "distribution/device/adaptive_cache.h"

#include <stdio.h>
#include <stdlib.h>

#include "sm/base/map.h"
#include "sm/base/mem.h"
#include "sm/mad/mad_ar.h"

enum { STATE_BITS = 8, STATE_MASK = 0xff };

struct adaptive_cache {
	struct map by_guid; /* state, and above it what is on */
	uint32_t changes;
};

struct adaptive_cache *
adaptive_cache_new(void)
{
	return mem_zalloc(1, sizeof(struct adaptive_cache));
}

void
adaptive_cache_free(struct adaptive_cache *c)
{
	if (c == NULL)
		return;
	map_free(&c->by_guid);
	free(c);
}

struct adaptive_seen
adaptive_cache_get(const struct adaptive_cache *c, uint64_t guid)
{
	uint32_t v = ADAPTIVE_UNREAD;

	(void)map_get(&c->by_guid, guid, &v);
	return (struct adaptive_seen){
		(enum adaptive_state)(v & STATE_MASK), v >> STATE_BITS};
}

void
adaptive_cache_put(
	struct adaptive_cache *c, uint64_t guid, struct adaptive_seen seen)
{
	struct adaptive_seen was = adaptive_cache_get(c, guid);

	if ((adaptive_is_on(was) || adaptive_is_on(seen)) &&
		(was.state != seen.state || was.on != seen.on))
		c->changes++;
	map_put(&c->by_guid, guid,
		(uint32_t)seen.state | seen.on << STATE_BITS);
}

void
adaptive_cache_forget(struct adaptive_cache *c, uint64_t guid)
{
	if (adaptive_is_on(adaptive_cache_get(c, guid)))
		c->changes++;
	(void)map_del(&c->by_guid, guid);
}

void
adaptive_cache_forget_all(struct adaptive_cache *c)
{
	map_free(&c->by_guid);
	c->by_guid = (struct map){0};
	c->changes++;
}

uint32_t
adaptive_cache_changes(const struct adaptive_cache *c)
{
	return c->changes;
}

/* ---- in words ---- */

void
adaptive_on_text(unsigned on, char *out, size_t size)
{
	static const struct {
		unsigned bit;
		const char *name;
	} all[] = {
		{MAD_AR_ON_GROUPS, "adaptive routing"},
		{MAD_AR_ON_HASH, "hash-based forwarding"},
		{MAD_AR_ON_RECOVERY, "fast recovery"},
		{MAD_AR_ON_PLFT, "private LFTs"},
	};
	size_t n = 0;

	out[0] = '\0';
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if ((on & all[i].bit) != 0 && n < size)
			n += (size_t)snprintf(out + n, size - n, "%s%s",
				n > 0 ? ", " : "", all[i].name);
}

void
adaptive_seen_text(struct adaptive_seen s, char *out, size_t size)
{
	static const char *const words[] = {
		[ADAPTIVE_UNREAD] = "was not asked about",
		[ADAPTIVE_OFF] = "does not use",
		[ADAPTIVE_LEFT] = "uses",
		[ADAPTIVE_UNTOLD] = "does not say whether it uses",
		[ADAPTIVE_SILENT] = "does not answer the Set to switch off",
		[ADAPTIVE_REFUSED] = "refuses to switch off",
		[ADAPTIVE_KEPT] =
			"acknowledges the Set to switch off, and keeps,",
	};
	char what[96];

	adaptive_on_text(
		s.on != 0 ? s.on : MAD_AR_ON_GROUPS, what, sizeof(what));
	(void)snprintf(out, size, "%s %s", words[s.state], what);
}
