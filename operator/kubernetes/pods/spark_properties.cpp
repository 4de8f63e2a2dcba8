#include "kubernetes/pods/spark_properties.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "config/quantities.h"
#include "kubernetes/api/quantity.h"

namespace lips::kubernetes {
namespace {

constexpr std::int32_t default_instances = 2;
constexpr double most_executors = 1e6, most_mebibytes = 1e8;
constexpr double least_overhead = 384;  // MiB
constexpr double overhead_of_jvm = 0.1, overhead_of_others = 0.4;

std::string unescaped(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size()) ++i;
    result += text[i];
  }
  return result;
}

// As java.util.Properties writes them: one "key=value" a line.
std::map<std::string, std::string> lines_of(std::string_view text) {
  std::map<std::string, std::string> result;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(text.size(), end + 1));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty() || line.front() == '#' || line.front() == '!') continue;
    std::size_t equals = 0;
    while (equals < line.size() && line[equals] != '=') equals += line[equals] == '\\' ? 2 : 1;
    if (equals >= line.size()) continue;
    result[unescaped(line.substr(0, equals))] = unescaped(line.substr(equals + 1));
  }
  return result;
}

class Properties {
 public:
  explicit Properties(std::string_view text) : lines_(lines_of(text)) {}

  const std::string* find(const char* key) const {
    const auto line = lines_.find(key);
    return line == lines_.end() ? nullptr : &line->second;
  }
  bool is_true(const char* key) const {
    const std::string* text = find(key);
    return text && *text == "true";
  }
  std::optional<double> number(const char* key, double most) const {
    const std::string* text = find(key);
    const std::optional<double> number = text ? parse_number(*text) : std::nullopt;
    return number && *number >= 0 && *number <= most ? number : std::nullopt;
  }
  // "512m", "2g", "2gb"; without a unit MiB.
  std::optional<double> mebibytes(const char* key) const {
    const std::string* text = find(key);
    if (!text) return std::nullopt;
    static constexpr std::array<std::pair<char, double>, 5> units{
        {{'b', 1.0 / (1 << 20)}, {'k', 1.0 / 1024}, {'m', 1}, {'g', 1024}, {'t', 1 << 20}}};
    std::string digits = *text;
    double unit = 1;
    if (digits.size() > 2 && (digits.ends_with('b') || digits.ends_with('B')) &&
        std::isalpha(static_cast<unsigned char>(digits[digits.size() - 2])))
      digits.pop_back();
    for (const auto& [letter, factor] : units)
      if (!digits.empty() && std::tolower(static_cast<unsigned char>(digits.back())) == letter) {
        unit = factor;
        digits.pop_back();
        break;
      }
    const std::optional<double> number = parse_number(digits);
    return number && *number >= 0 && *number * unit <= most_mebibytes ? std::optional(*number * unit) : std::nullopt;
  }

 private:
  std::map<std::string, std::string> lines_;
};

std::optional<std::int32_t> count_of(const Properties& said) {
  const auto number = [&](const char* key, double otherwise) {
    return said.number(key, most_executors).value_or(otherwise);
  };
  if (!said.is_true("spark.dynamicAllocation.enabled")) {
    const auto instances = static_cast<std::int32_t>(number("spark.executor.instances", default_instances));
    return std::max(1, instances);
  }
  // Spark asks for the largest of the three at its start.
  const double least = number("spark.dynamicAllocation.minExecutors", 0);
  const double initial = std::max(
      {least, number("spark.dynamicAllocation.initialExecutors", least), number("spark.executor.instances", 0)});
  return initial >= 1 ? std::optional(static_cast<std::int32_t>(initial)) : std::nullopt;
}

// Spark: BasicExecutorFeatureStep.
double memory_of(const Properties& said) {
  const double heap = said.mebibytes("spark.executor.memory").value_or(1024);
  const std::string* kind = said.find("spark.kubernetes.resource.type");
  const bool jvm = !kind || *kind == "java";
  double factor = jvm ? overhead_of_jvm : overhead_of_others;
  for (const char* key : {"spark.kubernetes.memoryOverheadFactor", "spark.executor.memoryOverheadFactor"})
    factor = said.number(key, 100).value_or(factor);
  double sum = heap + said.mebibytes("spark.executor.memoryOverhead").value_or(std::max(least_overhead, factor * heap));
  if (said.is_true("spark.memory.offHeap.enabled")) sum += said.mebibytes("spark.memory.offHeap.size").value_or(0);
  if (kind && *kind == "python") sum += said.mebibytes("spark.executor.pyspark.memory").value_or(0);
  return sum;
}

std::int64_t milli_cores_of(const Properties& said) {
  if (const std::string* cores = said.find("spark.kubernetes.executor.request.cores"))
    if (const Result<ResourceQuantity> quantity = parse_quantity(*cores); quantity && quantity->milli() > 0)
      return quantity->milli();
  return std::max<std::int64_t>(1, std::llround(1000 * said.number("spark.executor.cores", 1e4).value_or(1)));
}

}  // namespace

SparkExecutors read_spark_executors(std::string_view properties) {
  const Properties said(properties);
  const auto bytes = static_cast<std::int64_t>(memory_of(said)) << 20;  // Spark cuts off what is less than a MiB
  return {count_of(said), {{"cpu", milli_cores_of(said)}, {"memory", bytes}}};
}

}  // namespace lips::kubernetes
