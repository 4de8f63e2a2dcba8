#include "kubernetes/api/leadership.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
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

Leadership::Leadership(const Connection& connection, Place place, LeaseOptions options, Telling telling)
    : client_(connection, lease_client()),
      store_(client_, std::move(place.name_space), std::move(place.name), lease_timeout),
      seen_file_(std::move(place.seen_file)),
      retry_(options.retry),
      election_(store_, std::move(options)),
      telling_(std::move(telling)),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

Leadership::~Leadership() {
  thread_.request_stop();
  rest_.post([] {});
  thread_.join();
  if (const Result<void> released = election_.release(steady_now()); !released) telling_.failed(released.error());
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

void Leadership::step(TimePoint now) {
  const Result<void> stepped = election_.step(now);
  view_.holder = election_.holder();
  if (stepped || view_.trouble.empty()) view_.since = now;
  view_.trouble = stepped ? "" : stepped.error().message;
  view_.unanswered = !stepped && stepped.error().code == ErrorCode::unavailable;
  telling_.loop.post([told = std::weak_ptr(told_), view = view_, news = election_.take_set_back()] {
    const std::shared_ptr<Told> to = told.lock();
    if (!to) return;
    to->view = view;
    if (news) to->set_back = news;
  });
  keep_seen(now);
  if (!stepped) telling_.failed(stepped.error());
}

void Leadership::run(const std::stop_token& stop) {
  bool led = false;
  // Checks more often than it renews, to notice the end of a leadership at once.
  constexpr Duration look{100'000};
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
    if (const bool leads = election_.leads(steady_now()); leads != led) telling_.changed(led = leads);
    rest_.run(look);
  }
}

}  // namespace lips::kubernetes
