/* args: numbers that measurements are told. */
#ifndef HEDDLE_TESTS_BENCH_ARGS_H
#define HEDDLE_TESTS_BENCH_ARGS_H

#include <stdint.h>
#include <stdlib.h>

/* What s says; NULL: what is meant otherwise. */
static inline uint32_t
args_said(const char *s, uint32_t otherwise)
{
	return s != NULL ? (uint32_t)strtoul(s, NULL, 10) : otherwise;
}

/* The argument of that place. */
static inline uint32_t
args_number(int argc, char **argv, int place, uint32_t otherwise)
{
	return args_said(argc > place ? argv[place] : NULL, otherwise);
}

#endif
