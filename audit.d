audit.o: sm/audit/audit.c sm/audit/audit.h config/config.h config/diag.h \
  sm/base/arena.h sm/base/buf.h config/schema.h sm/base/reason.h \
  sm/base/clock.h sm/audit/audit_verdict.h sm/transport/transport.h \
  sm/mad/mad.h sm/mad/port_values.h sm/transport/xact.h \
  sm/transport/keyring.h discovery/builder/builder.h discovery/topo.h \
  discovery/sweep/sweep.h distribution/device/device_store.h \
  distribution/device/adaptive_cache.h distribution/device/sl2vl_cache.h \
  distribution/tables/pkey_table.h distribution/tables/vlarb.h \
  routing/core/slvl.h routing/core/lft.h \
  distribution/device/foreign_adaptive.h sm/base/map.h \
  distribution/device/lft_read.h routing/verify/verify.h \
  routing/core/verdict.h sm/audit/audit_json.h distribution/push/mft.h \
  distribution/tables/mft_cell.h routing/mcast/mcast.h \
  routing/core/routes.h sm/audit/sa_client.h sm/mad/mad_sa.h \
  sm/audit/vl_read.h sm/base/mem.h sm/policy/jobs.h \
  routing/core/engine.h routing/core/lid.h

sm/audit/audit.h:

config/config.h:

config/diag.h:

sm/base/arena.h:

sm/base/buf.h:

config/schema.h:

sm/base/reason.h:

sm/base/clock.h:

sm/audit/audit_verdict.h:

sm/transport/transport.h:

sm/mad/mad.h:

sm/mad/port_values.h:

sm/transport/xact.h:

sm/transport/keyring.h:

discovery/builder/builder.h:

discovery/topo.h:

discovery/sweep/sweep.h:

distribution/device/device_store.h:

distribution/device/adaptive_cache.h:

distribution/device/sl2vl_cache.h:

distribution/tables/pkey_table.h:

distribution/tables/vlarb.h:

routing/core/slvl.h:

routing/core/lft.h:

distribution/device/foreign_adaptive.h:

sm/base/map.h:

distribution/device/lft_read.h:

routing/verify/verify.h:

routing/core/verdict.h:

sm/audit/audit_json.h:

distribution/push/mft.h:

distribution/tables/mft_cell.h:

routing/mcast/mcast.h:

routing/core/routes.h:

sm/audit/sa_client.h:

sm/mad/mad_sa.h:

sm/audit/vl_read.h:

sm/base/mem.h:

sm/policy/jobs.h:

routing/core/engine.h:

routing/core/lid.h:
