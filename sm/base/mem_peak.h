/*
 * mem_peak: the most memory that a piece of work takes beyond what the process
 * had before, by the counters of the kernel (proc(5): VmRSS, VmHWM).
 */
#ifndef HEDDLE_SM_BASE_MEM_PEAK_H
#define HEDDLE_SM_BASE_MEM_PEAK_H

#include <stdint.h>

/* Give free memory back, and count from here; returns the bytes in use. One
 * piece of work at a time. */
uint64_t mem_peak_begin(void);

/* The most bytes in use since mem_peak_begin, which returned before, beyond
 * that; 0: the kernel does not tell. */
uint64_t mem_peak_end(uint64_t before);

#endif
