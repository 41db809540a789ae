#include "sm/mad/mad.h"
#include "sm/mad/mad_role.h"

struct name {
	uint16_t value;
	const char *text;
};

static const struct name attrs[] = {
	{0x01, "ClassPortInfo"},
	{MAD_NOTICE, "Notice"},
	{0x03, "InformInfo"},
	{MAD_NODE_DESC, "NodeDescription"},
	{MAD_NODE_INFO, "NodeInfo"},
	{MAD_SWITCH_INFO, "SwitchInfo"},
	{MAD_GUID_INFO, "GUIDInfo"},
	{MAD_PORT_INFO, "PortInfo"},
	{MAD_PKEY_TABLE, "P_KeyTable"},
	{MAD_SL2VL, "SLtoVLMappingTable"},
	{MAD_VLARB, "VLArbitrationTable"},
	{MAD_LFT, "LinearForwardingTable"},
	{MAD_MFT, "MulticastForwardingTable"},
	{MAD_SM_INFO, "SMInfo"},
	{MAD_ROLE, "SwitchRole"},
};

static const struct name methods[] = {
	{MAD_GET, "Get"},
	{MAD_SET, "Set"},
	{MAD_TRAP, "Trap"},
	{0x06, "Report"},
	{MAD_TRAP_REPRESS, "TrapRepress"},
	{0x12, "GetTable"},
	{0x15, "Delete"},
	{MAD_GET_RESP, "GetResp"},
	{0x86, "ReportResp"},
	{0x92, "GetTableResp"},
	{0x95, "DeleteResp"},
};

/* Status code field, bits 4..2 (IBA 13.4.7). */
static const struct name codes[] = {
	{0, "success"},
	{MAD_STATUS_VERSION, "unsupported class version"},
	{MAD_STATUS_METHOD, "unsupported method"},
	{MAD_STATUS_METHOD_ATTR, "unsupported method and attribute"},
	{MAD_STATUS_FIELD, "invalid field"},
};

enum { CODE_MASK = 0x1c, REDIRECT = 0x02 };

static const char *
find_name(const struct name *list, size_t n, uint16_t value, const char *none)
{
	for (size_t i = 0; i < n; i++)
		if (list[i].value == value)
			return list[i].text;
	return none;
}

const char *
mad_attr_name(uint16_t attr)
{
	return find_name(attrs, sizeof(attrs) / sizeof(attrs[0]), attr,
		attr >= 0xff00 ? "vendor attribute" : "unknown attribute");
}

const char *
mad_method_name(uint8_t method)
{
	return find_name(methods, sizeof(methods) / sizeof(methods[0]), method,
		"unknown method");
}

const char *
mad_status_name(uint16_t status)
{
	status &= 0x7fff;
	if (status & MAD_STATUS_BUSY)
		return "busy";
	if (status & REDIRECT)
		return "redirected";
	if ((status & CODE_MASK) == 0 && status != 0)
		return "class-specific error";
	return find_name(codes, sizeof(codes) / sizeof(codes[0]),
		status & CODE_MASK, "reserved status");
}
