#include "kubernetes/data/status_json.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "kubernetes/api/time_text.h"

namespace lips::kubernetes {
namespace {

using Json = nlohmann::json;

std::string written(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

Json bound_to(const ResourceMeta& meta) {
  return {{"uid", meta.object.uid}, {"resourceVersion", meta.object.resource_version}};
}

std::string status_patch(const ResourceMeta& meta, Json status) {
  return written({{"metadata", bound_to(meta)}, {"status", std::move(status)}});
}

Json time_or_null(const std::optional<TimePoint>& time) { return time ? Json(time_text(*time)) : Json(nullptr); }

const char* status_name(ConditionStatus status) {
  return status == ConditionStatus::yes ? "True" : status == ConditionStatus::no ? "False" : "Unknown";
}

Json conditions_json(const std::vector<ObjectCondition>& conditions) {
  Json list = Json::array();
  for (const ObjectCondition& each : conditions)
    list.push_back({{"type", each.type},
                    {"status", status_name(each.status)},
                    {"reason", each.reason},
                    {"message", each.message},
                    {"lastTransitionTime", time_text(each.since)},
                    {"observedGeneration", each.generation}});
  return list;
}

Json files_json(const std::vector<DataFile>& files) {
  Json list = Json::array();
  for (const DataFile& file : files) {
    Json entry = {{"path", file.path}, {"size", file.size}};
    if (!file.sha256.empty()) entry["sha256"] = file.sha256;
    list.push_back(std::move(entry));
  }
  return list;
}

Json replicas_json(const std::vector<HeldBlocks>& replicas) {
  Json list = Json::array();
  for (const HeldBlocks& held : replicas) {
    Json entry = {{"store", held.store}, {"blocks", held.blocks.text()}};
    if (!held.copies.empty()) entry["copies"] = held.copies.text();
    if (!held.extra.empty()) entry["extra"] = held.extra.text();
    if (!held.leaving.empty()) entry["leaving"] = held.leaving.text();
    list.push_back(std::move(entry));
  }
  return list;
}

ObjectCondition complete_condition(const DataMoveResource& move, const DataMoveStatus& status, TimePoint now) {
  ObjectCondition condition{"Complete", ConditionStatus::no, phase_name(status.phase), status.message,
                            now,        move.meta.generation};
  if (status.finished && status.phase == MovePhase::committed) condition.status = ConditionStatus::yes;
  if (condition.reason.empty()) condition.reason = "Pending";
  return condition;
}

}  // namespace

std::vector<ObjectCondition> with_condition(std::vector<ObjectCondition> conditions, ObjectCondition changed) {
  const auto place = std::find_if(conditions.begin(), conditions.end(),
                                  [&](const ObjectCondition& each) { return each.type == changed.type; });
  if (place == conditions.end()) {
    conditions.push_back(std::move(changed));
  } else {
    if (place->status == changed.status) changed.since = place->since;
    *place = std::move(changed);
  }
  return conditions;
}

std::string move_status_patch(const DataMoveResource& move, const DataMoveStatus& status, TimePoint now) {
  return status_patch(
      move.meta,
      {{"observedGeneration", move.meta.generation},
       {"phase", phase_name(status.phase)},
       {"dataSetUid", status.data_set_uid},
       {"blocks", status.blocks.text()},
       {"bytes", status.bytes},
       {"attempt", status.attempt},
       {"nextTry", time_or_null(status.next_try)},
       {"started", time_or_null(status.started)},
       {"finished", time_or_null(status.finished)},
       {"source", source_name(status.source)},
       {"dropAttempt", status.drop_attempt},
       {"cleaned", status.cleaned},
       {"message", status.message},
       {"sizeText", status.size_text},
       {"usd", status.usd},
       {"paysBack", status.pays_back},
       {"conditions", conditions_json(with_condition(status.conditions, complete_condition(move, status, now)))}});
}

std::string pool_patch(const PoolResource& pool, const PoolStatus& status) {
  return status_patch(pool.meta, {{"observedGeneration", pool.meta.generation},
                                  {"cores", status.cores},
                                  {"share", status.share},
                                  {"entitlement", status.entitlement},
                                  {"dominantShare", status.dominant_share},
                                  {"lent", status.lent},
                                  {"borrowed", status.borrowed},
                                  {"priceOfSharing", status.price_of_sharing},
                                  {"belowSince", time_or_null(status.below_since)},
                                  {"running", status.running},
                                  {"pending", status.pending},
                                  {"usdPerHour", status.usd_per_hour},
                                  {"targets", status.targets},
                                  {"conditions", conditions_json(status.conditions)}});
}

std::string summary_patch(const DataSetResource& set, const DataSetStatus& status) {
  return status_patch(set.meta, {{"zones", status.zones}, {"sizeText", status.size_text}});
}

std::string replicas_patch(const DataSetResource& set, const std::vector<HeldBlocks>& replicas) {
  return status_patch(set.meta, {{"replicas", replicas_json(replicas)}});
}

std::string data_set_patch(const DataSetResource& set, const DataSetStatus& status, bool discovered) {
  Json json = {{"observedGeneration", set.meta.generation},
               {"blocks", status.blocks},
               {"size", status.size},
               {"replicas", replicas_json(status.replicas)}};
  if (discovered) {
    json["files"] = files_json(status.files);
    json["discoveredAt"] = time_or_null(status.discovered);
  }
  return status_patch(set.meta, std::move(json));
}

std::string store_patch(const DataStoreResource& store, const DataStoreStatus& status) {
  Json json = {{"observedGeneration", store.meta.generation}, {"used", status.used}, {"endpoint", status.endpoint}};
  if (!status.node_uid.empty()) json["nodeUid"] = status.node_uid;
  return status_patch(store.meta, std::move(json));
}

std::string unowned_patch(const DataStoreResource& store, const UnownedCopies& unowned) {
  Json examples = Json::array();
  for (const UnownedFolder& each : unowned.examples)
    examples.push_back(
        {{"path", each.path}, {"copies", each.copies}, {"bytes", each.bytes}, {"since", time_text(each.since)}});
  return status_patch(store.meta, {{"unowned",
                                    {{"lookedAt", time_text(unowned.looked)},
                                     {"copies", unowned.copies},
                                     {"bytes", unowned.bytes},
                                     {"examples", std::move(examples)}}}});
}

std::string condition_patch(const ResourceMeta& meta, const std::vector<ObjectCondition>& conditions,
                            ObjectCondition changed) {
  return status_patch(meta, {{"conditions", conditions_json(with_condition(conditions, std::move(changed)))}});
}

std::string finalizers_patch(const ResourceMeta& meta, const std::vector<std::string>& finalizers) {
  Json json = bound_to(meta);
  json["finalizers"] = finalizers;
  return written({{"metadata", std::move(json)}});
}

std::string data_move_json(const std::string& name, const DataMoveSpec& spec) {
  Json json = {{"dataSet", {{"namespace", spec.data_set_name_space}, {"name", spec.data_set}}},
               {"from", spec.from},
               {"dropSource", spec.drop_source},
               {"extra", spec.extra},
               {"attempts", spec.attempts}};
  if (spec.blocks) json["blocks"] = spec.blocks->text();
  if (!spec.to.empty()) json["to"] = spec.to;
  if (spec.keep_for)
    json["ttlSecondsAfterFinished"] = std::chrono::duration_cast<std::chrono::seconds>(*spec.keep_for).count();
  return written({{"apiVersion", data_api_version},
                  {"kind", "DataMove"},
                  {"metadata", {{"name", name}, {"labels", {{"app.kubernetes.io/managed-by", "lips"}}}}},
                  {"spec", std::move(json)}});
}

}  // namespace lips::kubernetes
