#include "config/settings_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <span>
#include <string_view>

namespace lips {

namespace {

template <class Fields>
void each_fair_setting(Fields& fields, PolicySettings& settings) {
  static constexpr std::array<std::string_view, 2> none_to_node = {"text", "printed"};
  static constexpr std::array<std::string_view, 3> adjustments = {"table", "text", "off"};
  static constexpr std::array<std::string_view, 2> ratios = {"zero", "one"};
  static constexpr std::array<std::string_view, 2> pending = {"most", "least"};
  static constexpr std::array<std::string_view, 2> bases = {"free", "all"};
  static constexpr std::array<std::string_view, 2> samples = {"refused", "sinceArrival"};
  static constexpr std::array<std::string_view, 4> shares = {"none", "fair", "demand", "capacity"};
  static constexpr std::array<std::string_view, 2> amounts = {"lips", "all"};
  static constexpr std::array<std::string_view, 3> places = {"planned", "lsap", "nearest"};
  static constexpr std::array<std::string_view, 5> orders = {"planned", "arrival", "fair", "modifiedFair",
                                                             "degradedFirst"};
  ModifiedFairSettings& fair = settings.modified_fair;
  fields.choice("pipelineShares", settings.pipeline.shares, shares);
  fields.choice("pipelineAmounts", settings.pipeline.amounts, amounts);
  fields.choice("pipelinePlaces", settings.pipeline.places, places);
  fields.choice("pipelineOrder", settings.pipeline.order, orders);
  fields.number("reduceSlots", settings.reduce_slots);
  fields.flag("smallJobPool", fair.small_pool);
  fields.flag("demandShares", fair.demand_shares);
  fields.flag("resourceOrder", fair.resource_order);
  fields.flag("adaptiveDelays", fair.adaptive_delays);
  fields.flag("movingPriority", fair.moving_priority);
  fields.duration("sharesEvery", fair.update_every);
  fields.choice("noneToNode", fair.none_to_node, none_to_node);
  fields.choice("minorAdjustment", fair.minor_adjustment, adjustments);
  fields.choice("emptyRatio", fair.empty_ratio, ratios);
  fields.choice("pendingFirst", fair.pending_first, pending);
  fields.choice("shareBase", fair.share_base, bases);
  fields.choice("delaySample", fair.delay_sample, samples);
}

// Every setting, once: what reads and what writes them both go through this list.
template <class Fields>
void each_setting(Fields& fields, PolicySettings& settings) {
  static constexpr std::array<std::string_view, 2> bills = {"invoice", "use"};
  static constexpr std::array<std::string_view, 3> roundings = {"down", "nearest", "up"};
  static constexpr std::array<std::string_view, 2> unreachable = {"formula", "one"};
  static constexpr std::array<std::string_view, 2> sources = {"random", "nearest"};
  static constexpr std::array<std::string_view, 2> node_tests = {"prose", "listing"};
  static constexpr std::array<std::string_view, 2> powers = {"counts", "ignored"};
  fields.choice("billing", settings.billing, bills);
  fields.number("waitingPrice", settings.waiting_price);
  fields.durations("bucketEdges", settings.time_slot_edges);
  fields.duration("replanEvery", settings.replan_every);
  fields.duration("replanLeast", settings.replan_least);
  fields.amount("expressLimit", settings.fast_path_limit, "USD");
  fields.number("orderFactor", settings.order_factor);
  fields.flag("homeZones", settings.home_zones);
  fields.flag("keepCopies", settings.keep_copies);
  fields.duration("dropCopiesAfter", settings.drop_copies_after);
  fields.duration("epoch", settings.epoch);
  fields.flag("adaptiveEpoch", settings.adaptive_epoch);
  fields.amount("localityPrice", settings.locality_price, "USD/MiB");
  fields.number("makespanTolerance", settings.makespan_tolerance);
  fields.quantity("leastTask", settings.least_task);
  fields.duration("heartbeat", settings.heartbeat);
  fields.duration("nodeDelay", settings.node_delay);
  fields.duration("rackDelay", settings.rack_delay);
  fields.duration("horizon", settings.horizon);
  fields.duration("planAhead", settings.plan_ahead);
  fields.flag("copyColumns", settings.copy_columns);
  fields.duration("uptime", settings.uptime);
  each_fair_setting(fields, settings);
  fields.number("lsapRackCost", settings.lsap_rack_cost);
  fields.number("lsapZoneCost", settings.lsap_zone_cost);
  fields.number("lsapRemoteCost", settings.lsap_remote_cost);
  fields.duration("lsapPatience", settings.lsap_patience);
  fields.number("lsapAlpha", settings.lsap_alpha);
  fields.number("lsapBeta", settings.lsap_beta);
  fields.choice("lsapRounding", settings.lsap_rounding, roundings);
  fields.choice("lsapUnreachable", settings.lsap_unreachable, unreachable);
  fields.choice("degradedSources", settings.degraded_sources, sources);
  fields.choice("degradedNodeTest", settings.degraded_node_test, node_tests);
  fields.choice("degradedPower", settings.degraded_power, powers);
  fields.duration("degradedReadTime", settings.degraded_read_time);
}

class SettingsReading {
 public:
  explicit SettingsReading(YamlMap& fields) : fields_(fields) {}

  void number(std::string_view key, double& value) { value = fields_.number(key, value, not_negative); }
  void duration(std::string_view key, Duration& value) { value = fields_.duration(key, value); }
  void durations(std::string_view key, std::vector<Duration>& value) {
    if (fields_.has(key)) value = fields_.durations(key);
  }
  template <class Unit>
  void quantity(std::string_view key, Unit& value) {
    value = Unit(fields_.number(key, value.value(), not_negative));
  }
  template <class Unit>
  void amount(std::string_view key, Unit& value, std::string_view unit) {
    value = Unit(fields_.amount(key, value.value(), unit));
  }
  template <class Flag>
  void flag(std::string_view key, Flag& value) {
    value = static_cast<Flag>(fields_.flag(key, value == Flag(true)));
  }
  template <class Choice>
  void choice(std::string_view key, Choice& value, std::span<const std::string_view> names) {
    value = static_cast<Choice>(fields_.choice(key, names, static_cast<std::size_t>(value)));
  }

 private:
  YamlMap& fields_;
};

class Writing {
 public:
  void number(std::string_view key, double value) { field(key, fmt::format("{}", value)); }
  void duration(std::string_view key, Duration value) { field(key, text(value)); }
  void durations(std::string_view key, const std::vector<Duration>& values) {
    std::string list;
    for (const Duration value : values) list += (list.empty() ? "" : ", ") + text(value);
    field(key, "[" + list + "]");
  }
  template <class Unit>
  void quantity(std::string_view key, Unit value) {
    number(key, value.value());
  }
  template <class Unit>
  void amount(std::string_view key, Unit value, std::string_view) {
    number(key, value.value());
  }
  template <class Flag>
  void flag(std::string_view key, Flag value) {
    field(key, value == Flag(true) ? "true" : "false");
  }
  template <class Choice>
  void choice(std::string_view key, Choice value, std::span<const std::string_view> names) {
    field(key, fmt::format("\"{}\"", names[static_cast<std::size_t>(value)]));
  }
  std::string done() && { return out_ + "}"; }

 private:
  static std::string text(Duration value) {
    const std::int64_t count = value.count();
    return fmt::format("\"{}.{:06}s\"", count / 1'000'000, count % 1'000'000);
  }
  void field(std::string_view key, const std::string& value) {
    fmt::format_to(std::back_inserter(out_), "{}\"{}\": {}", out_.size() > 1 ? ", " : "", key, value);
  }
  std::string out_ = "{";
};

}  // namespace

void read_policy_settings(YamlMap fields, PolicySettings& settings) {
  SettingsReading reading(fields);
  each_setting(reading, settings);
  const std::vector<Duration>& edges = settings.time_slot_edges;
  if (edges.empty() || edges.front() != Duration(0) ||
      std::adjacent_find(edges.begin(), edges.end(), std::greater_equal<>()) != edges.end())
    fields.error("bucketEdges", "edges that do not rise from 0", "durations that begin with 0 and rise");
  // Shorter ones would keep the clock from moving, longer ones overflow with a million nodes.
  constexpr Duration least = std::chrono::milliseconds(1), most = std::chrono::hours(24);
  if (settings.heartbeat < least || settings.heartbeat > most)
    fields.error("heartbeat", fmt::format("{} s", to_seconds(settings.heartbeat)), "a duration from 1ms to 24h");
  if (settings.replan_every < least)
    fields.error("replanEvery", fmt::format("{} s", to_seconds(settings.replan_every)), "a duration of 1ms or more");
  if (settings.epoch != Duration(0) && settings.epoch < least)
    fields.error("epoch", fmt::format("{} s", to_seconds(settings.epoch)), "0, or a duration of 1ms or more");
  fields.finish();
}

std::string write_policy_settings(const PolicySettings& settings) {
  PolicySettings copy = settings;
  Writing writing;
  each_setting(writing, copy);
  return std::move(writing).done();
}

}  // namespace lips
