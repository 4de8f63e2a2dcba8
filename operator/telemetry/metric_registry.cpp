#include "telemetry/metric_registry.h"

#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <map>
#include <utility>
#include <vector>

#include "base/check.h"
#include "telemetry/metric_list.h"

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

}  // namespace

struct MetricRegistry::Families {
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
  const auto [family, named] = find(families_->counters, counter, labels);
  family->Add(named).Increment(by);
}

void MetricRegistry::set(std::string_view gauge, Labels labels, double value) {
  const auto [family, named] = find(families_->gauges, gauge, labels);
  family->Add(named).Set(value);
}

void MetricRegistry::change(std::string_view gauge, Labels labels, double by) {
  const auto [family, named] = find(families_->gauges, gauge, labels);
  family->Add(named).Increment(by);
}

void MetricRegistry::observe(std::string_view histogram, Labels labels, double value) {
  const auto [family, named] = find(families_->histograms, histogram, labels);
  family->Add(named, second_buckets).Observe(value);
}

std::string MetricRegistry::text() const {
  return prometheus::TextSerializer().Serialize(families_->registry.Collect());
}

}  // namespace lips
