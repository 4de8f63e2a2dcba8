// DataStore, Pool and DataMove; a DataSet has a file of its own.
#include "kubernetes/data/resource_codec.h"

#include <simdjson.h>

#include "config/quantities.h"
#include "config/ranges.h"
#include "kubernetes/data/object_reader.h"

namespace lips::kubernetes {
namespace {

using json::ObjectReader;
using simdjson::ondemand::value;

constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t most_seconds = 1'000'000'000;

template <class Resource, class Read>
Result<Resource> decoded(DataKind kind, std::string_view json, Read read) {
  json::PaddedText<simdjson::ondemand::parser> text;
  const auto document = [&]() -> simdjson::ondemand::document {
    return text.document(json, simdjson::SIMDJSON_PADDING);
  };
  return json::decoded<Resource, decltype(document), simdjson::simdjson_error>(kind, document, read);
}

// ---- DataStore ----

void read_node_directory(ObjectReader& reader, value json, DataStoreSpec& spec) {
  spec.kind = StoreKind::node_directory;
  reader.fields(json, [&](std::string_view key, value content) {
    if (key == "node") spec.node = reader.text(content);
    if (key == "path") spec.path = reader.text(content);
  });
}

void read_volume(ObjectReader& reader, value json, DataStoreSpec& spec) {
  spec.kind = StoreKind::zonal_volume;
  reader.fields(json, [&](std::string_view key, value content) {
    if (key == "claimName") spec.claim = reader.text(content);
    if (key == "mountPath") spec.path = reader.text(content);
  });
}

// Where the store does not say: a cloud's own buckets lie beside all zones, but for directory buckets (S3 Express One
// Zone), which are known by their names; a server with an address of its own lies in one.
StoreKind bucket_kind(ObjectReader& reader, const std::string& scope, const DataStoreSpec& spec) {
  if (scope == "Regional") return StoreKind::regional_bucket;
  if (scope == "Zonal") return StoreKind::zonal_bucket;
  if (!scope.empty()) reader.refuse("scope '" + scope + "'", "Zonal or Regional");
  const bool of_a_zone = !spec.bucket_endpoint.empty() || spec.bucket.ends_with("--x-s3");
  return of_a_zone ? StoreKind::zonal_bucket : StoreKind::regional_bucket;
}

void read_bucket(ObjectReader& reader, value json, DataStoreSpec& spec) {
  std::string scope;
  reader.fields(json, [&](std::string_view key, value content) {
    if (key == "name") spec.bucket = reader.text(content);
    if (key == "prefix") spec.prefix = reader.text(content);
    if (key == "endpoint") spec.bucket_endpoint = reader.text(content);
    if (key == "region") spec.region = reader.text(content);
    if (key == "provider") spec.provider = reader.text(content);
    if (key == "secretName") spec.secret = reader.text(content);
    if (key == "scope") scope = reader.text(content);
  });
  spec.kind = bucket_kind(reader, scope, spec);
}

void read_store_spec(ObjectReader& reader, value json, DataStoreSpec& spec) {
  int kinds = 0;
  reader.fields(json, [&](std::string_view key, value content) {
    if (key == "zone") spec.zone = reader.text(content);
    if (key == "capacity") spec.capacity = reader.bytes(content);
    if (key == "endpoint") spec.endpoint = reader.text(content);
    if (key == "serve") spec.serve = reader.boolean(content);
    if (key == "allowedNamespaces") spec.allowed_name_spaces = reader.texts(content);
    if (key == "nodeDirectory") ++kinds, read_node_directory(reader, content, spec);
    if (key == "volume") ++kinds, read_volume(reader, content, spec);
    if (key == "bucket") ++kinds, read_bucket(reader, content, spec);
  });
  if (kinds != 1) reader.refuse(std::to_string(kinds) + " kinds of store", "one of nodeDirectory, volume and bucket");
}

void read_unowned_folder(ObjectReader& reader, value json, UnownedFolder& folder) {
  reader.fields(json, [&](std::string_view key, value content) {
    if (key == "path") folder.path = reader.text(content);
    if (key == "copies") folder.copies = reader.integer(content, 0, most);
    if (key == "bytes") folder.bytes = reader.integer(content, 0, most);
    if (key == "since") folder.since = reader.time(content);
  });
}

UnownedCopies read_unowned(ObjectReader& reader, value json) {
  UnownedCopies unowned;
  reader.fields(json, [&](std::string_view key, value content) {
    if (key == "lookedAt") unowned.looked = reader.time(content);
    if (key == "copies") unowned.copies = reader.integer(content, 0, most);
    if (key == "bytes") unowned.bytes = reader.integer(content, 0, most);
    if (key == "examples")
      reader.items(content, [&](value item) { read_unowned_folder(reader, item, unowned.examples.emplace_back()); });
  });
  return unowned;
}

void read_store_status(ObjectReader& reader, value json, DataStoreStatus& status) {
  reader.fields(json, [&](std::string_view key, value content) {
    if (key == "observedGeneration") status.observed_generation = reader.integer(content, 0, most);
    if (key == "used") status.used = reader.integer(content, 0, most);
    if (key == "endpoint") status.endpoint = reader.text(content);
    if (key == "nodeUid") status.node_uid = reader.text(content);
    if (key == "unowned" && !content.is_null()) status.unowned = read_unowned(reader, content);
    if (key == "conditions") reader.conditions(content, status.conditions);
  });
}

// ---- Pool ----

std::optional<PodMode> read_mode(ObjectReader& reader, value json) {
  const std::string name = reader.text(json);
  const std::optional<PodMode> mode = parse_pod_mode(name);
  if (!mode && !name.empty()) reader.refuse("'" + name + "'", "watch, steer or bind");
  return mode;
}

void read_targets(ObjectReader& reader, value json, Targets& targets) {
  const auto read = [&](value content, auto parse, const char* allowed) {
    const std::string text = reader.text(content);
    const std::optional<Duration> span = text.empty() ? Duration(0) : parse(text);
    if (!span) reader.refuse("'" + text + "'", allowed);
    return span.value_or(Duration(0));
  };
  reader.fields(json, [&](std::string_view key, value content) {
    if (key == "budgetPerDay") targets.budget_per_day = Usd(reader.decimal(content));
    if (key == "meanWait") targets.mean_wait = read(content, parse_duration, allowed_durations);
    if (key == "completeBy") targets.complete_by = read(content, parse_time_of_day, allowed_times_of_day);
  });
}

ReclaimRule read_reclaim(ObjectReader& reader, value json) {
  const std::string name = reader.text(json);
  if (name == to_string(ReclaimRule::from_borrowers)) return ReclaimRule::from_borrowers;
  if (!name.empty() && name != to_string(ReclaimRule::never)) reader.refuse("'" + name + "'", "never or fromBorrowers");
  return ReclaimRule::never;
}

void read_pool_spec(ObjectReader& reader, value json, PoolSpec& spec) {
  reader.fields(json, [&](std::string_view key, value content) {
    if (key == "weight") spec.weight = reader.decimal(content);
    if (key == "minimum") spec.minimum = reader.decimal(content);
    if (key == "maximum") spec.maximum = reader.decimal(content);
    if (key == "shortfallUsdPerCpuHour") spec.shortfall_usd_per_cpu_hour = reader.decimal(content);
    if (key == "namespaces") spec.name_spaces = reader.texts(content);
    if (key == "allowedNamespaces") spec.allowed_name_spaces = reader.texts(content);
    if (key == "parent") spec.parent = reader.text(content);
    if (key == "mode") spec.mode = read_mode(reader, content);
    if (key == "reclaim") spec.reclaim = read_reclaim(reader, content);
    if (key == "targets") {
      spec.targets_refused = reader.attempt([&] { read_targets(reader, content, spec.targets); });
      if (!spec.targets_refused.empty()) spec.targets = {};
    }
  });
}

void read_pool_status(ObjectReader& reader, value json, PoolStatus& status) {
  reader.fields(json, [&](std::string_view key, value content) {
    if (key == "observedGeneration") status.observed_generation = reader.integer(content, 0, most);
    if (key == "cores") status.cores = reader.text(content);
    if (key == "share") status.share = reader.text(content);
    if (key == "entitlement") status.entitlement = reader.text(content);
    if (key == "dominantShare") status.dominant_share = reader.text(content);
    if (key == "lent") status.lent = reader.text(content);
    if (key == "borrowed") status.borrowed = reader.text(content);
    if (key == "priceOfSharing") status.price_of_sharing = reader.text(content);
    if (key == "belowSince" && !content.is_null()) status.below_since = reader.time(content);
    if (key == "usdPerHour") status.usd_per_hour = reader.text(content);
    if (key == "targets") status.targets = reader.text(content);
    if (key == "running") status.running = reader.integer(content, 0, most);
    if (key == "pending") status.pending = reader.integer(content, 0, most);
    if (key == "conditions") reader.conditions(content, status.conditions);
  });
}

// ---- DataMove ----

void read_move_spec(ObjectReader& reader, value json, DataMoveSpec& spec) {
  reader.fields(json, [&](std::string_view key, value content) {
    if (key == "dataSet")
      reader.fields(content, [&](std::string_view name, value text) {
        if (name == "namespace") spec.data_set_name_space = reader.text(text);
        if (name == "name") spec.data_set = reader.text(text);
      });
    if (key == "blocks") spec.blocks = reader.ranges(content);
    if (key == "from") spec.from = reader.text(content);
    if (key == "to") spec.to = reader.text(content);
    if (key == "dropSource") spec.drop_source = reader.boolean(content);
    if (key == "extra") spec.extra = reader.boolean(content);
    if (key == "cancel") spec.cancel = reader.boolean(content);
    if (key == "attempts") spec.attempts = static_cast<std::int32_t>(reader.integer(content, 1, 100));
    if (key == "ttlSecondsAfterFinished")
      spec.keep_for = std::chrono::seconds(reader.integer(content, 0, most_seconds));
  });
}

template <class Enum>
Enum named(const ObjectReader& reader, const std::string& found, const char* (*name)(Enum),
           std::initializer_list<Enum> all) {
  std::string allowed;
  for (const Enum each : all) {
    if (found == name(each)) return each;
    allowed += (allowed.empty() ? "" : ", ") + std::string(name(each));
  }
  reader.refuse('\'' + found + '\'', allowed);
}

void read_move_status(ObjectReader& reader, value json, DataMoveStatus& status) {
  using enum MovePhase;
  using enum SourceState;
  reader.fields(json, [&](std::string_view key, value content) {
    if (key == "observedGeneration") status.observed_generation = reader.integer(content, 0, most);
    if (key == "phase")
      status.phase =
          named(reader, reader.text(content), phase_name, {none, pending, copying, verifying, committed, failed});
    if (key == "dataSetUid") status.data_set_uid = reader.text(content);
    if (key == "blocks") status.blocks = reader.ranges(content);
    if (key == "bytes") status.bytes = reader.integer(content, 0, most);
    if (key == "attempt") status.attempt = static_cast<std::int32_t>(reader.integer(content, 0, 1'000'000));
    if (key == "nextTry" && !content.is_null()) status.next_try = reader.time(content);
    if (key == "started" && !content.is_null()) status.started = reader.time(content);
    if (key == "finished" && !content.is_null()) status.finished = reader.time(content);
    if (key == "source")
      status.source = named(reader, reader.text(content), source_name, {kept, leaving, removed, deleted});
    if (key == "dropAttempt") status.drop_attempt = static_cast<std::int32_t>(reader.integer(content, 0, 1'000'000));
    if (key == "cleaned") status.cleaned = reader.boolean(content);
    if (key == "message") status.message = reader.text(content);
    if (key == "sizeText") status.size_text = reader.text(content);
    if (key == "usd") status.usd = reader.text(content);
    if (key == "paysBack") status.pays_back = reader.text(content);
    if (key == "conditions") reader.conditions(content, status.conditions);
  });
}

}  // namespace

Result<DataStoreResource> decode_data_store(std::string_view json) {
  return decoded<DataStoreResource>(
      DataKind::data_store, json, [](ObjectReader& reader, bool spec, value content, DataStoreResource& store) {
        spec ? read_store_spec(reader, content, store.spec) : read_store_status(reader, content, store.status);
      });
}

Result<PoolResource> decode_pool(std::string_view json) {
  return decoded<PoolResource>(
      DataKind::pool, json, [](ObjectReader& reader, bool spec, value content, PoolResource& pool) {
        spec ? read_pool_spec(reader, content, pool.spec) : read_pool_status(reader, content, pool.status);
      });
}

Result<DataMoveResource> decode_data_move(std::string_view json) {
  return decoded<DataMoveResource>(
      DataKind::data_move, json, [](ObjectReader& reader, bool spec, value content, DataMoveResource& move) {
        spec ? read_move_spec(reader, content, move.spec) : read_move_status(reader, content, move.status);
      });
}

Result<ConditionedObject> decode_conditions(DataKind kind, std::string_view json) {
  return decoded<ConditionedObject>(kind, json,
                                    [](ObjectReader& reader, bool spec, value content, ConditionedObject& object) {
                                      if (spec) return;
                                      reader.fields(content, [&](std::string_view key, value conditions) {
                                        if (key == "conditions") reader.conditions(conditions, object.conditions);
                                      });
                                    });
}

}  // namespace lips::kubernetes
