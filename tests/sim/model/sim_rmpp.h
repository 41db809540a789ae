/*
 * sim_rmpp: the RMPP header of messages, as the kernel of the sender writes it:
 * the sender's program sets the Active flag, the kernel the type, First and
 * Last, the segment and the length. A message travels as one piece here, so
 * that a receiver sees the header of its first segment, as behind a kernel
 * that has put the segments together.
 *
 * IBA volume 1, 13.6.2.1.
 */
#ifndef HEDDLE_TESTS_SIM_MODEL_SIM_RMPP_H
#define HEDDLE_TESTS_SIM_MODEL_SIM_RMPP_H

#include <stddef.h>
#include <stdint.h>

/* Bytes before the data of RMPP segments; 0: no RMPP in this class. */
size_t sim_rmpp_data(uint8_t mgmt_class);

/* Make the header of a message of len bytes that of its first segment. mad: its
 * first bytes, of a class with RMPP. */
void sim_rmpp_begin(uint8_t *mad, size_t len);

/* The length of the message of this first segment; 0: invalid. */
size_t sim_rmpp_length(const uint8_t *mad);

#endif
