#include "kubernetes/adapter/application_traffic.h"

#include <algorithm>
#include <utility>

#include "kubernetes/pods/pod_annotations.h"
#include "kubernetes/pods/spark_traffic.h"

namespace lips::kubernetes {
namespace {

constexpr int most_at_once = 8;
constexpr std::size_t most_drivers = 10'000;
constexpr std::size_t longest_answer = 8 << 20;  // of about 3,500 executors
constexpr std::chrono::milliseconds patience{3'000};
constexpr Duration between_hurried = std::chrono::seconds(1);
constexpr int failures_of_a_start = 3;  // before the application is there
constexpr Duration keep_every = std::chrono::minutes(1);

ClientOptions client_options() {
  ClientOptions options;
  options.in_flight = most_at_once;
  options.retry.most_tries = 1;
  return options;
}

}  // namespace

ApplicationTraffic::ApplicationTraffic(Surroundings around, Rules rules)
    : around_(std::move(around)), rules_(std::move(rules)) {
  if (rules_.learn && around_.connect) client_ = around_.connect(client_options());
}

void ApplicationTraffic::found(const Pod& pod, TimePoint now) {
  if (!rules_.learn) return;
  count(pod);
  if (const auto known = drivers_.find(pod.meta.uid); known != drivers_.end()) {
    if (has_ended(pod.phase))
      end(known->second, {now, pod.phase == PodPhase::succeeded});
    else if (pod.deleting)
      hurry(pod.meta.name_space + '/' + known->second.run, now);
    return;
  }
  const bool starts = pod.phase == PodPhase::running && !pod.deleting && !pod.address.empty();
  if (!starts && !pod.deleting) return;
  const std::optional<ApplicationMarks> marks = application_marks(pod, rules_.frameworks);
  if (!marks || marks->application.empty()) return;
  const std::string run = pod.meta.name_space + '/' + marks->run;
  if (!marks->driver) return pod.deleting ? hurry(run, now) : void();
  const bool apart = pod.address != pod.node_address;  // else the port may be anybody's on that node
  if (!starts || !apart || !rules_.may_ask(pod.address) || drivers_.size() >= most_drivers) return;
  Driver& driver = drivers_[pod.meta.uid];
  driver.meta = pod.meta;
  driver.application = pod.meta.name_space + '/' + marks->application;
  driver.run = marks->run;
  driver.address = pod.address;
  driver.started = std::min(now, pod.started.value_or(now));
  driver.next = now;
  driver_of_[run] = pod.meta.uid;
}

void ApplicationTraffic::count(const Pod& pod) {
  if (has_ended(pod.phase)) return count_end(pod.meta.uid);
  if (pod.node.empty() || sizes_.counts(pod.meta.uid)) return;
  const std::optional<ApplicationMarks> marks = application_marks(pod, rules_.frameworks);
  if (!marks || marks->application.empty()) return;
  const std::string space = pod.meta.name_space + '/';
  sizes_.runs(pod.meta.uid, {space + marks->application, space + marks->run}, marks->driver);
}

void ApplicationTraffic::count_end(const std::string& uid) {
  const std::optional<RunSizes::Ended> run = sizes_.ended(uid);
  if (!run) return;
  learned_.had(run->of.application, run->workers);
  ended_since_ = true;
}

// Some of its pods are about to go: so may be all of it, and with it who answers.
void ApplicationTraffic::hurry(const std::string& run, TimePoint now) {
  const auto uid = driver_of_.find(run);
  if (uid == driver_of_.end()) return;
  Driver& driver = drivers_.at(uid->second);
  driver.next = std::min(driver.next, std::max(now, driver.asked + between_hurried));
}

void ApplicationTraffic::gone(const ObjectMeta& pod, TimePoint now) {
  count_end(pod.uid);
  if (const auto known = drivers_.find(pod.uid); known != drivers_.end()) end(known->second, {now, false});
}

// An answer that is on its way counts.
void ApplicationTraffic::end(Driver& driver, Driver::End end) {
  if (!driver.end) driver.end = end;
  if (!driver.under_way) settle(driver);
}

void ApplicationTraffic::settle(const Driver& driver) {
  if (driver.reading && driver.end->succeeded && saw_the_end(driver.started, driver.read_at, driver.end->at)) {
    learned_.ended(driver.application, driver.run, *driver.reading);
    ended_since_ = true;
  } else if (driver.reading) {
    learned_.seen(driver.application, driver.run, *driver.reading);
  } else if (driver.failures > 0 && !std::exchange(said_, true)) {
    around_.log.info(
        "a Spark driver ended and has not said what its executors exchanged; what helps: spark.ui.enabled, "
        "applications.driverPort, a NetworkPolicy that admits the operator, or lips.dev/shuffle on the driver",
        {{"pod", full_name(driver.meta)}});
  }
  const auto of_run = driver_of_.find(driver.meta.name_space + '/' + driver.run);
  if (of_run != driver_of_.end() && of_run->second == driver.meta.uid) driver_of_.erase(of_run);
  drivers_.erase(std::string(driver.meta.uid));
}

void ApplicationTraffic::ask(Driver& driver, TimePoint now) {
  ApiRequest request;
  request.path = spark_traffic_url(driver.address, rules_.port, driver.run);
  request.timeout = patience;
  request.most_bytes = longest_answer;
  request.still_wanted = around_.may_act;
  driver.under_way = true;
  driver.asked = now;
  ++under_way_;
  client_->start(std::move(request), [this, uid = driver.meta.uid](const Answer& answer) {
    Result<Traffic> traffic =
        answer ? read_spark_traffic(*answer) : tl::unexpected(Error{answer.error().code, "no success, or too long"});
    arrived_.push_back({uid, std::move(traffic)});
  });
}

void ApplicationTraffic::learn(Driver& driver, const Result<Traffic>& answer, TimePoint now) {
  const Duration age = now - driver.started;
  driver.under_way = false;
  if (!answer && answer.error().code == ErrorCode::cancelled) return;
  if (!answer) {
    const bool refused = answer.error().code == ErrorCode::invalid_input;
    driver.next = now + pause_after_failure(age);
    around_.telemetry.on_driver_answer(refused ? "refused" : "unreachable");
    const bool starts = ++driver.failures < failures_of_a_start;
    if (refused && !starts && !std::exchange(driver.told, true))
      around_.log.warning("not learning from what a Spark driver answers",
                          {{"pod", full_name(driver.meta)}, {"why", answer.error().message}});
    return;
  }
  around_.telemetry.on_driver_answer("read");
  driver.failures = 0;
  driver.next = now + pause_between_readings(age);
  driver.reading = larger_of(driver.reading.value_or(Traffic{}), *answer);  // it forgets executors that are long gone
  driver.read_at = driver.asked;
  if (!driver.end) learned_.seen(driver.application, driver.run, *answer);
}

void ApplicationTraffic::collect(TimePoint now) {
  for (const Arrived& one : std::exchange(arrived_, {})) {
    --under_way_;
    const auto known = drivers_.find(one.uid);
    if (known == drivers_.end()) continue;
    learn(known->second, one.traffic, now);
    if (known->second.end) settle(known->second);
  }
}

void ApplicationTraffic::take_over_kept() {
  const std::uint64_t reads = around_.kept.reads();
  if (std::exchange(taken_over_, reads) == reads) return;
  learned_.read(around_.kept.traffic());
  kept_version_ = learned_.version();
}

void ApplicationTraffic::flush(TimePoint now) {
  if (!rules_.learn || !around_.may_act()) return;
  collect(now);
  if (client_) ask_due(now);
  keep(now);
}

void ApplicationTraffic::ask_due(TimePoint now) {
  std::vector<Driver*> due;
  for (auto& [uid, driver] : drivers_)
    if (!driver.under_way && driver.next <= now) due.push_back(&driver);
  std::sort(due.begin(), due.end(), [](const Driver* a, const Driver* b) { return a->next < b->next; });
  for (Driver* driver : due) {
    if (under_way_ >= most_at_once) break;
    ask(*driver, now);
  }
}

// The next reading tells again how much a run has taken.
void ApplicationTraffic::keep(TimePoint now) {
  if (kept_version_ == learned_.version() || (!ended_since_ && now - kept_at_ < keep_every)) return;
  ended_since_ = false;
  kept_version_ = learned_.version();
  kept_at_ = now;
  around_.kept.remember_traffic(learned_.text());
}

}  // namespace lips::kubernetes
