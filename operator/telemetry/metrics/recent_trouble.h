// A log that passes everything on and keeps the last warnings and errors, for people who ask what has gone wrong
// lately.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "base/log.h"
#include "base/units.h"

namespace lips {

struct Trouble {
  TimePoint at;
  LogLevel level = LogLevel::warning;
  std::string text;  // with its fields
};

class RecentTrouble : public Log {
 public:
  static constexpr std::size_t most_kept = 10;
  RecentTrouble(Log& to, std::function<TimePoint()> now) : to_(to), now_(std::move(now)) {}

  bool wants(LogLevel level) const override { return to_.wants(level); }
  void write(LogLevel level, std::string_view message, std::initializer_list<LogField> fields) override;
  std::vector<Trouble> latest() const;  // the last one first

 private:
  Log& to_;
  const std::function<TimePoint()> now_;
  mutable std::mutex mutex_;
  std::deque<Trouble> kept_;
};

}  // namespace lips
