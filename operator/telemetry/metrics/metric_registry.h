// The metrics of metric_list() as values in Prometheus' text format. Any thread may call. A name or label that is not
// in the list is a programmer's error.
#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>

namespace lips {

class MetricRegistry {
 public:
  using Labels = std::initializer_list<std::string_view>;  // values, in the order of the list's names

  MetricRegistry();
  ~MetricRegistry();

  void add(std::string_view counter, Labels labels, double by = 1);
  void set(std::string_view gauge, Labels labels, double value);
  void change(std::string_view gauge, Labels labels, double by);
  void observe(std::string_view histogram, Labels labels, double value);

  // Removes the series of a metric whose label has that value. fold() first adds their counts to the series with the
  // label `into`.
  void remove(std::string_view metric, std::string_view label, std::string_view value);
  void fold(std::string_view metric, std::string_view label, std::string_view value, std::string_view into);

  std::string text() const;

 private:
  struct Families;
  std::unique_ptr<Families> families_;
};

}  // namespace lips
