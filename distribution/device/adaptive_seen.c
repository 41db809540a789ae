#include "distribution/device/adaptive_seen.h"

#include <stdio.h>

#include "sm/mad/mad_ar.h"

struct adaptive_seen
adaptive_seen_of(const struct device_store *h, uint64_t guid)
{
	const uint8_t *is =
		device_bytes(h, device_at_switch(guid, DEVICE_ADAPTIVE));

	return is == NULL ? (struct adaptive_seen){ADAPTIVE_UNREAD, 0, 0}
			  : (struct adaptive_seen){is[0], is[1], is[2]};
}

void
adaptive_seen_put(
	struct device_store *h, uint64_t guid, struct adaptive_seen seen)
{
	const uint8_t value[] = {
		(uint8_t)seen.state, (uint8_t)seen.on, (uint8_t)seen.kind};

	device_put(h, device_at_switch(guid, DEVICE_ADAPTIVE), value);
}

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
