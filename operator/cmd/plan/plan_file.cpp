#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "cmd/plan/plan_result.h"

namespace lips::cmd {

namespace {

using Buffer = fmt::memory_buffer;

std::string quoted(const std::string& name) {
  return nlohmann::json(name).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// All names, quoted for JSON in advance.
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
    // Dollars, bounds and the like are left to `lips plan --format json`.
    const auto& [moves, drops, assignments, reclaims, deferrals, node_requests, rest, remember, shares, reviewed,
                 replan, account_elsewhere] = result_.plan;
    add("{{\n  \"policy\": {}", quoted(result_.policy));
    list("assignments", assignments);
    if (!reclaims.empty()) list("reclaims", reclaims);
    list("moves", moves);
    list("drops", drops);
    list("deferrals", deferrals);
    if (node_requests) list("nodeRequests", *node_requests);
    add(",\n  \"rest\": \"{}\"", to_string(rest));
    if (!remember.empty()) list("remember", remember);
    if (shares) add(",\n  \"rememberShares\": "), object(*shares);
    if (reviewed) add(",\n  \"copiesReviewed\": true");
    if (replan) add(",\n  \"replanAfter\": {}", replan->count());
    add("\n}}\n");
    return fmt::to_string(out_);
  }

 private:
  template <class... Values>
  void add(fmt::format_string<Values...> format, Values&&... values) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Values>(values)...);
  }
  template <class Item>
  void list(std::string_view key, const std::vector<Item>& items) {
    add(",\n  \"{}\": [", key);
    for (std::size_t i = 0; i < items.size(); ++i) {
      add("{}\n    ", i == 0 ? "" : ",");
      object(items[i]);
    }
    add("{}]", items.empty() ? "" : "\n  ");
  }
  // Writes every field of the struct, by its description; rare fields are left out when empty.
  template <class T>
  void object(const T& content) {
    add("{{");
    bool first = true;
    each_field(content, [&](std::string_view name, const auto& member) {
      if (left_out(name, member)) return;
      add("{}", std::exchange(first, false) ? "" : ", ");
      field(name, member);
    });
    add("}}");
  }
  static bool left_out(std::string_view, const StripeSources& sources) { return sources.empty(); }
  static bool left_out(std::string_view name, std::uint32_t count) { return name == "toCome" && count == 0; }
  static bool left_out(std::string_view name, StoreId store) { return name == "writeTo" && !store.valid(); }
  template <class T>
  static bool left_out(std::string_view, const T& content) {
    if constexpr (requires { content.has_value(); }) return !content.has_value();
    return false;
  }
  // A task is named by its place in its job, a block by its place in its data set.
  void field(std::string_view, TaskId id) {
    const Task& one = cluster_.tasks[id];
    add("\"job\": {}, \"task\": {}, \"kind\": \"{}\"", jobs_[one.job],
        id.index() - cluster_.jobs[one.job].first_task.index(), one.kind == TaskKind::map ? "map" : "reduce");
  }
  void field(std::string_view, BlockId id) {
    const Block& one = cluster_.blocks[id];
    add("\"dataSet\": {}, \"block\": {}", data_sets_[one.data_set],
        id.index() - cluster_.data_sets[one.data_set].first_block.index());
  }
  template <class T>
  void field(std::string_view name, const T& content) {
    add("\"{}\": ", name);
    value(content);
  }
  void value(NodeId id) { add("{}", nodes_[id]); }
  void value(OfferId id) { value(cluster_.offers[id].like); }
  void value(StoreId id) { add("{}", store(id)); }
  void value(JobId id) { add("{}", jobs_[id]); }
  void value(ZoneId id) { add("{}", id.valid() ? quoted(cluster_.zones[id].name) : "null"); }
  void value(PoolId id) { add("{}", quoted(cluster_.pools[id].name)); }
  void value(Usd usd) { add("{}", usd.value()); }
  void value(DeferralReason reason) { add("\"{}\"", to_string(reason)); }
  void value(Locality level) { add("{}", static_cast<int>(level)); }
  void value(bool flag) { add("{}", flag); }
  void value(const StripeSources& sources) {
    for (std::size_t i = 0; i < sources.size(); ++i)
      add("{}[{}, {}]", i == 0 ? "[" : ", ", sources[i].block.index(), store(sources[i].store));
    add("]");
  }
  void value(Duration span) { add("{}", span.count()); }
  void value(TimePoint time) { value(time.time_since_epoch()); }
  void value(const std::vector<double>& numbers) { add("[{}]", fmt::join(numbers, ", ")); }
  template <class T>
    requires std::is_integral_v<T>
  void value(T number) {
    add("{}", static_cast<std::int64_t>(number));
  }
  template <class T>
  void value(const std::optional<T>& content) {
    value(*content);
  }
  template <class T>
    requires Described<T>
  void value(const T& content) {
    object(content);
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
