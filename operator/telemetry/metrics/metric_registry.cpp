#include "telemetry/metrics/metric_registry.h"

#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <algorithm>
#include <mutex>
#include <optional>
#include <set>
#include <variant>
#include <vector>

#include "telemetry/metrics/metric_list.h"

namespace lips {

namespace {

std::vector<std::string> label_names(std::string_view list) {
  std::vector<std::string> names;
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(','), list.size());
    names.emplace_back(list.substr(0, end));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return names;
}

const prometheus::Histogram::BucketBoundaries second_buckets{
    0.0001, 0.0003, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800};

double value_of(const prometheus::ClientMetric& metric, const prometheus::Counter*) { return metric.counter.value; }
double value_of(const prometheus::ClientMetric& metric, const prometheus::Gauge*) { return metric.gauge.value; }

// Removes the series and adds them to those with the label `into`, unless that is empty.
template <class Metric>
void take_out(prometheus::Family<Metric>& family, const prometheus::ClientMetric::Label& which, std::string_view into) {
  for (const prometheus::MetricFamily& found : family.Collect()) {
    for (const prometheus::ClientMetric& metric : found.metric) {
      prometheus::Labels labels;
      for (const prometheus::ClientMetric::Label& label : metric.label) labels.emplace(label.name, label.value);
      const auto label = labels.find(which.name);
      if (label == labels.end() || label->second != which.value) continue;
      family.Remove(&family.Add(labels));
      if (into.empty()) continue;
      label->second = into;
      family.Add(labels).Increment(value_of(metric, static_cast<const Metric*>(nullptr)));
    }
  }
}

}  // namespace

struct MetricRegistry::Families {
  template <class Metric>
  using Of = prometheus::Family<Metric>;
  struct Family {
    std::variant<Of<prometheus::Counter>*, Of<prometheus::Gauge>*, Of<prometheus::Histogram>*> family;
    std::vector<std::string> labels;
    std::optional<std::size_t> pool;  // the number of that label
  };

  std::mutex mutex;  // of what family.Add() hands out, until it is used
  prometheus::Registry registry;
  std::vector<Family> all;                     // as in metric_list
  std::set<std::string, std::less<>> pools;    // with series of their own
  std::set<std::string, std::less<>> without;  // that have come since there are as many as may be

  void build(const MetricAbout& about) {
    const std::string name(about.name), help(about.help);
    const auto keep = [&](auto&& family) {
      std::vector<std::string> labels = label_names(about.labels);
      const auto pool = std::find(labels.begin(), labels.end(), "pool");
      const auto number = static_cast<std::size_t>(pool - labels.begin());
      const bool has = pool != labels.end();
      all.push_back({&family, std::move(labels), has ? std::optional(number) : std::nullopt});
    };
    switch (about.type) {
      case MetricType::counter:
        return keep(prometheus::BuildCounter().Name(name).Help(help).Register(registry));
      case MetricType::gauge:
        return keep(prometheus::BuildGauge().Name(name).Help(help).Register(registry));
      case MetricType::histogram:
        return keep(prometheus::BuildHistogram().Name(name).Help(help).Register(registry));
    }
  }

  // False: its pool is beyond those with series of their own. Names of no pool begin with an underscore.
  bool has_series(std::size_t metric, LabelValues values) {
    if (!all[metric].pool) return true;
    const std::string_view pool = values[*all[metric].pool];
    if (pool.starts_with('_') || pools.contains(pool)) return true;
    if (pools.size() >= most_pools) {
      without.emplace(pool);
      return false;
    }
    pools.emplace(pool);
    return true;
  }

  template <class Metric, class... Buckets>
  Metric& series(std::size_t metric, LabelValues values, const Buckets&... buckets) {
    const Family& found = all[metric];
    prometheus::Labels labels;
    auto label = found.labels.begin();
    for (const std::string_view value : values) labels.emplace(*label++, value);
    return std::get<Of<Metric>*>(found.family)->Add(labels, buckets...);
  }
};

MetricRegistry::MetricRegistry() : families_(std::make_unique<Families>()) {
  for (const MetricAbout& about : metric_list) families_->build(about);
}

MetricRegistry::~MetricRegistry() = default;

void MetricRegistry::add_to(std::size_t counter, LabelValues labels, double by) {
  const std::lock_guard lock(families_->mutex);
  if (families_->has_series(counter, labels)) {
    families_->series<prometheus::Counter>(counter, labels).Increment(by);
    return;
  }
  std::vector<std::string_view> values(labels.begin(), labels.end());
  values[*families_->all[counter].pool] = other_pools;
  families_->series<prometheus::Counter>(counter, values).Increment(by);
}

void MetricRegistry::set_to(std::size_t gauge, LabelValues labels, double value) {
  const std::lock_guard lock(families_->mutex);
  if (families_->has_series(gauge, labels)) families_->series<prometheus::Gauge>(gauge, labels).Set(value);
}

void MetricRegistry::change_by(std::size_t gauge, LabelValues labels, double by) {
  const std::lock_guard lock(families_->mutex);
  if (families_->has_series(gauge, labels)) families_->series<prometheus::Gauge>(gauge, labels).Increment(by);
}

void MetricRegistry::observe_in(std::size_t histogram, LabelValues labels, double value) {
  const std::lock_guard lock(families_->mutex);
  families_->series<prometheus::Histogram>(histogram, labels, second_buckets).Observe(value);
}

void MetricRegistry::fold(MetricLabel label, std::string_view value, std::string_view into) {
  const std::lock_guard lock(families_->mutex);
  const prometheus::ClientMetric::Label which{std::string(label.label()), std::string(value)};
  const auto& family = families_->all[label.index()].family;
  if (which.name == "pool") families_->pools.erase(which.value), families_->without.erase(which.value);
  if (const auto* counter = std::get_if<prometheus::Family<prometheus::Counter>*>(&family))
    take_out(**counter, which, into);
  else
    take_out(*std::get<prometheus::Family<prometheus::Gauge>*>(family), which, into);
}

std::size_t MetricRegistry::pools_without_series() const {
  const std::lock_guard lock(families_->mutex);
  return families_->without.size();
}

std::string MetricRegistry::text() const {
  const std::lock_guard lock(families_->mutex);
  return prometheus::TextSerializer().Serialize(families_->registry.Collect());
}

}  // namespace lips
