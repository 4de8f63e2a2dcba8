// Every field of the custom resources, once: the schemas in charts/ and the decoders are both held against this table.
#pragma once

#include <string>
#include <vector>

#include "kubernetes/data/resources.h"

namespace lips::kubernetes {

struct ResourceField {
  DataKind kind;
  const char* path;   // [] after a list
  const char* type;   // text, integer, quantity, boolean, time, texts
  const char* value;  // JSON that is allowed
};

inline const std::vector<ResourceField>& resource_fields() {
  using enum DataKind;
  static const std::vector<ResourceField> fields = {
      {data_set, "spec.size", "quantity", "\"10Mi\""},
      {data_set, "spec.blocks", "integer", "10"},
      {data_set, "spec.blockSize", "quantity", "\"1Mi\""},
      {data_set, "spec.path", "text", "\"books\""},
      {data_set, "spec.files[].path", "text", "\"a.txt\""},
      {data_set, "spec.files[].size", "quantity", "12"},
      {data_set, "spec.files[].sha256", "text", "\"\""},
      {data_set, "spec.stores[].name", "text", "\"node-a\""},
      {data_set, "spec.stores[].blocks", "text", "\"0-3,7\""},
      {data_set, "spec.erasureCode.n", "integer", "9"},
      {data_set, "spec.erasureCode.k", "integer", "6"},
      {data_set, "spec.discover.listing.store", "text", "\"node-a\""},
      {data_set, "spec.discover.listing.path", "text", "\"in\""},
      {data_set, "spec.discover.listing.include", "text", "\"part-*\""},
      {data_set, "spec.discover.hdfs.url", "text", "\"http://n:9870\""},
      {data_set, "spec.discover.hdfs.user", "text", "\"hdfs\""},
      {data_set, "spec.discover.hdfs.path", "text", "\"/in\""},
      {data_set, "spec.discover.hdfs.hosts[].host", "text", "\"dn1\""},
      {data_set, "spec.discover.hdfs.hosts[].store", "text", "\"node-a\""},
      {data_set, "spec.discover.everySeconds", "integer", "60"},
      {data_set, "spec.readers[]", "texts", "\"team\""},
      {data_set, "status.observedGeneration", "integer", "2"},
      {data_set, "status.blocks", "integer", "10"},
      {data_set, "status.size", "integer", "1000"},
      {data_set, "status.files[].path", "text", "\"a.txt\""},
      {data_set, "status.files[].size", "quantity", "12"},
      {data_set, "status.files[].sha256", "text", "\"\""},
      {data_set, "status.discoveredAt", "time", "\"2026-01-31T12:00:00Z\""},
      {data_set, "status.zones", "text", "\"zone-a, zone-b\""},
      {data_set, "status.sizeText", "text", "\"1.0 GiB\""},
      {data_set, "status.replicas[].store", "text", "\"node-a\""},
      {data_set, "status.replicas[].blocks", "text", "\"0-9\""},
      {data_set, "status.replicas[].copies", "text", "\"1\""},
      {data_set, "status.replicas[].extra", "text", "\"1\""},
      {data_set, "status.replicas[].leaving", "text", "\"2\""},
      {data_store, "spec.zone", "text", "\"zone-a\""},
      {data_store, "spec.capacity", "quantity", "\"10Gi\""},
      {data_store, "spec.endpoint", "text", "\"http://files\""},
      {data_store, "spec.serve", "boolean", "false"},
      {data_store, "spec.allowedNamespaces[]", "texts", "\"team\""},
      {data_store, "spec.nodeDirectory.node", "text", "\"real-0\""},
      {data_store, "spec.nodeDirectory.path", "text", "\"/srv/data\""},
      {data_store, "spec.volume.claimName", "text", "\"claim\""},
      {data_store, "spec.volume.mountPath", "text", "\"/data\""},
      {data_store, "spec.bucket.name", "text", "\"bucket\""},
      {data_store, "spec.bucket.prefix", "text", "\"lips\""},
      {data_store, "spec.bucket.endpoint", "text", "\"http://s3\""},
      {data_store, "spec.bucket.region", "text", "\"us-east-1\""},
      {data_store, "spec.bucket.provider", "text", "\"AWS\""},
      {data_store, "spec.bucket.secretName", "text", "\"key\""},
      {data_store, "spec.bucket.scope", "text", "\"Regional\""},
      {data_store, "status.observedGeneration", "integer", "2"},
      {data_store, "status.used", "integer", "1000"},
      {data_store, "status.endpoint", "text", "\"http://10.0.0.1:8080\""},
      {data_store, "status.nodeUid", "text", "\"5e0b\""},
      {pool, "spec.weight", "quantity", "\"2500m\""},
      {pool, "spec.minimum", "quantity", "4"},
      {pool, "spec.maximum", "quantity", "8"},
      {pool, "spec.shortfallUsdPerCpuHour", "quantity", "\"0.05\""},
      {pool, "spec.namespaces[]", "texts", "\"etl\""},
      {pool, "spec.allowedNamespaces[]", "texts", "\"etl\""},
      {pool, "spec.parent", "text", "\"all\""},
      {pool, "spec.mode", "text", "\"steer\""},
      {pool, "spec.targets.budgetPerDay", "quantity", "\"500\""},
      {pool, "spec.targets.meanWait", "text", "\"10m\""},
      {pool, "spec.targets.completeBy", "text", "\"06:00\""},
      {pool, "status.observedGeneration", "integer", "2"},
      {pool, "status.cores", "text", "\"12.5\""},
      {pool, "status.share", "text", "\"31%\""},
      {pool, "status.running", "integer", "3"},
      {pool, "status.pending", "integer", "4"},
      {pool, "status.usdPerHour", "text", "\"1.25\""},
      {pool, "status.targets", "text", "\"held\""},
      {data_move, "spec.dataSet.namespace", "text", "\"default\""},
      {data_move, "spec.dataSet.name", "text", "\"books\""},
      {data_move, "spec.blocks", "text", "\"0-3\""},
      {data_move, "spec.from", "text", "\"node-a\""},
      {data_move, "spec.to", "text", "\"node-b\""},
      {data_move, "spec.dropSource", "boolean", "true"},
      {data_move, "spec.extra", "boolean", "true"},
      {data_move, "spec.cancel", "boolean", "true"},
      {data_move, "spec.attempts", "integer", "3"},
      {data_move, "spec.ttlSecondsAfterFinished", "integer", "60"},
      {data_move, "status.observedGeneration", "integer", "2"},
      {data_move, "status.phase", "text", "\"Copying\""},
      {data_move, "status.dataSetUid", "text", "\"u1\""},
      {data_move, "status.blocks", "text", "\"0-3\""},
      {data_move, "status.bytes", "integer", "1000"},
      {data_move, "status.attempt", "integer", "2"},
      {data_move, "status.nextTry", "time", "\"2026-01-31T12:00:00Z\""},
      {data_move, "status.started", "time", "\"2026-01-31T12:00:00Z\""},
      {data_move, "status.finished", "time", "\"2026-01-31T12:00:00Z\""},
      {data_move, "status.source", "text", "\"Leaving\""},
      {data_move, "status.dropAttempt", "integer", "1"},
      {data_move, "status.cleaned", "boolean", "true"},
      {data_move, "status.message", "text", "\"waits\""},
      {data_move, "status.sizeText", "text", "\"1.0 GiB\""},
      {data_move, "status.usd", "text", "\"0.02\""},
      {data_move, "status.paysBack", "text", "\"read once in zone-b\""},
  };
  return fields;
}

}  // namespace lips::kubernetes
