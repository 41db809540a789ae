/*
 * sl2vl_row: a row of SLtoVLMappingTable: the VL of each SL on the way from an
 * in-port to an out-port. VL 15 discards.
 *
 * IBA volume 1, 14.2.5.8; VL 15 in the table: 7.6.6.
 */
#ifndef HEDDLE_DISTRIBUTION_TABLES_SL2VL_ROW_H
#define HEDDLE_DISTRIBUTION_TABLES_SL2VL_ROW_H

#include <stdbool.h>
#include <stdint.h>

enum { SL2VL_ROW = 8 }; /* bytes: 16 SLs, SL 0 in the high nibble */

/* SL i on VL i for i < n, else on VL 0. */
void sl2vl_row_default(unsigned n, uint8_t row[SL2VL_ROW]);

/* Set these SLs, a bit each, to VL 15. */
void sl2vl_row_block(uint8_t row[SL2VL_ROW], uint16_t sls);

/* The SLs on VL 15, a bit each. */
uint16_t sl2vl_row_blocked(const uint8_t row[SL2VL_ROW]);

/* Take the VLs of another row, but for SLs that it has on VL 15. */
void sl2vl_row_take_open(uint8_t row[SL2VL_ROW], const uint8_t from[SL2VL_ROW]);

/* Whether all SLs are on VL 15. */
bool sl2vl_row_is_closed(const uint8_t row[SL2VL_ROW]);

#endif
