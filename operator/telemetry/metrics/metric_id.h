// Names of metrics, found in metric_list by the compiler: one that is not in it, or that has another type or other
// labels, does not compile.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "telemetry/metrics/metric_list.h"

namespace lips {

constexpr std::optional<std::size_t> find_metric(std::string_view name, MetricType type, std::size_t labels) {
  for (std::size_t i = 0; i < metric_list.size(); ++i)
    if (metric_list[i].name == name && metric_list[i].type == type && metric_list[i].label_count() == labels) return i;
  return std::nullopt;
}

// The index of a counter or a gauge.
constexpr std::optional<std::size_t> find_labelled_metric(std::string_view name, std::string_view label) {
  for (std::size_t i = 0; i < metric_list.size(); ++i)
    if (metric_list[i].name == name && metric_list[i].type != MetricType::histogram && metric_list[i].has_label(label))
      return i;
  return std::nullopt;
}

// Has no definition: the compiler names it where it finds no metric.
std::size_t no_such_metric_in_the_list();
consteval std::size_t found_metric(std::optional<std::size_t> index) {
  return index ? *index : no_such_metric_in_the_list();
}

// A metric with so many labels.
template <MetricType type, std::size_t labels>
class MetricId {
 public:
  consteval MetricId(const char* name) : index_(found_metric(find_metric(name, type, labels))) {}
  constexpr std::size_t index() const { return index_; }

 private:
  std::size_t index_;
};

template <std::size_t labels>
using CounterId = MetricId<MetricType::counter, labels>;
template <std::size_t labels>
using GaugeId = MetricId<MetricType::gauge, labels>;
template <std::size_t labels>
using HistogramId = MetricId<MetricType::histogram, labels>;

// A counter or gauge and one of its labels.
class MetricLabel {
 public:
  consteval MetricLabel(const char* metric, const char* label)
      : index_(found_metric(find_labelled_metric(metric, label))), label_(label) {}
  constexpr std::size_t index() const { return index_; }
  constexpr std::string_view label() const { return label_; }

 private:
  std::size_t index_;
  std::string_view label_;
};

}  // namespace lips
