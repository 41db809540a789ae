/*
 * mad_ar: adaptive routing of NVIDIA's switches, "Rev1".
 *
 * A switch that reports it in GeneralInfo (mad_vendor.h) keeps groups of ports,
 * each of one or more sub-groups: the primary one, and a secondary one for when
 * the primary is congested. A second forwarding table gives each LID a state, a
 * group and the deterministic port, for packets that must stay in order.
 *
 *   ARInfo       the capabilities of the switch, and whether they are enabled
 *   ARGroupTable a group: sub-groups 0 and 1 as masks of 256 ports
 *   ARLFT        16 LIDs a block: state, default port, group
 *   PrivateLFTInfo  forwarding tables by in-port and SL, in place of the one
 *
 * While one of these is on, the standard forwarding table (LFT) alone does not
 * decide where a packet leaves. Which of them are on is read from, and cleared
 * in, the bytes that the switch answered: whatever else the attribute has goes
 * back as it came, members that are not decoded here included.
 *
 * The layouts are not in a public specification; they were gathered from open
 * sources that agree with each other. The one thing that no open source states,
 * the order of bits in a mask, is kept in one pair of functions
 * (mad_ar_group_*).
 */
#ifndef HEDDLE_SM_MAD_MAD_AR_H
#define HEDDLE_SM_MAD_MAD_AR_H

#include <stdbool.h>
#include <stdint.h>

#include "sm/base/reason.h"
#include "sm/mad/mad.h"

enum {
	MAD_AR_PLFT_INFO = 0xff10,
	MAD_AR_INFO = 0xff20,
	MAD_AR_GROUP = 0xff21,
	MAD_AR_LFT = 0xff23,
};

enum {
	MAD_AR_ENTRIES = 16,	/* LIDs in a block of ARLFT */
	MAD_AR_GROUPS = 0x1000, /* group numbers have 12 bits */
	MAD_AR_SUB_GROUPS = 2,	/* in a block of ARGroupTable */
};

struct mad_ar_info {
	bool enabled; /* RW: E */
	bool arn_sup, frn_sup, fr_sup, fr_enabled, rn_xmit, trial_sup;
	bool no_fallback, is4_mode;
	bool global_groups; /* one group table for all private LFTs */
	bool by_sl_cap, by_sl_enabled, by_transport_cap, dyn_cap_calc;
	uint8_t directions;	     /* DirectionNumSup */
	uint8_t group_copy;	     /* 4 bits */
	uint8_t sub_groups_active;   /* RW, 4 bits */
	uint8_t string_width_cap;    /* 4 bits */
	uint8_t group_table_cap;     /* 4 bits */
	uint16_t group_top;	     /* RW: the highest group in use */
	uint16_t group_cap;	     /* RO: number of groups; 0: no AR */
	uint16_t sl_mask;	     /* RW: SL n is bit n, if by_sl_enabled */
	uint8_t sub_groups_sup;	     /* RO */
	uint8_t rn_version, version; /* 4 bits each */
	uint8_t transport_disable;   /* 1 UD, 2 RC, 4 UC, 8 DC */
	uint32_t ageing_us;	     /* RW */
	uint8_t hash_caps, hash_enabled; /* hashed forwarding, as on the wire */
};

/* -1: the switch has groups, and GroupTop is none of them. */
int mad_ar_info_decode(
	const uint8_t d[MAD_DATA], struct mad_ar_info *out, struct reason *why);
void mad_ar_info_encode(const struct mad_ar_info *in, uint8_t d[MAD_DATA]);

/* What forwards beside the LFT, or in its place: bits. */
enum mad_ar_on {
	MAD_AR_ON_GROUPS = 1,	/* adaptive routing over groups of ports */
	MAD_AR_ON_RECOVERY = 2, /* fast recovery: around ports that are down */
	MAD_AR_ON_HASH = 4,	/* hash-based forwarding */
	MAD_AR_ON_PLFT = 8,	/* private LFTs */
};

/* What is on by an answered ARInfo; the same with all of it off, for a Set. */
unsigned mad_ar_info_on(const uint8_t d[MAD_DATA]);
void mad_ar_info_off(uint8_t d[MAD_DATA]);

/* The same of PrivateLFTInfo. */
unsigned mad_ar_plft_on(const uint8_t d[MAD_DATA]);
void mad_ar_plft_off(uint8_t d[MAD_DATA]);

/* Ports of sub-groups 0 and 1: port n is bit n % 64 of word n / 64. */
struct mad_ar_group {
	uint64_t port[MAD_AR_SUB_GROUPS][4];
};

void mad_ar_group_decode(const uint8_t d[MAD_DATA], struct mad_ar_group *out);
void mad_ar_group_encode(const struct mad_ar_group *in, uint8_t d[MAD_DATA]);

/* Attribute modifier of a group's sub-groups 0 and 1. */
static inline uint32_t
mad_ar_group_mod(uint16_t group, uint8_t table, uint8_t plft)
{
	return (uint32_t)plft << 24 | (uint32_t)(table & 15) << 16 |
	       (group & 0xfffU);
}

enum mad_ar_state {
	MAD_AR_BOUNDED, /* group, but a flow keeps its port */
	MAD_AR_FREE,	/* any port of the group, packet by packet */
	MAD_AR_STATIC,	/* the default port */
	MAD_AR_HASHED,
};

struct mad_ar_entry {
	uint8_t state;	/* enum mad_ar_state */
	uint8_t table;	/* 4 bits */
	uint8_t port;	/* the default port, as in the LFT */
	uint16_t group; /* 12 bits; higher bits are cut off */
};

void mad_ar_lft_decode(
	const uint8_t d[MAD_DATA], struct mad_ar_entry out[MAD_AR_ENTRIES]);
void mad_ar_lft_encode(
	const struct mad_ar_entry in[MAD_AR_ENTRIES], uint8_t d[MAD_DATA]);

/* Attribute modifier of the block that holds a LID. */
static inline uint32_t
mad_ar_lft_mod(uint16_t lid, uint8_t plft)
{
	return (uint32_t)plft << 24 | lid / MAD_AR_ENTRIES;
}

#endif
