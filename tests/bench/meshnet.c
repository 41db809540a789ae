#include "tests/bench/meshnet.h"

#include <stdlib.h>
#include <string.h>

#include "tests/topo/gen.h"

/* The numbers in a name; returns how many. */
static unsigned
read_numbers(const char *s, unsigned *out, unsigned most)
{
	static const char digits[] = "0123456789";
	unsigned n = 0;

	for (s += strcspn(s, digits); *s != '\0' && n < most;
		s += strcspn(s, digits)) {
		out[n++] = (unsigned)strtoul(s, NULL, 10);
		s += strspn(s, digits);
	}
	return n;
}

static bool
is_kind(const char *name, const char *kind)
{
	size_t n = strlen(kind);

	return strncmp(name, kind, n) == 0 && strchr("0123456789", name[n]);
}

struct fabric *
meshnet_make(const char *name, struct reason *why)
{
	unsigned a[8] = {0}, n = read_numbers(name, a, 8);

	if (is_kind(name, "torus"))
		return gen_grid(a, n, true, 1, why);
	if (is_kind(name, "mesh"))
		return gen_grid(a, n, false, 1, why);
	if (is_kind(name, "hyperx"))
		return gen_hyperx(a, n - 1, a[n - 1], why);
	if (is_kind(name, "dragonfly"))
		return gen_dragonfly(a[0], a[1], a[2], why);
	if (is_kind(name, "slimfly"))
		return gen_slimfly(a[0], a[1], why);
	if (is_kind(name, "petersen"))
		return gen_petersen(a[0], a[1], a[2], why);
	if (is_kind(name, "random"))
		return gen_random(a[0], a[1], a[2], 1, why);
	(void)reason_set(why, "no such fabric");
	return NULL;
}
