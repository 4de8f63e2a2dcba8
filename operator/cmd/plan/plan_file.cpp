#include <fmt/format.h>

#include <iterator>
#include <nlohmann/json.hpp>

#include "cmd/plan/plan_result.h"

namespace lips::cmd {

namespace {

using Buffer = fmt::memory_buffer;

std::string quoted(const std::string& name) {
  return nlohmann::json(name).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// Every name in JSON's quotes, once.
template <class Id, class Item>
IdVector<Id, std::string> quoted_names(const IdVector<Id, Item>& items) {
  IdVector<Id, std::string> names;
  names.reserve(items.size());
  for (const Item& item : items) names.push_back(quoted(item.name));
  return names;
}

class PlanWriter {
 public:
  explicit PlanWriter(const PlanResult& result)
      : result_(result),
        cluster_(*result.cluster),
        nodes_(quoted_names(cluster_.nodes)),
        stores_(quoted_names(cluster_.stores)),
        jobs_(quoted_names(cluster_.jobs)),
        data_sets_(quoted_names(cluster_.data_sets)) {}

  std::string write() {
    const Plan& plan = result_.plan;
    add("{{\n  \"policy\": {},\n  \"assignments\": [", quoted(result_.policy));
    list(plan.assignments, [&](const Assignment& assignment) {
      task(assignment.task);
      add(", \"node\": {}, \"readFrom\": {}, \"keepIn\": {}", nodes_[assignment.node], store(assignment.read_from),
          store(assignment.keep_in));
      for (std::size_t i = 0; i < assignment.sources.size(); ++i)
        add("{}[{}, {}]{}", i == 0 ? ", \"sources\": [" : ", ", assignment.sources[i].block.index(),
            store(assignment.sources[i].store), i + 1 == assignment.sources.size() ? "]" : "");
    });
    add(",\n  \"moves\": [");
    list(plan.moves, [&](const DataMove& move) {
      block(move.block);
      add(", \"from\": {}, \"to\": {}, \"dropSource\": {}", store(move.from), store(move.to), move.drop_source);
    });
    add(",\n  \"drops\": [");
    list(plan.drops, [&](const ReplicaDrop& drop) {
      block(drop.block);
      add(", \"store\": {}", store(drop.store));
    });
    add(",\n  \"deferrals\": [");
    list(plan.deferrals, [&](const Deferral& deferral) {
      task(deferral.task);
      add(", \"reason\": \"{}\"", to_string(deferral.reason));
    });
    add(",\n  \"rest\": \"{}\"\n}}\n", to_string(plan.rest));
    return fmt::to_string(out_);
  }

 private:
  template <class... Values>
  void add(fmt::format_string<Values...> format, Values&&... values) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Values>(values)...);
  }
  template <class Items, class Write>
  void list(const Items& items, const Write& write) {
    bool first = true;
    for (const auto& item : items) {
      add("{}\n    {{", first ? "" : ",");
      write(item);
      add("}}");
      first = false;
    }
    add("{}]", first ? "" : "\n  ");
  }
  void task(TaskId id) {
    const Task& one = cluster_.tasks[id];
    add("\"job\": {}, \"task\": {}, \"kind\": \"{}\"", jobs_[one.job],
        id.index() - cluster_.jobs[one.job].first_task.index(), one.kind == TaskKind::map ? "map" : "reduce");
  }
  void block(BlockId id) {
    const Block& one = cluster_.blocks[id];
    add("\"dataSet\": {}, \"block\": {}", data_sets_[one.data_set],
        id.index() - cluster_.data_sets[one.data_set].first_block.index());
  }
  std::string_view store(StoreId id) const { return id.valid() ? std::string_view(stores_[id]) : "null"; }

  const PlanResult& result_;
  const ClusterSnapshot& cluster_;
  IdVector<NodeId, std::string> nodes_;
  IdVector<StoreId, std::string> stores_;
  IdVector<JobId, std::string> jobs_;
  IdVector<DataSetId, std::string> data_sets_;
  Buffer out_;
};

}  // namespace

std::string plan_file(const PlanResult& result) { return PlanWriter(result).write(); }

}  // namespace lips::cmd
