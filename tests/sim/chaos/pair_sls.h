/* pair_sls: the SLs that two ports are given, by a view, for the judges. */
#ifndef HEDDLE_TESTS_SIM_CHAOS_PAIR_SLS_H
#define HEDDLE_TESTS_SIM_CHAOS_PAIR_SLS_H

#include <stdint.h>

#include "sm/view/view.h"

/* A bit each, of all QoS levels; 0: one of them is unknown. */
uint16_t pair_sls_guids(const struct view *v, uint64_t from, uint64_t to);
uint16_t pair_sls_lids(const struct view *v, uint16_t from, uint16_t to);

#endif
