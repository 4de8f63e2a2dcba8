// The options and operands of a command, and its help text, from one table. Knows no command.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "config/ranges.h"

namespace lips::cmd {

struct CountRange {
  std::uint32_t least = 0, most = 100'000'000;
};

// The parts between the separators that are not empty.
std::vector<std::string> split(std::string_view text, char at);

class Arguments {
 public:
  Arguments(std::string command, std::string summary) : command_(std::move(command)), summary_(std::move(summary)) {}

  // The targets outlive parse(). A target keeps its value, the default, if the option is not given.
  void operand(std::string name, std::string help, std::string& target, bool needed = true);
  void heading(std::string title);  // of the options that follow
  void flag(std::string name, std::string help, bool& target);
  void text(std::string name, std::string value, std::string help, std::string& target);
  void texts(std::string name, std::string value, std::string help,
             std::vector<std::string>& target);  // a,b,c; adds up
  void pairs(std::string name, std::string help,
             std::vector<std::pair<std::string, std::string>>& target);  // KEY=VALUE ...
  void choice(std::string name, const std::vector<std::string>& values, std::string help, std::string& target);
  template <class Enum>
  void choice(const std::string& name, std::initializer_list<Enum> values, const std::string& help, Enum& target) {
    std::vector<std::string> names;
    for (const Enum value : values) names.emplace_back(to_string(value));
    one_of(name, std::move(names), help,
           [&target, values = std::vector(values)](std::size_t chosen) { target = values[chosen]; });
  }
  void number(std::string name, std::string help, double& target, double least = 0);
  void numbers(std::string name, std::string help, std::vector<double>& target, NumberRange range);  // replaces them
  void dollars(std::string name, std::string help, std::optional<double>& target);                   // above 0
  void duration(std::string name, std::string help, std::optional<Duration>& target);
  void durations(std::string name, std::string help, std::vector<Duration>& target);
  void count(std::string name, std::string help, std::uint32_t& target, CountRange range = {});
  void seed(std::string name, std::string help, std::optional<std::uint64_t>& target);
  void example(std::string line, std::string what);

  // invalid_input names the option, the value found and the values allowed.
  Result<void> parse(std::span<const std::string> words);
  bool help_requested() const { return help_requested_; }
  // The text of --help; or, for shells that complete words, of --list-options: name, tab and value of each option.
  std::string help() const;

 private:
  using Take =
      std::function<std::optional<std::string>(const std::string&)>;  // returns what is allowed if the value is not
  struct Option {
    std::string name, value, help;  // value empty: a flag; name empty: a heading
    bool many = false;              // takes all following words that are values
    Take take;
  };
  void add(std::string name, std::string value, std::string help, Take take, bool many = false);
  void one_of(std::string name, std::vector<std::string> names, std::string help,
              std::function<void(std::size_t)> choose);
  Result<void> parse_option(std::span<const std::string> words, std::size_t& at);
  std::string option_list() const;
  const Option* find(std::string_view name) const;
  tl::unexpected<Error> wrong(std::string_view what) const;

  std::string command_, summary_;
  std::string operand_name_, operand_help_;
  std::string* operand_ = nullptr;
  bool operand_needed_ = true;
  std::vector<Option> options_;
  std::vector<std::pair<std::string, std::string>> examples_;
  bool help_requested_ = false, list_requested_ = false;
};

// "; did you mean 'lips'?" or nothing.
std::string did_you_mean(std::string_view word, std::span<const std::string> names);

}  // namespace lips::cmd
