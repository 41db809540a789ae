/*
 * tally: numbers that tests add up over the processes in which libcheck runs
 * them, printed when all are done.
 */
#ifndef HEDDLE_TESTS_UNIT_TALLY_H
#define HEDDLE_TESTS_UNIT_TALLY_H

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

/* Zeroed memory, shared with processes forked later, until this one ends. */
static inline void *
tally_new(size_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED) {
		perror("tally");
		exit(EXIT_FAILURE);
	}
	return p;
}

#endif
