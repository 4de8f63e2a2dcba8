// A log of one line per message, as logfmt or JSON, with the time. Knows no message.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <string>
#include <string_view>

#include "base/log.h"

namespace lips {

using WallTime = std::chrono::sys_time<std::chrono::milliseconds>;

std::string logfmt_line(WallTime time, LogLevel level, std::string_view message,
                        std::initializer_list<LogField> fields);
std::string json_line(WallTime time, LogLevel level, std::string_view message, std::initializer_list<LogField> fields);

class LineLog : public Log {
 public:
  enum class Form : std::uint8_t { logfmt, json };
  using Out = std::function<void(const std::string& line)>;
  // Without `out`: stderr, each line in one write.
  explicit LineLog(Form form, LogLevel least, Out out = {});

  void set_level(LogLevel least) { least_ = least; }
  bool wants(LogLevel level) const override { return level >= least_.load(); }
  void write(LogLevel level, std::string_view message, std::initializer_list<LogField> fields) override;

 private:
  Form form_;
  std::atomic<LogLevel> least_;
  Out out_;
};

}  // namespace lips
