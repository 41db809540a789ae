auditor.o: sm/audit/auditor.c sm/audit/auditor.h config/config.h \
  config/diag.h sm/base/arena.h sm/base/buf.h config/schema.h \
  sm/base/reason.h sm/base/clock.h sm/audit/audit.h \
  sm/audit/audit_verdict.h sm/transport/transport.h sm/mad/mad.h \
  sm/mad/port_values.h sm/transport/xact.h sm/transport/keyring.h \
  sm/audit/audit_json.h discovery/builder/builder.h discovery/topo.h \
  distribution/device/adaptive_cache.h distribution/push/mft.h \
  distribution/tables/mft_cell.h routing/mcast/mcast.h \
  routing/core/routes.h routing/core/lft.h routing/core/verdict.h \
  sm/audit/sa_client.h sm/mad/mad_sa.h sm/audit/vl_read.h \
  sm/audit/audit_page.h sm/base/log.h sm/base/loop.h sm/transport/umad.h

sm/audit/auditor.h:

config/config.h:

config/diag.h:

sm/base/arena.h:

sm/base/buf.h:

config/schema.h:

sm/base/reason.h:

sm/base/clock.h:

sm/audit/audit.h:

sm/audit/audit_verdict.h:

sm/transport/transport.h:

sm/mad/mad.h:

sm/mad/port_values.h:

sm/transport/xact.h:

sm/transport/keyring.h:

sm/audit/audit_json.h:

discovery/builder/builder.h:

discovery/topo.h:

distribution/device/adaptive_cache.h:

distribution/push/mft.h:

distribution/tables/mft_cell.h:

routing/mcast/mcast.h:

routing/core/routes.h:

routing/core/lft.h:

routing/core/verdict.h:

sm/audit/sa_client.h:

sm/mad/mad_sa.h:

sm/audit/vl_read.h:

sm/audit/audit_page.h:

sm/base/log.h:

sm/base/loop.h:

sm/transport/umad.h:
