// Stops a writer that writes one object again and again: two writers that undo each other's work, or one whose field the
// server does not keep. Covers every writer of a client. Reads no clock; not for several threads.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

namespace lips::kubernetes {

class WriteGovernor {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr int most_writes = 120;  // of one verb to one object within `span`
  static constexpr std::chrono::seconds span{60};

  // Counts the write if it may be sent. Otherwise nothing more is sent to that object by that verb for one to two spans.
  // Creations name no object in their path, and the lease is a heartbeat: both may always be sent.
  // `verb`: as Kubernetes names it.
  bool admits(std::string_view verb, std::string_view path, Clock::time_point now);
  std::size_t kept() const { return counts_.size() + before_.size(); }

 private:
  using Counts = std::unordered_map<std::string, int>;  // by verb and path
  Counts counts_, before_;                              // in this span and in the one before
  Clock::time_point began_{};
};

}  // namespace lips::kubernetes
