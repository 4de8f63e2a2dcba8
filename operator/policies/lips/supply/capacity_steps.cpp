#include "policies/lips/supply/capacity_steps.h"

#include <algorithm>

#include "policies/lips/supply/paid_until.h"

namespace lips {

namespace {

// The part in [from, to) of a span of capacity that starts at `free_at`, in seconds.
double overlap(double free_at, double from, double to) { return std::max(0.0, to - std::max(from, free_at)); }

Duration wait(const TimeSlotSettings& time_slots, std::size_t slot) {
  const Duration begin = time_slots.edges[slot];
  return slot == 0 || !time_slots.wait_to_middle ? begin : (begin + time_slots.edges[slot + 1]) / 2;
}

class Steps {
 public:
  Steps(const ClusterSnapshot& cluster, const TimeSlotSettings& time_slots, double mean_task, NodeClasses& classes)
      : cluster_(cluster), classes_(classes), paid_(classes.classes.size()) {
    classes.paid_until = paid_until(cluster);
    for (Duration edge : time_slots.edges) edges_.push_back(to_seconds(edge));
    count_ = edges_.size() - 1;
    all_ = count_ + (time_slots.billing == Billing::invoice ? 1 : 0);
    hourly_ = time_slots.waiting_price * classes.mean_price.value();
    classes.steps.resize(classes.classes.size(), std::vector<CapacityStep>(all_));
    freed_.resize(classes.classes.size(), std::vector<Resources>(count_, Resources{Cores(0), Mebibytes(0), 0}));
    waits_.resize(classes.classes.size());
    classes.now_window.resize(classes.classes.size());
    for (ClassId c : classes.classes.ids()) {
      const double task = mean_task / classes.classes[c].speed;
      double& now = classes.now_window[c] = edges_[1];
      if (time_slots.stretch_first) now = std::max({now, to_seconds(time_slots.least_window), task});
      for (std::size_t slot = 0; slot < count_; ++slot) {
        classes.steps[c][slot].waiting_price = hourly_ * to_hours(wait(time_slots, slot));
        classes.steps[c][slot].from = edges_[slot];
      }
      paid_[c].resize(classes.classes[c].whole ? all_ : 0);
    }
  }

  void add_free() {
    for (ClassId c : classes_.classes.ids()) {
      Resources all{Cores(0), Mebibytes(0), 0};
      for (NodeId node : classes_.classes[c].nodes) {
        const Resources& free = cluster_.free[node];
        const Resources now{classes_.usable.of(std::max(Cores(0), free.cpu)),
                            classes_.usable.of(std::max(Mebibytes(0), free.memory)), std::max(0, free.slots)};
        all += now;
        for (std::size_t slot = 0; slot < std::min(count_, paid_[c].size()); ++slot)
          add(paid_[c][slot], c, now,
              overlap(0, edges_[slot], std::min(edges_[slot] + span(c, slot), classes_.paid_until[node])));
      }
      for (std::size_t slot = 0; slot < count_; ++slot) add(classes_.steps[c][slot], c, all, span(c, slot));
    }
  }

  void add_after(const RunningTask& run) {
    const ClassId c = classes_.class_of[run.node];
    if (!c.valid()) return;
    const double free_at = std::max(0.0, to_seconds(run.expected_end - cluster_.now));
    const std::size_t first = slot_of(free_at);
    if (first == count_) return;
    const Resources& request = cluster_.jobs[run.job].request;
    add_in(first, run, request, free_at);
    if (first + 1 < count_) freed_[c][first + 1] += request;
    if (!paid_[c].empty())
      for (std::size_t slot = first + 1; slot < count_; ++slot) add_paid(slot, run, request, free_at);
  }

  // Each later slot has all of what came free before it.
  void add_freed() {
    for (ClassId c : classes_.classes.ids()) {
      Resources freed{Cores(0), Mebibytes(0), 0};
      for (std::size_t slot = 0; slot < count_; ++slot) {
        freed += freed_[c][slot];
        add(classes_.steps[c][slot], c, freed, edges_[slot + 1] - edges_[slot]);
      }
    }
  }

  // Capacity that comes free within the first time slot costs a wait until then, in the mean.
  void charge_waits() {
    if (all_ == count_) return;
    for (ClassId c : classes_.classes.ids()) {
      CapacityStep& soon = classes_.steps[c][count_];
      if (soon.work > 0) soon.waiting_price = hourly_ * waits_[c] / soon.work / 3600;
    }
  }

  void part_paid_capacity() {
    for (ClassId c : classes_.classes.ids())
      for (std::size_t slot = 0; slot < paid_[c].size(); ++slot) {
        CapacityStep &all = classes_.steps[c][slot], &paid = paid_[c][slot];
        if (paid.work <= 0) continue;
        all.work -= paid.work, all.memory -= paid.memory, all.slots -= paid.slots;
        paid.waiting_price = all.waiting_price - (1 - price_of_paid_capacity) * classes_.classes[c].price.value();
        paid.from = all.from;
        paid.paid = true;
        classes_.steps[c].push_back(paid);
      }
  }

 private:
  // The time slot in which it comes free; count_: after the last.
  std::size_t slot_of(double free_at) const {
    std::size_t slot = 0;
    while (slot < count_ && edges_[slot + 1] <= free_at) ++slot;
    return slot;
  }

  // The part of the slot after the task's end.
  void add_in(std::size_t slot, const RunningTask& run, const Resources& request, double free_at) {
    const ClassId c = classes_.class_of[run.node];
    const double seconds = edges_[slot + 1] - free_at;
    add(classes_.steps[c][step_of(slot)], c, request, seconds);
    if (step_of(slot) != slot) waits_[c] += request.cpu.value() * seconds * classes_.classes[c].speed * free_at;
    if (!paid_[c].empty()) add_paid(slot, run, request, free_at);
  }

  void add_paid(std::size_t slot, const RunningTask& run, const Resources& request, double free_at) {
    const ClassId c = classes_.class_of[run.node];
    add(paid_[c][step_of(slot)], c, request,
        overlap(free_at, edges_[slot], std::min(edges_[slot + 1], classes_.paid_until[run.node])));
  }

  // By the invoice, what comes free within the first slot is a step of its own.
  std::size_t step_of(std::size_t slot) const { return slot == 0 && all_ > count_ ? count_ : slot; }

  double span(ClassId c, std::size_t slot) const {
    return slot == 0 ? classes_.now_window[c] : edges_[slot + 1] - edges_[slot];
  }
  void add(CapacityStep& step, ClassId c, const Resources& amount, double seconds) const {
    step.work += amount.cpu.value() * seconds * classes_.classes[c].speed;
    step.memory += amount.memory.value() * seconds;
    step.slots += amount.slots * seconds;
  }

  const ClusterSnapshot& cluster_;
  NodeClasses& classes_;
  std::vector<double> edges_;        // seconds
  std::size_t count_ = 0, all_ = 0;  // time slots; steps: with one for what comes free within the first slot
  double hourly_ = 0;                // price of an hour's wait of a CPU-second
  IdVector<ClassId, std::vector<Resources>> freed_;  // by slot: of tasks that end in the slot before
  IdVector<ClassId, double> waits_;                  // CPU-seconds of that step, times the seconds until they are free
  IdVector<ClassId, std::vector<CapacityStep>> paid_;  // by step, part of them; empty: of fixed nodes
};

}  // namespace

void fill_steps(const ClusterSnapshot& cluster, const TimeSlotSettings& time_slots, double mean_task,
                NodeClasses& classes) {
  Steps steps(cluster, time_slots, mean_task, classes);
  steps.add_free();
  for (const RunningTask& run : cluster.running) steps.add_after(run);
  steps.add_freed();
  steps.charge_waits();
  steps.part_paid_capacity();
}

}  // namespace lips
