#include "kubernetes/adapter/known_jobs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "base/random.h"
#include "kubernetes/api/http_client.h"
#include "kubernetes/api/loop_client.h"
#include "kubernetes/api/real_loop.h"
#include "tests/kubernetes/adapter/scheduling.h"

namespace lips::kubernetes {
namespace {

// The maps and reduces of one job, whose Jobs and pods come and go in any order.
class SharedJob {
 public:
  explicit SharedJob(std::uint64_t seed) : random_(seed) {}

  void act() {
    switch (random_.below(8)) {
      case 0:
        return add(random_.below(4) == 0 ? TaskKind::reduce : TaskKind::map);
      case 1:
        return end(random_.below(3) > 0);
      case 2:
        return remove();
      case 3:
        return tell_task();
      case 4:
        return withdraw();
      default:
        return change_job();
    }
  }
  // The operator tells the number when pods arrive, and when it may be another.
  void tell() {
    const bool changed = jobs_.take_maps_changed().contains(key);
    if (std::exchange(arrived_, false) || changed) told_ = jobs_.missing_maps(key);
  }
  void expect_told() {
    std::uint32_t open = 0, tasks = 0, finished = 0, declared = 0;
    bool reduces = false;
    for (const auto& pod : pods_) {
      reduces |= pod->work.stage == TaskKind::reduce;
      if (pod->work.stage != TaskKind::map) continue;
      open += pod->state != PodState::terminated;
      tasks += pod->task.valid();
      finished += pod->state == PodState::terminated && pod->succeeded;
    }
    for (const BatchJob& job : declared_)
      if (!job.ended && !job.deleting) declared += static_cast<std::uint32_t>(*job.spec.completions);
    if (pods_.empty()) return;
    const std::uint32_t awaited = std::max(declared, open + finished);
    const std::uint32_t missing = reduces ? awaited - finished - tasks : 0;
    EXPECT_EQ(jobs_.missing_maps(key), missing);
    EXPECT_EQ(told_, missing);
    EXPECT_EQ(jobs_.awaits_maps(key), finished < awaited);
  }

 private:
  static constexpr const char* key = "job/n/sort";

  void add(TaskKind stage) {
    PodRecord& pod = *pods_.emplace_back(std::make_unique<PodRecord>());
    const std::string name = "pod-" + std::to_string(made_++);
    pod.meta = {"n", name, "uid-" + name, "1"};
    pod.work.stage = stage;
    pod.work.job = "sort";
    jobs_.update(pod);
    arrived_ |= stage == TaskKind::reduce;
  }
  void tell_task() {
    PodRecord* pod = any_open();
    if (!pod || pod->task.valid()) return;
    pod->task = TaskId(static_cast<std::uint32_t>(made_));
    arrived_ = true;
  }
  void withdraw() {
    PodRecord* pod = any_open();
    if (!pod || !pod->task.valid()) return;
    jobs_.note_map(*pod);
    pod->task = TaskId::none();
  }
  PodRecord* any_open() {
    for (const auto& pod : pods_)
      if (pod->state != PodState::terminated && random_.below(3) == 0) return pod.get();
    return nullptr;
  }
  void end(bool succeeded) {
    PodRecord* pod = any_open();
    if (!pod) return;
    pod->state = PodState::terminated;
    pod->succeeded = succeeded;
    jobs_.update(*pod);
    if (!succeeded || !pod->task.valid()) jobs_.note_map(*pod);
    pod->task = TaskId::none();
  }
  // A finished map of which nobody remembers where it ran counts no more.
  void remove() {
    if (pods_.empty()) return;
    const auto which = pods_.begin() + static_cast<std::ptrdiff_t>(random_.below(pods_.size()));
    if ((*which)->work.stage == TaskKind::reduce) return;
    jobs_.forget(**which);
    pods_.erase(which);
  }
  void change_job() {
    if (declared_.size() < 3 && random_.below(2) == 0) {
      BatchJob job;
      const std::string name = "job-" + std::to_string(made_++);
      job.meta = {"n", name, "uid-" + name, "1"};
      job.spec.completions = static_cast<std::int32_t>(random_.below(9));
      job.spec.pod_notes.annotations = {{"lips.dev/job", "sort"}};
      declared_.push_back(job);
      return jobs_.update(job);
    }
    if (declared_.empty()) return;
    const auto which = declared_.begin() + static_cast<std::ptrdiff_t>(random_.below(declared_.size()));
    if (random_.below(2) == 0) {
      jobs_.forget_job(which->meta.uid);
      declared_.erase(which);
      return;
    }
    (random_.below(2) == 0 ? which->ended : which->deleting) = true;
    jobs_.update(*which);
  }

  Random random_;
  VirtualApi api_{[](const ReceivedRequest&) { return Reply{200, "{}", {}, false, nullptr}; }};
  JobMemories memories_{api_.client(), [] { return true; }};
  NodeCache nodes_;
  Quotas quotas_;
  KnownJobs jobs_{memories_, nodes_, quotas_};
  std::vector<std::unique_ptr<PodRecord>> pods_;
  std::vector<BatchJob> declared_;
  int made_ = 0;
  bool arrived_ = false;
  std::uint32_t told_ = 0;
};

TEST(KnownJobsTest, TellHowManyMapsAreMissingAfterAnyHistory) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    SharedJob job(seed);
    for (int step = 0; step < 80 && !testing::Test::HasFailure(); ++step) {
      job.act();
      job.tell();
      job.expect_told();
    }
  }
}

// A Job of reduces, one that names no job, and one of another namespace say nothing of the maps.
TEST(KnownJobsTest, CountMapsOfTheirOwnJobsAlone) {
  DeclaredMaps maps;
  BatchJob job;
  job.meta = {"n", "one", "uid", "1"};
  job.spec.completions = 5;
  job.spec.pod_notes.annotations = {{"lips.dev/job", "sort"}, {"lips.dev/stage", "reduce"}};
  maps.update(job);
  EXPECT_EQ(maps.of("job/n/sort"), 0u);
  job.spec.pod_notes.annotations = {{"lips.dev/stage", "map"}};
  maps.update(job);
  EXPECT_EQ(maps.of("job/n/sort"), 0u);
  job.spec.pod_notes.annotations = {};
  job.spec.pod_notes.labels = {{"lips.dev/job", "sort"}};
  maps.update(job);
  EXPECT_EQ(maps.of("job/other/sort"), 0u);
  EXPECT_EQ(maps.of("job/n/sort"), 5u);
  job.spec.completions = std::nullopt;
  maps.update(job);
  EXPECT_EQ(maps.of("job/n/sort"), 0u);
}

}  // namespace
}  // namespace lips::kubernetes
