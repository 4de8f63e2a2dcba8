#include "cmd/service/status_text.h"

#include <nlohmann/json.hpp>

namespace lips::cmd {
namespace {

using Json = nlohmann::ordered_json;

double seconds_since(TimePoint then, TimePoint now) { return to_seconds(now - then); }

Json lacks(const std::vector<Lack>& all, TimePoint now) {
  Json json = Json::array();
  for (const Lack& lack : all)
    json.push_back({{"what", lack.what}, {"why", lack.why}, {"seconds", seconds_since(lack.since, now)}});
  return json;
}

Json watches(const AdapterStatus& adapter, TimePoint now) {
  Json json = Json::array();
  for (const WatchStatus& watch : adapter.watches)
    json.push_back({{"kind", watch.kind},
                    {"state", watch_state_names[watch.state]},
                    {"secondsSinceNews", watch.heard ? Json(seconds_since(*watch.heard, now)) : Json()},
                    {"why", watch.why}});
  return json;
}

Json held(const AdapterStatus& adapter, double kept_cpu_seconds) {
  Json moves = Json::object();
  for (const auto& [phase, count] : adapter.moves) moves[phase] = count;
  return {{"orders", adapter.orders},
          {"keptCpuHours", kept_cpu_seconds / 3600},
          {"bindings", adapter.bindings},
          {"moves", std::move(moves)},
          {"drops", adapter.drops}};
}

constexpr std::size_t most_stores_named = 20;

Json unowned(const AdapterStatus& adapter, TimePoint now) {
  Json json = Json::array();
  for (const UnownedInStore& each : adapter.unowned) {
    if (json.size() == most_stores_named) break;
    json.push_back({{"store", each.store},
                    {"copies", each.copies},
                    {"bytes", each.bytes},
                    {"example", each.example},
                    {"secondsSinceSeen", each.since ? Json(seconds_since(*each.since, now)) : Json()}});
  }
  return json;
}

Json requests(const AdapterStatus& adapter, TimePoint now) {
  Json stopped = Json::array();
  for (const StoppedWrite& write : adapter.stopped)
    stopped.push_back({{"what", write.what}, {"secondsAgo", seconds_since(write.at, now)}});
  return {{"lastMinute", adapter.requests},
          {"unansweredLastMinute", adapter.unanswered},
          {"mostAtOnce", adapter.at_once},
          {"stoppedWrites", std::move(stopped)}};
}

Json troubles(const std::vector<Trouble>& all, TimePoint now) {
  Json json = Json::array();
  for (const Trouble& trouble : all)
    json.push_back({{"secondsAgo", seconds_since(trouble.at, now)},
                    {"level", trouble.level == LogLevel::error ? "error" : "warning"},
                    {"text", trouble.text}});
  return json;
}

}  // namespace

std::string status_text(const OperatorStatus& status, TimePoint now) {
  const OperatorState& state = status.state;
  Json json{{"format", "lips-status"},
            {"formatVersion", 1},
            {"version", status.version},
            {"cluster", status.cluster},
            {"replica", status.replica},
            {"leads", status.leads},
            {"leader", state.leader},
            {"state", doing_names[state.doing]},
            {"decides", state.decides()},
            {"why", state.why},
            {"secondsInState", seconds_since(state.since, now)},
            {"awaited", lacks(state.awaited, now)},
            {"degraded", lacks(state.degraded, now)},
            {"policy", status.policy},
            {"mode", status.mode},
            {"plans", status.plans},
            {"secondsSincePlan", status.plans > 0 ? Json(status.since_plan) : Json()}};
  const PriceAges& prices = status.prices;
  json["prices"] = {{"oldest", prices.oldest},
                    {"secondsSinceRead", prices.since_read ? Json(to_seconds(*prices.since_read)) : Json()},
                    {"nodesWithoutPrice", prices.unpriced}};
  const AdapterStatus none;
  const AdapterStatus& adapter = status.adapter ? *status.adapter : none;
  json["watches"] = watches(adapter, now);
  json["held"] = held(adapter, status.kept_cpu_seconds);
  json["unownedCopies"] = unowned(adapter, now);
  json["requests"] = requests(adapter, now);
  json["errors"] = troubles(status.troubles, now);
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace lips::cmd
