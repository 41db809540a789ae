/*
 * What hosts register with subnet administration: services, alias GUIDs,
 * subscriptions.
 */
#ifndef HEDDLE_TESTS_UNIT_SM_SA_SA_REGISTRATIONS_FIXTURE_H
#define HEDDLE_TESTS_UNIT_SM_SA_SA_REGISTRATIONS_FIXTURE_H

#include "tests/unit/sm/sa/sa_fixture.h"

/* ---- services ---- */

enum { ID = 1, GID = 2, PKEY = 4, LEASE = 16, KEY = 32 };

struct service {
	uint8_t rec[MAD_SA_SERVICE];
};

static inline struct service
service_of(const struct host *o, uint64_t id, uint32_t lease)
{
	struct mad_gid gid = {PREFIX, o->guid};
	struct service s = {{0}};

	be_put64(s.rec, id);
	mad_sa_gid_encode(&gid, s.rec + 8);
	be_put16(s.rec + 24, 0xffff);
	be_put32(s.rec + 28, lease);
	memcpy(s.rec + 48, "storage", 7);
	return s;
}

static inline uint16_t
change_service(
	struct host *o, uint8_t method, const struct service *s, uint64_t mask)
{
	const struct ask a = {
		.mask = mask, .rec = s->rec, .len = sizeof(s->rec)};

	return host_ask(o, method, MAD_SA_SERVICE_REC, &a);
}

static inline size_t
count_services(struct host *o)
{
	const struct ask a = {0};

	ck_assert_uint_eq(
		host_ask(o, MAD_SA_GET_TABLE, MAD_SA_SERVICE_REC, &a), 0);
	return host_records(o, MAD_SA_SERVICE);
}

/* ---- alias GUIDs ---- */

enum { LID = 1, BLOCK = 2, GUID0 = 16, GUID1 = 32, GUID2 = 64 };

static inline uint16_t
change_aliases(struct host *o, uint8_t method, uint64_t mask, uint16_t lid,
	const uint64_t g[8])
{
	uint8_t rec[72] = {0};
	const struct ask a = {.mask = mask, .rec = rec, .len = sizeof(rec)};

	be_put16(rec, lid);
	for (int i = 0; i < 8 && g != NULL; i++)
		be_put64(rec + 8 + 8 * i, g[i]);
	return host_ask(o, method, MAD_SA_GUID, &a);
}

static inline size_t
count_subscriptions(struct host *o)
{
	const struct ask a = {0};

	ck_assert_uint_eq(
		host_ask(o, MAD_SA_GET_TABLE, MAD_SA_INFORM_REC, &a), 0);
	return host_records(o, 60);
}

static inline unsigned
trap_of(const uint8_t *notice)
{
	return be_get16(notice + 4);
}

/* The number of reports received about this trap. */
static inline unsigned
count_reports(const struct host *o, unsigned trap)
{
	unsigned n = 0;

	for (unsigned i = 0; i < o->reports && i < 64; i++)
		n += trap_of(o->notices[i]) == trap;
	return n;
}

#endif
