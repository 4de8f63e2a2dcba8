#include "cmd/ask/status_screen.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "cmd/ask/table.h"
#include "telemetry/page/numbers.h"

namespace lips::cmd {
namespace {

using Json = nlohmann::ordered_json;

// A field of any answer: another version of the operator may lack it, or have it otherwise.
std::string text(const Json& json, const char* key) {
  const auto field = json.is_object() ? json.find(key) : json.end();
  return json.is_object() && field != json.end() && field->is_string() ? field->get<std::string>() : "";
}

double number(const Json& json, const char* key, double otherwise = 0) {
  const auto field = json.is_object() ? json.find(key) : json.end();
  return json.is_object() && field != json.end() && field->is_number() ? field->get<double>() : otherwise;
}

const Json& part(const Json& json, const char* key) {
  static const Json none;
  const auto field = json.is_object() ? json.find(key) : json.end();
  return json.is_object() && field != json.end() ? *field : none;
}

std::string ago(double seconds) { return seconds < 0 ? "never" : page::duration(seconds) + " ago"; }

std::string count(const Json& json, const char* key) {
  return page::count(static_cast<std::size_t>(std::max(0.0, std::min(number(json, key), 1e15))));
}

using Rows = std::vector<std::pair<std::string, std::string>>;

void add_state(const Json& json, Rows& rows) {
  rows.emplace_back("state",
                    fmt::format("{}, for {}", text(json, "state"), page::duration(number(json, "secondsInState"))));
  rows.emplace_back("why", text(json, "why"));
  for (const Json& lack : part(json, "degraded"))
    rows.emplace_back("degraded", fmt::format("{}: {}, for {}", text(lack, "what"), text(lack, "why"),
                                              page::duration(number(lack, "seconds"))));
  const std::string leader = text(json, "leader");
  rows.emplace_back("leader", leader.empty() ? "nobody is known to lead" : leader);
  rows.emplace_back("answers", fmt::format("{}, lips {}", text(json, "replica"), text(json, "version")));
}

void add_plans(const Json& json, Rows& rows) {
  rows.emplace_back("plans",
                    fmt::format("{}, the last {}; policy {}, mode {}", count(json, "plans"),
                                ago(number(json, "secondsSincePlan", -1)), text(json, "policy"), text(json, "mode")));
  const Json& prices = part(json, "prices");
  const std::string oldest = text(prices, "oldest");
  const double read = number(prices, "secondsSinceRead", -1);
  rows.emplace_back(
      "prices", fmt::format("the oldest of {}{}; {} nodes without one", oldest.empty() ? "an unknown day" : oldest,
                            read < 0 ? "" : ", prices.metrics read " + ago(read), count(prices, "nodesWithoutPrice")));
}

void add_held(const Json& json, Rows& rows) {
  const Json& held = part(json, "held");
  std::string moves;
  for (const auto& [phase, number_of] : part(held, "moves").items())
    if (number_of.is_number_unsigned() && number_of.get<std::uint64_t>() > 0)
      moves += fmt::format("{}{} {}", moves.empty() ? "" : ", ", number_of.get<std::uint64_t>(), phase);
  rows.emplace_back("holds", fmt::format("{} orders of nodes, room for {:.1f} CPU hours to come, {} bindings under way",
                                         count(held, "orders"), number(held, "keptCpuHours"), count(held, "bindings")));
  rows.emplace_back("moves", fmt::format("{}; {} drops", moves.empty() ? "none" : moves, count(held, "drops")));
  for (const Json& store : part(json, "unownedCopies"))
    rows.emplace_back("unowned",
                      fmt::format("{} copies, {}, in DataStore {}, such as {}, seen {}", count(store, "copies"),
                                  page::gigabytes(number(store, "bytes") / 1e9), text(store, "store"),
                                  text(store, "example"), ago(number(store, "secondsSinceSeen", -1))));
  const Json& requests = part(json, "requests");
  rows.emplace_back("requests", fmt::format("{} in the last minute, {} without an answer; at most {} at once",
                                            count(requests, "lastMinute"), count(requests, "unansweredLastMinute"),
                                            count(requests, "mostAtOnce")));
  for (const Json& write : part(requests, "stoppedWrites"))
    rows.emplace_back("stopped", fmt::format("{}, {}", text(write, "what"), ago(number(write, "secondsAgo"))));
}

std::string watches(const Json& json) {
  std::vector<std::vector<std::string>> rows{{"watch", "state", "last news"}};
  std::string reasons;
  for (const Json& watch : part(json, "watches")) {
    rows.push_back({text(watch, "kind"), text(watch, "state"), ago(number(watch, "secondsSinceNews", -1))});
    if (const std::string why = text(watch, "why"); !why.empty()) reasons += text(watch, "kind") + ": " + why + "\n";
  }
  return rows.size() > 1 ? "\n" + render_table(rows) + reasons : "";
}

std::string errors(const Json& json) {
  std::string all;
  for (const Json& error : part(json, "errors"))
    all += fmt::format("{}, {}: {}\n", ago(number(error, "secondsAgo")), text(error, "level"), text(error, "text"));
  return all.empty() ? "\nno warning yet\n" : "\nlast warnings and errors\n" + all;
}

}  // namespace

bool should_ask_leader(const std::string& answer) {
  const Json json = Json::parse(answer, nullptr, false);
  return text(json, "state") == "stands-by" && !text(json, "leader").empty();
}

Result<std::string> status_screen(const std::string& answer) {
  const Json json = Json::parse(answer, nullptr, false);
  if (text(json, "format") != "lips-status")
    return fail(ErrorCode::invalid_input,
                "expected the status of an operator (\"format\": \"lips-status\"), found another text");
  Rows rows;
  add_state(json, rows);
  add_plans(json, rows);
  add_held(json, rows);
  std::string screen;
  for (const auto& [head, words] : rows) screen += fmt::format("{:<10}{}\n", head, words);
  return screen + watches(json) + errors(json);
}

}  // namespace lips::cmd
