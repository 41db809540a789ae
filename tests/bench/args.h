/* args: numeric arguments of the measurements. */
#ifndef HEDDLE_TESTS_BENCH_ARGS_H
#define HEDDLE_TESTS_BENCH_ARGS_H

#include <stdint.h>
#include <stdlib.h>

/* The number in s; NULL: the default. */
static inline uint32_t
args_said(const char *s, uint32_t otherwise)
{
	return s != NULL ? (uint32_t)strtoul(s, NULL, 10) : otherwise;
}

/* The argument at a place, or the default. */
static inline uint32_t
args_number(int argc, char **argv, int place, uint32_t otherwise)
{
	return args_said(argc > place ? argv[place] : NULL, otherwise);
}

#endif
