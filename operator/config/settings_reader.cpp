#include "config/settings_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <span>
#include <string_view>

#include "config/quantities.h"

namespace lips {

namespace {

// The settings of each family. Reading and writing use these same lists.
template <class Fields>
void each_setting(Fields& fields, LipsSettings& lips) {
  fields.choice("billing", lips.billing, billing_names);
  fields.number_if_any("waitingPrice", lips.waiting_price);
  fields.number_if_any("waitingPerJob", lips.waiting_per_job);
  fields.flag("queueCharge", lips.queue_charge);
  fields.durations("bucketEdges", lips.time_slot_edges);
  fields.duration("horizon", lips.horizon);
  fields.duration("planAhead", lips.plan_ahead);
  fields.flag("copyColumns", lips.copy_columns);
  fields.amount("expressLimit", lips.fast_path_limit, "USD");
  fields.number("orderFactor", lips.order_factor);
  fields.flag("homeZones", lips.home_zones);
  fields.duration("settle", lips.settle);
  fields.duration("keepRoom", lips.keep_room);
  fields.duration("keepBudget", lips.keep_budget);
  fields.duration("expectedReach", lips.expected_reach);
  fields.flag("keepCopies", lips.keep_copies);
  fields.amount("moveCost", lips.move_cost, "USD");
  fields.duration("dropCopiesAfter", lips.drop_copies_after);
  fields.amount("localityPrice", lips.locality_price, "USD/MiB");
  fields.number("makespanTolerance", lips.makespan_tolerance);
}

template <class Fields>
void each_setting(Fields& fields, Targets& targets) {
  fields.amount("budgetPerDay", targets.budget_per_day, "USD");
  fields.duration("meanWait", targets.mean_wait);
  fields.time_of_day("completeBy", targets.complete_by);
}

template <class Fields>
void each_setting(Fields& fields, PaperSettings& paper) {
  fields.duration("epoch", paper.epoch);
  fields.flag("adaptiveEpoch", paper.adaptive_epoch);
  fields.duration("uptime", paper.uptime);
  fields.quantity("leastTask", paper.least_task);
}

template <class Fields>
void each_setting(Fields& fields, DelaySettings& delay) {
  fields.duration("nodeDelay", delay.node);
  fields.duration("rackDelay", delay.rack);
}

template <class Fields>
void each_setting(Fields& fields, StarburstSettings& starburst) {
  fields.duration("starburstWait", starburst.wait_per_cpu_hour);
}

template <class Fields>
void each_setting(Fields& fields, ModifiedFairSettings& fair) {
  static constexpr std::array<std::string_view, 2> none_to_node = {"text", "printed"};
  static constexpr std::array<std::string_view, 3> adjustments = {"table", "text", "off"};
  static constexpr std::array<std::string_view, 2> ratios = {"zero", "one"};
  static constexpr std::array<std::string_view, 2> pending = {"most", "least"};
  static constexpr std::array<std::string_view, 2> bases = {"free", "all"};
  static constexpr std::array<std::string_view, 2> samples = {"refused", "sinceArrival"};
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

template <class Fields>
void each_setting(Fields& fields, LsapSettings& lsap) {
  static constexpr std::array<std::string_view, 3> roundings = {"down", "nearest", "up"};
  static constexpr std::array<std::string_view, 2> unreachable = {"formula", "one"};
  fields.number("lsapRackCost", lsap.rack_cost);
  fields.number("lsapZoneCost", lsap.zone_cost);
  fields.number("lsapRemoteCost", lsap.remote_cost);
  fields.duration("lsapPatience", lsap.patience);
  fields.number("lsapAlpha", lsap.alpha);
  fields.number("lsapBeta", lsap.beta);
  fields.choice("lsapRounding", lsap.rounding, roundings);
  fields.choice("lsapUnreachable", lsap.unreachable, unreachable);
}

template <class Fields>
void each_setting(Fields& fields, DegradedSettings& degraded) {
  static constexpr std::array<std::string_view, 2> sources = {"random", "nearest"};
  static constexpr std::array<std::string_view, 2> node_tests = {"prose", "listing"};
  static constexpr std::array<std::string_view, 2> powers = {"counts", "ignored"};
  fields.choice("degradedSources", degraded.sources, sources);
  fields.choice("degradedNodeTest", degraded.node_test, node_tests);
  fields.choice("degradedPower", degraded.power, powers);
  fields.duration("degradedReadTime", degraded.read_time);
}

template <class Fields>
void each_setting(Fields& fields, PipelineSettings& pipeline) {
  static constexpr std::array<std::string_view, 4> shares = {"none", "fair", "demand", "capacity"};
  static constexpr std::array<std::string_view, 2> amounts = {"lips", "all"};
  static constexpr std::array<std::string_view, 3> places = {"planned", "lsap", "nearest"};
  static constexpr std::array<std::string_view, 5> orders = {"planned", "arrival", "fair", "modifiedFair",
                                                             "degradedFirst"};
  fields.choice("pipelineShares", pipeline.shares, shares);
  fields.choice("pipelineAmounts", pipeline.amounts, amounts);
  fields.choice("pipelinePlaces", pipeline.places, places);
  fields.choice("pipelineOrder", pipeline.order, orders);
}

template <class Fields>
void each_setting(Fields& fields, PolicySettings& settings) {
  fields.duration("replanEvery", settings.replan_every);
  fields.duration("replanLeast", settings.replan_least);
  fields.duration("heartbeat", settings.heartbeat);
  fields.number("reduceSlots", settings.reduce_slots);
  each_setting(fields, settings.targets);
  each_setting(fields, settings.lips);
  each_setting(fields, settings.paper);
  each_setting(fields, settings.delay);
  each_setting(fields, settings.starburst);
  each_setting(fields, settings.modified_fair);
  each_setting(fields, settings.lsap);
  each_setting(fields, settings.degraded);
  each_setting(fields, settings.pipeline);
}

class SettingsReading {
 public:
  explicit SettingsReading(YamlMap& fields) : fields_(fields) {}

  void number(std::string_view key, double& value) { value = fields_.number(key, value, not_negative); }
  void number_if_any(std::string_view key, std::optional<double>& value) {
    if (fields_.has(key)) value = fields_.number(key, 0, not_negative);
  }
  void duration(std::string_view key, Duration& value) { value = fields_.duration(key, value); }
  void time_of_day(std::string_view key, Duration& value) { value = fields_.time_of_day(key, value); }
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
  void number_if_any(std::string_view key, std::optional<double> value) {
    if (value) number(key, *value);
  }
  void duration(std::string_view key, Duration value) { field(key, text(value)); }
  void time_of_day(std::string_view key, Duration value) { field(key, '"' + lips::time_of_day(value) + '"'); }
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
  const std::vector<Duration>& edges = settings.lips.time_slot_edges;
  if (edges.empty() || edges.front() != Duration(0) ||
      std::adjacent_find(edges.begin(), edges.end(), std::greater_equal<>()) != edges.end())
    fields.error("bucketEdges", "edges that do not rise from 0", "durations that begin with 0 and rise");
  // Shorter intervals would stop the clock; longer ones overflow with a million nodes.
  constexpr Duration least = std::chrono::milliseconds(1), most = std::chrono::hours(24);
  if (settings.heartbeat < least || settings.heartbeat > most)
    fields.error("heartbeat", fmt::format("{} s", to_seconds(settings.heartbeat)), "a duration from 1ms to 24h");
  if (settings.replan_every < least)
    fields.error("replanEvery", fmt::format("{} s", to_seconds(settings.replan_every)), "a duration of 1ms or more");
  if (settings.paper.epoch != Duration(0) && settings.paper.epoch < least)
    fields.error("epoch", fmt::format("{} s", to_seconds(settings.paper.epoch)), "0, or a duration of 1ms or more");
  fields.finish();
}

std::string write_policy_settings(const PolicySettings& settings) {
  PolicySettings copy = settings;
  Writing writing;
  each_setting(writing, copy);
  return std::move(writing).done();
}

}  // namespace lips
