#include "telemetry/metrics/metric_registry.h"

#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "base/check.h"
#include "telemetry/metrics/metric_list.h"

namespace lips {

namespace {

template <class Metric>
struct KnownFamily {
  prometheus::Family<Metric>* family = nullptr;
  std::vector<std::string> labels;
};

template <class Metric>
using FamilyMap = std::map<std::string, KnownFamily<Metric>, std::less<>>;

std::vector<std::string> label_names(std::string_view list) {
  std::vector<std::string> names;
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(','), list.size());
    names.emplace_back(list.substr(0, end));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return names;
}

template <class Metric>
std::pair<prometheus::Family<Metric>*, prometheus::Labels> find(const FamilyMap<Metric>& families,
                                                                std::string_view name, MetricRegistry::Labels values) {
  const auto found = families.find(name);
  LIPS_CHECK(found != families.end(), "the metric is in metric_list(): " + std::string(name));
  LIPS_CHECK(found->second.labels.size() == values.size(), "the metric's labels: " + std::string(name));
  prometheus::Labels labels;
  auto label = found->second.labels.begin();
  for (const std::string_view value : values) labels.emplace(*label++, value);
  return {found->second.family, std::move(labels)};
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
  std::mutex mutex;  // guards results of family.Add() until they are used
  prometheus::Registry registry;
  FamilyMap<prometheus::Counter> counters;
  FamilyMap<prometheus::Gauge> gauges;
  FamilyMap<prometheus::Histogram> histograms;

  void build(const MetricAbout& about) {
    const std::string name(about.name), help(about.help);
    const std::vector<std::string> labels = label_names(about.labels);
    switch (about.type) {
      case MetricType::counter:
        counters[name] = {&prometheus::BuildCounter().Name(name).Help(help).Register(registry), labels};
        break;
      case MetricType::gauge:
        gauges[name] = {&prometheus::BuildGauge().Name(name).Help(help).Register(registry), labels};
        break;
      case MetricType::histogram:
        histograms[name] = {&prometheus::BuildHistogram().Name(name).Help(help).Register(registry), labels};
        break;
    }
  }
};

MetricRegistry::MetricRegistry() : families_(std::make_unique<Families>()) {
  for (const MetricAbout& about : metric_list()) families_->build(about);
}

MetricRegistry::~MetricRegistry() = default;

void MetricRegistry::add(std::string_view counter, Labels labels, double by) {
  const std::lock_guard lock(families_->mutex);
  const auto [family, named] = find(families_->counters, counter, labels);
  family->Add(named).Increment(by);
}

void MetricRegistry::set(std::string_view gauge, Labels labels, double value) {
  const std::lock_guard lock(families_->mutex);
  const auto [family, named] = find(families_->gauges, gauge, labels);
  family->Add(named).Set(value);
}

void MetricRegistry::change(std::string_view gauge, Labels labels, double by) {
  const std::lock_guard lock(families_->mutex);
  const auto [family, named] = find(families_->gauges, gauge, labels);
  family->Add(named).Increment(by);
}

void MetricRegistry::observe(std::string_view histogram, Labels labels, double value) {
  const std::lock_guard lock(families_->mutex);
  const auto [family, named] = find(families_->histograms, histogram, labels);
  family->Add(named, second_buckets).Observe(value);
}

void MetricRegistry::remove(std::string_view metric, std::string_view label, std::string_view value) {
  fold(metric, label, value, {});
}

void MetricRegistry::fold(std::string_view metric, std::string_view label, std::string_view value,
                          std::string_view into) {
  const std::lock_guard lock(families_->mutex);
  const prometheus::ClientMetric::Label which{std::string(label), std::string(value)};
  if (const auto counter = families_->counters.find(metric); counter != families_->counters.end())
    return take_out(*counter->second.family, which, into);
  const auto gauge = families_->gauges.find(metric);
  LIPS_CHECK(gauge != families_->gauges.end(), "the metric is a counter or gauge: " + std::string(metric));
  take_out(*gauge->second.family, which, into);
}

std::string MetricRegistry::text() const {
  const std::lock_guard lock(families_->mutex);
  return prometheus::TextSerializer().Serialize(families_->registry.Collect());
}

}  // namespace lips
