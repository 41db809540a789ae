/*
 * smpcount: counts the SMPs that any program sends through libibumad, from
 * outside, so that two subnet managers are counted alike.
 *
 * A preload library in front of libumad2sim.so: umad_send writes a MAD behind
 * its header with write(2). Requests of the subnet management classes are
 * counted by attribute; on exit the counts go to the file $SMPCOUNT_FILE, a
 * line "attribute get set" each. Not part of the product.
 */
#include <dlfcn.h>
#include <infiniband/umad.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { ATTRS = 256, METHOD_GET = 1, METHOD_SET = 2, MAD_SIZE = 256 };

static struct {
	_Atomic uint64_t sent[ATTRS][2];
	ssize_t (*next)(int, const void *, size_t);
	size_t header;
} count; /* NOLINT: a preload library has no main to hold it */

ssize_t write(int fd, const void *buf, size_t n);

static void
look_at(const uint8_t *mad)
{
	unsigned class = mad[1], method = mad[3];
	unsigned attr = (unsigned)mad[16] << 8 | mad[17];

	if (class != 0x01 && class != 0x81)
		return;
	if (method != METHOD_GET && method != METHOD_SET)
		return;
	if (attr < ATTRS)
		atomic_fetch_add_explicit(
			&count.sent[attr][method - 1], 1, memory_order_relaxed);
}

ssize_t
write(int fd, const void *buf, size_t n)
{
	/* The simulator's descriptors are beyond those of the kernel. */
	if (fd >= 1024 && count.header && n == count.header + MAD_SIZE)
		look_at((const uint8_t *)buf + count.header);
	return count.next(fd, buf, n);
}

__attribute__((constructor)) static void
find_next(void)
{
	size_t (*size)(void);

	*(void **)&count.next = dlsym(RTLD_NEXT, "write");
	*(void **)&size = dlsym(RTLD_DEFAULT, "umad_size");
	/* Other programs of the same command line have no libibumad. */
	count.header = size ? sizeof(struct ib_user_mad) : 0;
}

__attribute__((destructor)) static void
report(void)
{
	const char *file = getenv("SMPCOUNT_FILE");
	FILE *f;

	if (!file || !count.header)
		return;
	f = fopen(file, "w");
	if (!f)
		return;
	for (unsigned a = 0; a < ATTRS; a++)
		if (count.sent[a][0] || count.sent[a][1])
			fprintf(f, "0x%02x %lu %lu\n", a,
				(unsigned long)count.sent[a][0],
				(unsigned long)count.sent[a][1]);
	fclose(f);
}
