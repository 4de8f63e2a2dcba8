// The metrics of metric_list as values in Prometheus' text format. Any thread may call.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "telemetry/metrics/metric_id.h"

namespace lips {

inline constexpr std::string_view all_gone = "_gone";  // in place of the names of pools and zones that are gone

// Counters of pools beyond the first `most_pools` share this name; their gauges have no series.
inline constexpr std::string_view other_pools = "_other";
inline constexpr std::size_t most_pools = 200;

class MetricRegistry {
 public:
  // Values of a metric's labels, in the order of the list's names.
  template <std::size_t count>
  using Labels = const std::string_view (&)[count];
  struct NoLabels {};

  MetricRegistry();
  ~MetricRegistry();

  template <std::size_t count>
  void add(std::type_identity_t<CounterId<count>> counter, Labels<count> labels, double by = 1) {
    add_to(counter.index(), labels, by);
  }
  template <std::size_t count>
  void set(std::type_identity_t<GaugeId<count>> gauge, Labels<count> labels, double value) {
    set_to(gauge.index(), labels, value);
  }
  template <std::size_t count>
  void change(std::type_identity_t<GaugeId<count>> gauge, Labels<count> labels, double by) {
    change_by(gauge.index(), labels, by);
  }
  template <std::size_t count>
  void observe(std::type_identity_t<HistogramId<count>> histogram, Labels<count> labels, double value) {
    observe_in(histogram.index(), labels, value);
  }
  void add(CounterId<0> counter, NoLabels, double by = 1) { add_to(counter.index(), {}, by); }
  void set(GaugeId<0> gauge, NoLabels, double value) { set_to(gauge.index(), {}, value); }
  void observe(HistogramId<0> histogram, NoLabels, double value) { observe_in(histogram.index(), {}, value); }

  // The series of that metric whose label has that value. fold() adds what they counted to those with the label `into`
  // first.
  void remove(MetricLabel label, std::string_view value) { fold(label, value, {}); }
  void fold(MetricLabel label, std::string_view value, std::string_view into);

  // Pools that are there and have no series of their own.
  std::size_t pools_without_series() const;
  std::string text() const;

 private:
  using LabelValues = std::span<const std::string_view>;
  void add_to(std::size_t counter, LabelValues labels, double by);
  void set_to(std::size_t gauge, LabelValues labels, double value);
  void change_by(std::size_t gauge, LabelValues labels, double by);
  void observe_in(std::size_t histogram, LabelValues labels, double value);

  struct Families;
  std::unique_ptr<Families> families_;
};

}  // namespace lips
