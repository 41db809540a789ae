#include "sm/event/alarm_kind.h"

static const struct alarm_row rows[ALARM_KINDS] = {
	[ALARM_OWN_LINK] = {"own-link", true,
		"The port that the daemon uses has no link: the fabric is "
		"managed by a standby, or not at all.",
		"Look at the cable and at the switch of this host."},
	[ALARM_RUN] = {"run", true,
		"The last run failed, and the tables before it stay in force: "
		"what has changed since is not routed. It is tried again every "
		"10 seconds.",
		"heddlectl status has the reason; heddlectl plan --from live "
		"shows what would be written."},
	[ALARM_BLOCKED] = {"blocked", true,
		"A dependency that was blocked for a change is blocked for "
		"longer than distribution.block_limit, and packets are lost.",
		"The switch named in heddlectl status does not take its "
		"tables: drain it, or restart it."},
	[ALARM_TAKEN] = {"taken", true,
		"A subnet manager that is not known took the fabric from this "
		"daemon.",
		"Stop it if it should not run, else reload this daemon."},
	[ALARM_SM_KEY] = {"sm-key", false,
		"The master has another SM_Key: neither manager hands the "
		"fabric over to the other.",
		"Give both the same key: fabric.sm_key here, sm_key in "
		"opensm.conf."},
	[ALARM_MASTERS] = {"masters", true,
		"Another subnet manager is master as well.",
		"Stop the one that should not run."},
	[ALARM_DRIFT] = {"drift", true,
		"Something else modifies tables of switches and ports; it ends "
		"when nothing was modified for 15 minutes.",
		"heddlectl events --kind drift says what; heddlectl status "
		"names the other managers: stop them."},
	[ALARM_PORT] = {"port", true,
		"A port has acknowledged its state or its P_Keys several times "
		"and not kept them.",
		"Look at its firmware; restart its host or switch."},
	[ALARM_SETTINGS] = {"settings", false,
		"A port does not take a setting that traffic needs.",
		"Look at its firmware; restart its host or switch."},
	[ALARM_M_KEYS] = {"m-keys", false,
		"Ports have an M_Key that is not known, or nodes do not "
		"answer, "
		"perhaps because of one; or leases of M_Keys can run out.",
		"Add the key to fabric.m_keys_known, restart nodes that hang, "
		"or set fabric.m_key_lease longer."},
	[ALARM_ADAPTIVE] = {"adaptive", false,
		"Switches may not forward by the verified routes: adaptive "
		"routing, or the like, of another manager.",
		"Set routing.foreign_adaptive to off; where it is, switch it "
		"off at these switches."},
	[ALARM_MULTICAST] = {"multicast", false,
		"A switch does not hold its multicast table, or a group has no "
		"tree for want of a fitting SL.",
		"Restart the switch; or see heddlectl groups."},
	[ALARM_NAMES] = {"names", false,
		"The name of a node matches a member of a partition or of a "
		"QoS rule, and is not accepted yet.",
		"See heddlectl partitions; then heddlectl partitions accept."},
	[ALARM_P_KEYS] = {"p-keys", false,
		"The P_Key table of a port is too small for its partitions.",
		"Make the port a member of fewer partitions; heddlectl pkeys "
		"shows its table."},
	[ALARM_VLS] = {"vls", false,
		"Links have fewer VLs than the QoS levels and routing layers "
		"need.",
		"Configure fewer of them, or raise link.max_vls."},
	[ALARM_DRAINS] = {"drains", false,
		"Something that is drained carries traffic, being the only "
		"path there is.",
		"Do not pull it; see heddlectl drains."},
	[ALARM_NO_PORT] = {"no-port", true,
		"The port that the daemon shall use is not there: the fabric "
		"is managed by a standby, or not at all; the event is "
		"port-lost.",
		"heddlectl status has the error; look at the adapter and at "
		"its driver."},
	[ALARM_QUARANTINE] = {"quarantine", false,
		"A node does not answer or does not obey, and no paths of "
		"others lead through it; the event is quarantined.",
		"Restart the node, or take it out."},
	[ALARM_CONFIGURATION] = {"configuration", false,
		"The last reload was refused, and the previous configuration "
		"is in force; the event is reload-refused.",
		"heddled --check-config lists all mistakes."},
	[ALARM_CABLING] = {"cabling", false,
		"The fabric is not compared with the file of fabric.expected: "
		"it cannot be read, or is of another fabric.",
		"See heddlectl verify."},
	[ALARM_STATE] = {"state", false,
		"The state file cannot be written: after a restart LIDs may "
		"change.",
		"Look at the file system of state.dir."},
};

const struct alarm_row *
alarm_kind_row(enum alarm_kind kind)
{
	return &rows[kind];
}
