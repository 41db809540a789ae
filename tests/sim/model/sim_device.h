/*
 * sim_device: what devices answer right after power-on.
 *
 * The values are those of a Quantum-2 switch and a ConnectX-7 adapter on NDR
 * links, as ibdiagnet read them in a real fabric (quantum2-ndr.ibdiagnet2.
 * db_csv; device_test compares). Fields that a subnet manager writes - LIDs,
 * keys, time-outs, thresholds, enforcement, the life times - are 0 here, the
 * least that a device may have: a manager that does not write one is noticed.
 * What a link adds (its width, its speed, its state) is sim_port's.
 */
#ifndef HEDDLE_TESTS_SIM_MODEL_SIM_DEVICE_H
#define HEDDLE_TESTS_SIM_MODEL_SIM_DEVICE_H

#include "sm/mad/mad.h"

/*
 * Kinds of ports. A base switch port 0 has no link at all: no state, no MTU, no
 * VLs, no speed. The enhanced one is not in the capture: it has those of a port
 * of the switch (IBA 18.2.4.4.1), and is always Active.
 */
enum sim_device_port {
	SIM_DEVICE_BASE_P0,
	SIM_DEVICE_ENHANCED_P0,
	SIM_DEVICE_SWITCH, /* an external port */
	SIM_DEVICE_CA,
	SIM_DEVICE_PORTS
};

/* PortInfo without a link; its speeds and widths are those of NDR. */
const struct mad_port_info *sim_device_port(enum sim_device_port kind);

/* SwitchInfo of a switch with base port 0. */
const struct mad_switch_info *sim_device_switch(void);

#endif
