// Annotations: a pod with the input's lines as values of ours, paths of data, memories of jobs, degraded inputs,
// properties of Spark.
#include "kubernetes/adapter/memory_text.h"
#include "kubernetes/pods/data_path.h"
#include "kubernetes/pods/pod_annotations.h"
#include "kubernetes/pods/spark_properties.h"
#include "model/degraded_input.h"
#include "tests/fuzz/fuzz_target.h"

namespace lips::kubernetes {

namespace {

Pod pod_with(std::string_view input) {
  static constexpr const char* keys[] = {annotation::cpu,      annotation::cpu_per_mebibyte,
                                         annotation::data_set, annotation::job,
                                         annotation::memory,   annotation::mounted_at,
                                         annotation::pool,     annotation::run_time,
                                         annotation::shuffle,  annotation::stage,
                                         annotation::tasks,    annotation::complete_by,
                                         annotation::max_wait};
  Pod pod;
  pod.meta.name_space = "etl", pod.meta.name = "p";
  for (const char* key : keys) {
    const std::size_t end = std::min(input.find('\n'), input.size());
    pod.annotations.emplace_back(key, std::string(input.substr(0, end)));
    input.remove_prefix(std::min(input.size(), end + 1));
  }
  std::sort(pod.annotations.begin(), pod.annotations.end());
  return pod;
}

}  // namespace

FUZZ_TARGET(annotations, bytes) {
  bool taken = read_pod_annotations(pod_with(input)).has_value();
  FUZZ_CHECK(amount_of(read_spark_executors(input).each, "cpu") > 0);
  if (const auto path = read_data_path(std::string(input))) {
    FUZZ_CHECK(("/" + path->path + "/").find("/../") == std::string::npos);
    FUZZ_CHECK(!path->path.starts_with('/') && !path->path.ends_with('/'));
    taken = true;
  } else {
    FUZZ_CHECK(path.error().message.size() < 400);
  }
  const StoredMemory stored = read_memory(std::string(input));
  const StoredMemory again = read_memory(memory_text(stored.memory, stored.home));
  FUZZ_CHECK(memory_text(again.memory, again.home) == memory_text(stored.memory, stored.home));
  if (const auto shares = read_shares(std::string(input))) {
    const auto same = read_shares(shares_text(*shares));
    FUZZ_CHECK(same && shares_text(*same) == shares_text(*shares));
    taken = true;
  }
  const std::vector<TargetDebt> debts = read_debts(std::string(input));
  FUZZ_CHECK(debts_text(read_debts(debts_text(debts))) == debts_text(debts));
  if (const auto degraded = parse_degraded_input(input)) {
    const auto same = parse_degraded_input(format_degraded_input(*degraded));
    FUZZ_CHECK(same && *same == *degraded);
    taken = true;
  }
  return taken;
}

}  // namespace lips::kubernetes
