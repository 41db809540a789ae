/*
 * wire: the options of transactions, for the role and the configuration, and
 * what follows when an answer is late.
 */
#ifndef HEDDLE_SM_CORE_WIRE_H
#define HEDDLE_SM_CORE_WIRE_H

#include <stdbool.h>
#include <stdint.h>

struct sm;

/* Make the transactions, and look after answers that are late. */
void wire_new(struct sm *sm);
void wire_configure(struct sm *sm); /* for its role and configuration */

#endif
