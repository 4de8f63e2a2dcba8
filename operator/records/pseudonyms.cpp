#include "records/pseudonyms.h"

#include <fmt/format.h>

#include <utility>

#include "base/check.h"

namespace lips {

void Pseudonyms::see(const EpochRecord& record) {
  LIPS_CHECK(!numbered_, "all records are seen before the first is replaced");
  const ClusterSnapshot& cluster = record.snapshot.cluster;
  for (const Job& job : cluster.jobs) see(Kind::job, job.name);
  for (const ExpectedWork& work : cluster.expected) see(Kind::job, work.job);
  for (const Pool& pool : cluster.pools) see(Kind::pool, pool.name);
  for (const TargetDebt& debt : cluster.target_debts) see(Kind::pool, debt.pool);
  for (const DataSet& data_set : cluster.data_sets) see(Kind::data_set, data_set.name);
  for (const Node& node : cluster.nodes) see(Kind::node, node.name);
  for (const DataStore& store : cluster.stores) see(Kind::store, store.name);
  for (const Rack& rack : cluster.racks) see(Kind::rack, rack.name);
  if (record.services)
    for (const ServicePods& service : *record.services) {
      see(Kind::service, service.workload);
      for (const auto& [node, pods] : service.on) see(Kind::node, node);
    }
  if (!record.ended) return;
  for (const RecordedEnd& task : record.ended->tasks) see(Kind::job, task.job), see(Kind::data_set, task.data_set);
}

void Pseudonyms::number() {
  if (std::exchange(numbered_, true)) return;
  constexpr EnumArray<Kind, std::string_view> words{"job", "pool", "data-set", "node", "store", "rack", "service"};
  for (const Kind kind : enumerators<Kind>) {
    const std::size_t digits = std::to_string(names_[kind].size()).size();
    std::size_t count = 0;
    for (auto& [name, other] : names_[kind]) other = fmt::format("{}-{:0{}}", words[kind], ++count, digits);
  }
}

void Pseudonyms::replace(Kind kind, std::string& name) {
  if (const auto known = names_[kind].find(name); known != names_[kind].end()) name = known->second;
}

void Pseudonyms::replace_value(std::string& value) { replace(Kind::node, value); }

void Pseudonyms::replace(PlacementConstraint& constraint) {
  const auto all = [this](std::vector<LabelRequirement>& requirements) {
    for (LabelRequirement& requirement : requirements)
      for (std::string& value : requirement.values) replace_value(value);
  };
  all(constraint.required);
  for (auto& term : constraint.any_of) all(term);
  for (auto& volume : constraint.volumes)
    for (auto& term : volume) all(term);
}

void Pseudonyms::replace(EpochRecord& record) {
  number();
  ClusterSnapshot& cluster = record.snapshot.cluster;
  for (Job& job : cluster.jobs) replace(Kind::job, job.name);
  for (ExpectedWork& work : cluster.expected) replace(Kind::job, work.job);
  for (Pool& pool : cluster.pools) replace(Kind::pool, pool.name);
  for (TargetDebt& debt : cluster.target_debts) replace(Kind::pool, debt.pool);
  for (DataSet& data_set : cluster.data_sets) replace(Kind::data_set, data_set.name);
  for (Node& node : cluster.nodes) replace(Kind::node, node.name);
  for (DataStore& store : cluster.stores) replace(Kind::store, store.name);
  for (Rack& rack : cluster.racks) replace(Kind::rack, rack.name);
  for (NodeProfile& profile : cluster.profiles)
    for (auto& [key, value] : profile.labels) replace_value(value);
  for (PlacementConstraint& constraint : cluster.constraints) replace(constraint);
  if (record.services)
    for (ServicePods& service : *record.services) {
      replace(Kind::service, service.workload), replace(service.constraint);
      for (auto& [node, pods] : service.on) replace(Kind::node, node);
    }
  if (!record.ended) return;
  for (RecordedEnd& task : record.ended->tasks) replace(Kind::job, task.job), replace(Kind::data_set, task.data_set);
}

void Pseudonyms::replace(PlanAccount& account) {
  number();
  for (PoolSharing& sharing : account.sharing) replace(Kind::pool, sharing.pool);
  for (ShadowPrice& price : account.shadow_prices) {
    constexpr std::string_view pool = "pool ";
    const std::size_t row = price.of.rfind(' ');  // "share" or "maximum"
    if (!price.of.starts_with(pool) || row < pool.size()) continue;
    std::string name = price.of.substr(pool.size(), row - pool.size());
    replace(Kind::pool, name);
    price.of = std::string(pool) + name + price.of.substr(row);
  }
}

}  // namespace lips
