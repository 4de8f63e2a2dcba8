// Log lines of the long-running parts of the program: a sentence and named values. Knows neither format nor
// destination.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace lips {

enum class LogLevel : std::uint8_t { debug, info, warning, error, off };

struct LogField {
  std::string_view key;
  std::string value;
  LogField(std::string_view name, std::string text) : key(name), value(std::move(text)) {}
  LogField(std::string_view name, std::string_view text) : key(name), value(text) {}
  LogField(std::string_view name, const char* text) : key(name), value(text) {}
  LogField(std::string_view name, bool flag) : key(name), value(flag ? "true" : "false"), bare(true) {}
  template <class Number>
    requires(std::is_arithmetic_v<Number> && !std::is_same_v<Number, bool>)
  LogField(std::string_view name, Number number) : key(name), value(text_of(number)), bare(true) {}
  bool bare = false;  // a number or a flag

 private:
  template <class Number>
  static std::string text_of(Number number) {
    if constexpr (std::is_floating_point_v<Number>)
      return shortest(static_cast<double>(number));
    else
      return std::to_string(number);
  }
  static std::string shortest(double number);
};

// Calls may come from any thread.
class Log {
 public:
  virtual ~Log() = default;
  virtual bool wants(LogLevel level) const = 0;
  virtual void write(LogLevel level, std::string_view message, std::initializer_list<LogField> fields) = 0;

  void debug(std::string_view message, std::initializer_list<LogField> fields = {}) {
    if (wants(LogLevel::debug)) write(LogLevel::debug, message, fields);
  }
  void info(std::string_view message, std::initializer_list<LogField> fields = {}) {
    write(LogLevel::info, message, fields);
  }
  void warning(std::string_view message, std::initializer_list<LogField> fields = {}) {
    write(LogLevel::warning, message, fields);
  }
  void error(std::string_view message, std::initializer_list<LogField> fields = {}) {
    write(LogLevel::error, message, fields);
  }
};

// Says nothing.
class SilentLog : public Log {
 public:
  bool wants(LogLevel) const override { return false; }
  void write(LogLevel, std::string_view, std::initializer_list<LogField>) override {}
};

}  // namespace lips
