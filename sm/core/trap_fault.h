/*
 * trap_fault: traps that report a fault rather than a change: errors of a link
 * that reached their threshold (129 to 131), requests with a wrong M_Key
 * (256), packets with a wrong P_Key or Q_Key (257 to 259). They mark nothing
 * dirty and cause no request: the lease that a wrong M_Key sets running is
 * renewed in its turn (m_keys.c). Each is counted, and told by name within the
 * budget of its kind: any host can send them, or cause them. IBA volume
 * 1, 14.2.5.1.
 */
#ifndef HEDDLE_SM_CORE_TRAP_FAULT_H
#define HEDDLE_SM_CORE_TRAP_FAULT_H

#include <stdbool.h>
#include <stdint.h>

#include "sm/base/clock.h"
#include "sm/mad/mad.h"

struct sm;
struct mad_notice;

/* A trap about a fault, from a LID, is counted and, if it is to be told, an
 * event. */
void trap_fault_report(struct sm *sm, uint16_t lid, const struct mad_notice *n,
	const uint8_t data[MAD_DATA], bool told, struct mono now);

#endif
