/*
 * config: the configuration as a value.
 *
 * One YAML file, with drop-ins on top of it, becomes one immutable struct
 * config in its own arena, or a list of mistakes. A reload makes a second one,
 * compares, and either swaps or keeps the first; nothing ever edits a
 * configuration that is in use. The tables of all options are in
 * config/option_table.c; this file walks them: to read, to print every key
 * canonically (a fixpoint: the print of what is read from a print is the same
 * text), to list what changed and what that asks for, and to write the option
 * list of heddle.yaml(5) and the JSON Schema.
 *
 * Folder config: YAML text -> tree -> values by the tables of options -> one
 * struct config; import/ makes YAML of OpenSM's files. Callers:
 * sm/daemon_config.c and sm/config_check.c load it; sm/policy and sm/core read
 * its fields. Read next: config/option_table.h for a new option,
 * config/schema.h for how rows work.
 */
#ifndef HEDDLE_CONFIG_CONFIG_H
#define HEDDLE_CONFIG_CONFIG_H

#include <stddef.h>
#include <stdint.h>

#include "config/diag.h"
#include "config/origin.h"
#include "config/schema.h"
#include "sm/base/arena.h"
#include "sm/base/buf.h"
#include "sm/base/clock.h"
#include "sm/base/reason.h"

struct config_lmc {
	uint32_t hosts;	   /* ports of channel adapters */
	uint32_t switches; /* enhanced port 0 */
	uint32_t routers;
	uint32_t aggregation; /* aggregation nodes' ports */
};

struct config_lids {
	uint32_t first;
	uint32_t last; /* first <= last */
};

/* fabric.names */
enum config_names { CONFIG_NAMES_PINNED, CONFIG_NAMES_TRUSTED };

struct config_fabric {
	const char *port; /* "auto", "DEVICE/PORT" or "0x<port GUID>" */
	uint64_t subnet_prefix;
	struct config_lmc lmc;
	struct schema_guid_ints lmc_override; /* port GUID -> LMC, sorted */
	struct config_lids lids;
	uint32_t priority;
	uint64_t m_key;
	struct schema_guids m_keys_known; /* further ones that ports may have */
	uint32_t m_key_protection;	  /* M_KeyProtectBits, with m_key */
	struct mono m_key_lease;	  /* 0: it never runs out */
	uint64_t sm_key;
	bool partition_enforcement; /* by switches, for hosts */
	uint32_t names;		    /* enum config_names */
	uint32_t accept_loss;	    /* ports */
	const char *expected; /* a file, see cabling_expected.h; or "none" */
};

/* Ports of one group replace each other (multi-port nodes). */
struct config_multi_port {
	struct schema_guid_ints groups; /* port GUID -> group, sorted */
	struct schema_guids passive;	/* idle while others are up, sorted */
};

/* Places in a tree, by switch GUID, name or pattern. */
struct config_roles {
	struct schema_names leaf, spine, root;
};

/* routing.foreign_adaptive */
enum config_adaptive { CONFIG_ADAPTIVE_OFF, CONFIG_ADAPTIVE_ALARM };

/* routing.adaptive.prefer */
enum config_prefer { CONFIG_PREFER_DEFAULT, CONFIG_PREFER_FLAT };

/* routing.adaptive.by: what tells packets that may choose from others */
enum config_adaptive_by { CONFIG_BY_SL, CONFIG_BY_LID };

/* Adaptive routing of our own. */
struct config_adaptive_use {
	bool enabled;
	uint32_t by;		       /* enum config_adaptive_by */
	uint32_t prefer;	       /* enum config_prefer */
	uint32_t ageing_us;	       /* 0: every packet chooses */
	uint32_t sls;		       /* SL n is bit n */
	struct schema_devices escapes; /* of kind ROUTE_ESCAPES, see
					  routing/core/route_sets.h */
};

struct config_routing {
	struct schema_names engines; /* in order of preference */
	uint32_t load_limit;	     /* per mille, at least 1000 */
	uint32_t threads;	     /* 0: by cores (jobs_threads) */
	uint32_t foreign_adaptive;   /* enum config_adaptive */
	struct config_adaptive_use adaptive;
	struct config_multi_port multi_port;
	struct config_roles roles;
};

struct config_discovery {
	struct schema_devices role_attribute; /* devices asked for their role */
};

enum { CONFIG_METHOD_DYNAMIC = 4 };

struct config_distribution {
	uint32_t method; /* enum transition_method_kind; CONFIG_METHOD_DYNAMIC
			    is its unsafe one */
	bool allow_unsafe;
	uint32_t max_stages;
	struct mono drain;
	bool strict_drain;
	struct mono block_limit;
};

struct config_sweep {
	struct mono interval; /* 0: no periodic light sweep */
	struct mono hold_down;
};

/* health.action */
enum config_health_action {
	CONFIG_HEALTH_NONE,
	CONFIG_HEALTH_TELL,
	CONFIG_HEALTH_DRAIN,
};

struct config_health {
	bool enabled;
	struct mono interval;
	uint32_t ber_limit;	 /* 10^-ber_limit errors per bit */
	uint32_t raw_ber_limit;	 /* the same before correction; 0: none */
	uint32_t flap_limit;	 /* in ten minutes; 0: none */
	uint32_t recovery_limit; /* in an hour; 0: none */
	uint32_t action;	 /* enum config_health_action */
	struct mono quiet_time, quiet_time_max;
	bool port_metrics;
};

struct config_smp {
	struct mono timeout;
	uint32_t retries;
	uint32_t window_max;
	uint32_t target_max;
	bool lid_routed;
};

struct config_standby {
	struct mono poll_interval;
	uint32_t missed_polls;
	struct mono refresh;
};

struct config_link {
	uint32_t subnet_timeout;
	uint32_t packet_lifetime;
	uint32_t hoq_lifetime;
	uint32_t leaf_hoq_lifetime;
	uint32_t vl_stall_count;
	uint32_t phy_errors_threshold, overrun_errors_threshold;
	uint32_t max_vls; /* 1, 2, 4, 8 or 15 */
};

/* Routers that lead to a subnet: a record of sa.prefix_routes. */
struct config_prefix_route {
	uint64_t prefix; /* of its GIDs; 0: all that no other record names */
	struct schema_guids routers; /* port GUIDs, sorted, at least one */
};

struct config_sa {
	uint64_t key;
	struct schema_records prefix_routes; /* struct config_prefix_route */
	uint32_t requests_per_second;	     /* of one port; 0: any number */
	uint32_t request_burst;
	uint32_t services_per_port;
	uint32_t subscriptions_per_port;
	uint32_t groups_per_port;
	uint32_t table_mib;
};

/* Classes of ports; weights and limits may differ between them. */
enum config_qos_class { QOS_HOSTS, QOS_SWITCHES, QOS_PORT0, QOS_ROUTERS };
enum { QOS_CLASSES = QOS_ROUTERS + 1 };

struct config_qos {
	struct schema_records levels; /* of struct qos_level_options */
	struct schema_records rules;  /* of struct qos_rule_options */
	uint32_t high_limit[QOS_CLASSES];
	uint32_t shortage;   /* enum qos_shortage */
	uint32_t unknown_sl; /* enum qos_unknown */
};

struct config_state {
	const char *dir;
	uint32_t events_size; /* MiB */
};

struct config_record {
	const char *dir; /* "": nothing is recorded */
	uint32_t size;	 /* MiB */
};

struct config_control {
	const char *socket;
};

struct config_log {
	uint32_t level; /* enum log_level */
};

/* Never changed once made. */
struct config {
	struct config_fabric fabric;
	struct config_routing routing;
	struct config_distribution distribution;
	struct config_discovery discovery;
	struct config_sweep sweep;
	struct config_health health;
	struct config_smp smp;
	struct config_standby standby;
	struct config_link link;
	struct config_sa sa;
	struct schema_records partitions; /* of struct partition_options */
	struct config_qos qos;
	struct config_state state;
	struct config_record record;
	struct config_control control;
	struct config_log log;
	/* The modules with options of their own (static, NULL-terminated; NULL:
	 * none), and the options of those that have any. */
	const struct schema_module *const *modules;
	struct schema_values *own;
	size_t nown;
	/* The files it was read from, none if there are none, and what of it
	 * comes from where: empty unless it was read from files. */
	const char *const *file;
	size_t nfiles;
	struct config_origins origins;
	struct arena *arena; /* holds all of it */
	unsigned refs;
};

/* One key that differs between two configurations. */
struct config_change {
	char *key; /* "sweep.interval" */
	enum schema_reload reload;
	bool secret;
	char *was; /* canonical texts, "(secret)" for secrets */
	char *is;
};

struct config_changes {
	struct config_change *item; /* in the order of the tables */
	size_t n;
	size_t of[SCHEMA_RELOADS]; /* how many of each enum schema_reload */
};

/* All defaults; drop with config_unref. */
struct config *config_default(const struct schema_module *const *modules);

/*
 * Read text (len bytes) that came from `file` (a name for messages). modules:
 * the routing engines there are, static, NULL-terminated; they have sections of
 * their own. NULL: none, and no name of one is judged. Returns the
 * configuration, or NULL and what is wrong in *d, which is made here in either
 * case and must be freed with diag_free.
 */
struct config *config_parse(const char *file, const char *text, size_t len,
	const struct schema_module *const *modules, struct diag_list *d);

/*
 * The same from a file and from the drop-ins beside it, FILE.d/NAME.yaml, which
 * replace its values key by key in the order of their names. An unreadable or
 * oversized one is a mistake, and so is one with keys that every user can read.
 * must_exist: so is it if there is no FILE.
 */
struct config *config_load(const char *file, bool must_exist,
	const struct schema_module *const *modules, struct diag_list *d);

/*
 * base with n settings "key=value" on top ("routing.load_limit=1.1"; the last
 * one of a key counts, see config/setting.h), judged like a file's. NULL and a
 * reason that names the key that is wrong.
 */
struct config *config_with(const struct config *base, const char *const *set,
	size_t n, struct reason *why);

/*
 * was, with what a refused reload does not keep as it was: the secrets of is,
 * which was need not have, and its options that take a restart. NULL and a
 * reason if was cannot be with these.
 */
struct config *config_keep(
	const struct config *was, const struct config *is, struct reason *why);

/*
 * c with every secret replaced by what mask appends for its canonical text.
 * NULL and a reason if a configuration cannot have these.
 */
typedef void config_masker(void *cookie, const char *secret, struct buf *out);
struct config *config_mask(const struct config *c, config_masker *mask,
	void *cookie, struct reason *why);

/* Another reference (NULL allowed), in any thread; returns c. */
struct config *config_ref(struct config *c);

/* Drop a reference; the last one frees. NULL is a no-op. */
void config_unref(struct config *c);

/* Append every key with its value as YAML. */
void config_print(const struct config *c, struct buf *out);

/*
 * The same without secret options: for users who may read the configuration,
 * but not its keys.
 */
void config_publish(const struct config *c, struct buf *out);

/* The same, with a comment for each secret that is not at its default. */
void config_show(const struct config *c, struct buf *out);

/* List what differs; free with config_changes_free. Both have the same
 * modules. */
void config_diff(const struct config *was, const struct config *is,
	struct config_changes *out);

void config_changes_free(struct config_changes *c);

/*
 * Append what the configuration alone says about LIDs: the range, what one
 * port of each class takes and what the overrides take together.
 */
void config_budget(const struct config *c, struct buf *out);

#endif
