/*
 * packed_json: bytes as a member of JSON for a program that unpacks them
 * itself, as the page of fabric_report does: compressed, then in base64. The
 * forwarding tables of a large fabric are a tenth of their size that way, and a
 * browser needs no library for either step.
 *
 * Sources: RFC 1950 (zlib), which browsers call "deflate"; RFC 4648 (base64).
 */
#ifndef HEDDLE_SM_REPORT_PACKED_JSON_H
#define HEDDLE_SM_REPORT_PACKED_JSON_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

/* {"coding": "deflate", "bytes": n, "base64": ".."}: a new object. */
json_t *packed_json(const uint8_t *bytes, size_t n);

#endif
