#include "kubernetes/api/leadership.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <fstream>
#include <mutex>
#include <utility>

namespace lips::kubernetes {
namespace {

ClientOptions lease_client() {
  ClientOptions options;
  options.in_flight = 2;
  options.retry.most_tries = 1;
  options.user_agent = "lips-lease";
  return options;
}

constexpr std::chrono::milliseconds lease_timeout{2'000};
constexpr Duration standby_looks{500'000};
constexpr Duration seen_is_kept_every{10'000'000};

}  // namespace

Leadership::Leadership(const Connection& connection, Place place, LeaseOptions options,
                       std::function<void(bool)> changed, std::function<void(const Error&)> failed)
    : client_(connection, lease_client()),
      store_(client_, std::move(place.name_space), std::move(place.name), lease_timeout),
      seen_file_(std::move(place.seen_file)),
      retry_(options.retry),
      election_(store_, std::move(options)),
      changed_(std::move(changed)),
      failed_(std::move(failed)),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

Leadership::~Leadership() {
  thread_.request_stop();
  thread_.join();
  if (const Result<void> released = election_.release(steady_now()); !released) failed_(released.error());
}

LeaseView Leadership::view() const {
  const std::lock_guard lock(mutex_);
  return view_;
}

// "UID VERSION". A file that cannot be read or written costs only the news of a restore between two processes.
void Leadership::read_seen() {
  LeaderElection::Seen seen;
  if (std::ifstream(seen_file_) >> seen.uid >> seen.version) election_.take_over(std::move(seen));
}

void Leadership::keep_seen(TimePoint now) {
  if (seen_file_.empty() || election_.seen() == kept_ || now - kept_at_ < seen_is_kept_every) return;
  kept_ = election_.seen(), kept_at_ = now;
  const std::string written = seen_file_ + ".new";
  if (std::ofstream(written) << kept_.uid << ' ' << kept_.version << '\n')
    std::rename(written.c_str(), seen_file_.c_str());
}

std::optional<SetBack> Leadership::take_set_back() {
  const std::lock_guard lock(mutex_);
  return std::exchange(set_back_, std::nullopt);
}

void Leadership::step(TimePoint now) {
  const Result<void> stepped = election_.step(now);
  {
    const std::lock_guard lock(mutex_);
    view_.holder = election_.holder();
    if (const std::optional<SetBack> news = election_.take_set_back()) set_back_ = news;
    if (stepped || view_.trouble.empty()) view_.since = now;
    view_.trouble = stepped ? "" : stepped.error().message;
    view_.unanswered = !stepped && stepped.error().code == ErrorCode::unavailable;
  }
  keep_seen(now);
  if (!stepped) failed_(stepped.error());
}

void Leadership::run(const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any never;
  bool led = false;
  // Checks more often than it renews, to notice the end of a leadership at once.
  constexpr std::chrono::milliseconds look{100};
  TimePoint next_step = steady_now();
  if (!seen_file_.empty()) read_seen();
  while (!stop.stop_requested()) {
    const TimePoint now = steady_now();
    if (now >= next_step) {
      step(now);
      // A standby checks more often than a leader renews: the age of a lease counts from when its version is first seen
      // here.
      next_step = now + (election_.leads(now) ? retry_ : std::min(retry_, standby_looks));
    }
    if (const bool leads = election_.leads(steady_now()); leads != led) changed_(led = leads);
    std::unique_lock lock(mutex);
    never.wait_for(lock, stop, look, [] { return false; });
  }
}

}  // namespace lips::kubernetes
