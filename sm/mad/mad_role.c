#include "sm/mad/mad_role.h"

#include <string.h>

#include "sm/base/be.h"

static const char *const names[] = {
	[MAD_ROLE_NONE] = "none",
	[MAD_ROLE_LEAF] = "leaf",
	[MAD_ROLE_ROOT] = "root",
	[MAD_ROLE_INTERMEDIATE] = "intermediate",
	[MAD_ROLE_LEAF_ROOT] = "leaf-root",
	[MAD_ROLE_MANAGEMENT] = "management",
	[MAD_ROLE_VIRTUAL] = "virtual",
};

enum { NROLES = sizeof(names) / sizeof(names[0]) };

int
mad_role_decode(
	const uint8_t d[MAD_DATA], struct mad_role *out, struct reason *why)
{
	memset(out, 0, sizeof(*out));
	if (be_get32(d) != MAD_ROLE_SIGNATURE)
		return reason_set(why,
			"SwitchRole: signature 0x%08x: another use of the "
			"attribute",
			be_get32(d));
	if (d[4] == 0)
		return reason_set(why, "SwitchRole: version 0");
	out->version = d[4];
	out->role =
		d[5] < NROLES || d[5] == MAD_ROLE_IGNORE ? d[5] : MAD_ROLE_NONE;
	out->level = d[6];
	out->flags = d[7];
	out->generation = be_get32(d + 8);
	out->tree = be_get16(d + 12);
	out->plane = d[14];
	out->pod = be_get32(d + 16);
	out->index = be_get32(d + 20);
	out->owner = be_get64(d + 24);
	for (size_t w = 0; w < 4; w++)
		out->up[w] = be_get64(d + 56 - w * 8);
	if ((out->flags & MAD_ROLE_UP_VALID) != 0 && (out->up[0] & 1) != 0)
		return reason_set(
			why, "SwitchRole: port 0 among the upward ports");
	return 0;
}

void
mad_role_encode(const struct mad_role *in, uint8_t d[MAD_DATA])
{
	memset(d, 0, MAD_DATA);
	be_put32(d, MAD_ROLE_SIGNATURE);
	d[4] = in->version;
	d[5] = in->role;
	d[6] = in->level;
	d[7] = in->flags;
	be_put32(d + 8, in->generation);
	be_put16(d + 12, in->tree);
	d[14] = in->plane;
	be_put32(d + 16, in->pod);
	be_put32(d + 20, in->index);
	be_put64(d + 24, in->owner);
	for (size_t w = 0; w < 4; w++)
		be_put64(d + 56 - w * 8, in->up[w]);
}

const char *
mad_role_name(uint8_t role)
{
	if (role == MAD_ROLE_IGNORE)
		return "ignore";
	return role < NROLES ? names[role] : "unknown";
}
