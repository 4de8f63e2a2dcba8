#include "cmd/cli/arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "config/quantities.h"

namespace lips::cmd {

namespace {

constexpr std::size_t help_column = 30, help_width = 100;

std::optional<std::uint64_t> whole_number(const std::string& text, std::uint64_t most) {
  if (text.empty() || text.size() > 20 ||
      !std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; }))
    return std::nullopt;
  std::uint64_t value = 0;
  for (const char digit : text) {
    const auto next = static_cast<std::uint64_t>(digit - '0');
    if (value > (most - next) / 10) return std::nullopt;
    value = value * 10 + next;
  }
  return value;
}

// Wraps the text into lines that begin at that column.
std::string wrapped(const std::string& text, std::size_t begin = help_column) {
  std::string out;
  std::size_t column = begin;
  for (const std::string& word : split(text, ' ')) {
    if (column > begin && column + 1 + word.size() > help_width) {
      out += "\n" + std::string(begin, ' ');
      column = begin;
    } else if (column > begin) {
      out += " ", ++column;
    }
    out += word, column += word.size();
  }
  return out + "\n";
}

std::string entry(std::string left, const std::string& help) {
  left = "  " + left;
  if (left.size() + 2 > help_column)
    left += "\n" + std::string(help_column, ' ');
  else
    left.append(help_column - left.size(), ' ');
  return left + wrapped(help);
}

}  // namespace

std::vector<std::string> split(std::string_view text, char at) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t end = text.find(at);
    if (end != 0 && !text.empty()) parts.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::string did_you_mean(std::string_view word, std::span<const std::string> names) {
  const std::string_view best = most_alike(word, names);
  return best.empty() ? "" : fmt::format("; did you mean '{}'?", best);
}

void Arguments::add(std::string name, std::string value, std::string help, Take take, bool many) {
  options_.push_back({std::move(name), std::move(value), std::move(help), many, std::move(take)});
}

void Arguments::operand(std::string name, std::string help, std::string& target, bool needed) {
  operand_name_ = std::move(name), operand_help_ = std::move(help), operand_ = &target, operand_needed_ = needed;
}

void Arguments::heading(std::string title) { add("", "", std::move(title), {}); }

void Arguments::flag(std::string name, std::string help, bool& target) {
  add(std::move(name), "", std::move(help), [&target](const std::string&) -> std::optional<std::string> {
    target = true;
    return std::nullopt;
  });
}

void Arguments::text(std::string name, std::string value, std::string help, std::string& target) {
  add(std::move(name), std::move(value), std::move(help),
      [&target](const std::string& word) -> std::optional<std::string> {
        if (word.empty()) return "text that is not empty";
        target = word;
        return std::nullopt;
      });
}

void Arguments::texts(std::string name, std::string value, std::string help, std::vector<std::string>& target) {
  add(std::move(name), std::move(value), std::move(help),
      [&target](const std::string& word) -> std::optional<std::string> {
        const std::vector<std::string> parts = split(word, ',');
        if (parts.empty()) return "names separated by commas";
        target.insert(target.end(), parts.begin(), parts.end());
        return std::nullopt;
      });
}

void Arguments::pairs(std::string name, std::string help, std::vector<std::pair<std::string, std::string>>& target) {
  const auto take = [&target](const std::string& word) -> std::optional<std::string> {
    const std::size_t at = word.find('=');
    if (at == 0 || at == std::string::npos) return "KEY=VALUE";
    target.emplace_back(word.substr(0, at), word.substr(at + 1));
    return std::nullopt;
  };
  add(std::move(name), "KEY=VALUE ...", std::move(help), take, true);
}

void Arguments::choice(std::string name, const std::vector<std::string>& values, std::string help,
                       std::string& target) {
  one_of(std::move(name), values, std::move(help), [&target, values](std::size_t chosen) { target = values[chosen]; });
}

void Arguments::one_of(std::string name, std::vector<std::string> names, std::string help,
                       std::function<void(std::size_t)> choose) {
  const std::string allowed = fmt::format("{}", fmt::join(names, " or "));
  const std::string shown = fmt::format("{}", fmt::join(names, "|"));
  add(std::move(name), shown, std::move(help),
      [names = std::move(names), allowed,
       choose = std::move(choose)](const std::string& word) -> std::optional<std::string> {
        const auto found = std::find(names.begin(), names.end(), word);
        if (found == names.end()) return allowed;
        choose(static_cast<std::size_t>(found - names.begin()));
        return std::nullopt;
      });
}

void Arguments::number(std::string name, std::string help, double& target, double least) {
  add(std::move(name), "X", fmt::format("{} (default {})", help, target),
      [&target, least](const std::string& word) -> std::optional<std::string> {
        const std::optional<double> value = parse_number(word);
        if (!value || *value < least) return fmt::format("a number of at least {}", least);
        target = *value;
        return std::nullopt;
      });
}

void Arguments::numbers(std::string name, std::string help, std::vector<double>& target, NumberRange range) {
  add(std::move(name), "A,B,...", fmt::format("{} (default {})", help, fmt::join(target, ",")),
      [&target, range](const std::string& word) -> std::optional<std::string> {
        std::vector<double> values;
        for (const std::string& part : split(word, ',')) {
          const std::optional<double> value = parse_number(part);
          if (!value || !range.contains(*value))
            return fmt::format("numbers from {} to {}, such as 0.5,1,2", range.least, range.most);
          values.push_back(*value);
        }
        if (values.empty()) return "numbers separated by commas";
        target = std::move(values);
        return std::nullopt;
      });
}

void Arguments::dollars(std::string name, std::string help, std::optional<double>& target) {
  add(std::move(name), "USD", std::move(help), [&target](const std::string& word) -> std::optional<std::string> {
    const std::optional<double> value = parse_amount(word, "USD");
    if (!value || *value <= 0 || !price_range.contains(*value)) return "dollars above 0, such as 0.5";
    target = *value;
    return std::nullopt;
  });
}

void Arguments::duration(std::string name, std::string help, std::optional<Duration>& target) {
  add(std::move(name), "TIME", std::move(help), [&target](const std::string& word) -> std::optional<std::string> {
    const std::optional<Duration> value = parse_duration(word);
    if (!value || value->count() <= 0) return "a positive time such as 600s, 10m or 1h30m";
    target = *value;
    return std::nullopt;
  });
}

void Arguments::durations(std::string name, std::string help, std::vector<Duration>& target) {
  add(std::move(name), "A,B,...", std::move(help), [&target](const std::string& word) -> std::optional<std::string> {
    for (const std::string& part : split(word, ',')) {
      std::optional<Duration> value = parse_duration(part);
      if (!value)
        if (const std::optional<double> bare = parse_number(part); bare && *bare >= 0 && *bare < 1e9)
          value = seconds(*bare);
      if (!value || value->count() < 0) return "times such as 200,400,600 (seconds) or 200s,10m";
      target.push_back(*value);
    }
    return target.empty() ? std::optional<std::string>("times such as 200,400,600") : std::nullopt;
  });
}

void Arguments::count(std::string name, std::string help, std::uint32_t& target, CountRange range) {
  add(std::move(name), "N", fmt::format("{} (default {})", help, target),
      [&target, range](const std::string& word) -> std::optional<std::string> {
        const auto value = whole_number(word, range.most);
        if (!value || *value < range.least) return fmt::format("a whole number from {} to {}", range.least, range.most);
        target = static_cast<std::uint32_t>(*value);
        return std::nullopt;
      });
}

void Arguments::seed(std::string name, std::string help, std::optional<std::uint64_t>& target) {
  add(std::move(name), "N", std::move(help), [&target](const std::string& word) -> std::optional<std::string> {
    const auto value = whole_number(word, std::numeric_limits<std::int64_t>::max());
    if (!value) return "a whole number from 0 to 9223372036854775807";
    target = *value;
    return std::nullopt;
  });
}

void Arguments::example(std::string line, std::string what) {
  examples_.emplace_back(std::move(line), std::move(what));
}

const Arguments::Option* Arguments::find(std::string_view name) const {
  for (const Option& option : options_)
    if (!option.name.empty() && option.name == name) return &option;
  return nullptr;
}

tl::unexpected<Error> Arguments::wrong(std::string_view what) const {
  return fail(ErrorCode::invalid_input, fmt::format("{} (try '{} --help')", what, command_));
}

Result<void> Arguments::parse_option(std::span<const std::string> words, std::size_t& at) {
  const std::string& word = words[at];
  const std::size_t equals = word.find('=');
  const std::string name = word.substr(0, equals);
  const Option* option = find(name);
  if (option == nullptr) {
    std::vector<std::string> names{"--help"};
    for (const Option& known : options_)
      if (!known.name.empty()) names.push_back(known.name);
    return wrong(fmt::format("{}: unknown option{}", name, did_you_mean(name, names)));
  }
  if (option->value.empty()) {
    if (equals != std::string::npos)
      return wrong(fmt::format("{}: expected no value, found '{}'", name, word.substr(equals + 1)));
    option->take("");
    return {};
  }
  std::string value = equals != std::string::npos ? word.substr(equals + 1) : "";
  if (equals == std::string::npos) {
    if (at + 1 == words.size()) return wrong(fmt::format("{}: expected {}, found nothing", name, option->value));
    value = words[++at];
  }
  const auto taken = [&]() -> Result<void> {
    if (const auto allowed = option->take(value))
      return wrong(fmt::format("{}: expected {}, found '{}'", name, *allowed, value));
    return {};
  };
  if (auto done = taken(); !done) return done;
  while (option->many && at + 1 < words.size() && !words[at + 1].starts_with("-") &&
         words[at + 1].find('=') != std::string::npos) {
    value = words[++at];
    if (auto done = taken(); !done) return done;
  }
  return {};
}

Result<void> Arguments::parse(std::span<const std::string> words) {
  for (const std::string& word : words) {
    if (word == "--") break;
    if (word == "--help" || word == "-h" || word == "--list-options") {
      help_requested_ = true;
      list_requested_ = word == "--list-options";
      return {};
    }
  }
  bool only_operands = false;
  for (std::size_t at = 0; at < words.size(); ++at) {
    const std::string& word = words[at];
    if (!only_operands && word == "--") {
      only_operands = true;
    } else if (!only_operands && word.size() > 1 && word.starts_with("-")) {
      if (auto done = parse_option(words, at); !done) return done;
    } else if (operand_ == nullptr || !operand_->empty()) {
      return wrong(fmt::format("unexpected '{}': expected {}", word,
                               operand_ == nullptr ? "options only" : "a single " + operand_name_));
    } else {
      *operand_ = word;
    }
  }
  if (operand_ != nullptr && operand_needed_ && operand_->empty())
    return wrong(fmt::format("expected {}", operand_name_));
  return {};
}

std::string Arguments::option_list() const {
  std::string out;
  for (const Option& option : options_)
    if (!option.name.empty()) out += fmt::format("{}\t{}\n", option.name, option.value);
  return out + "--help\t\n";
}

std::string Arguments::help() const {
  if (list_requested_) return option_list();
  std::string out = wrapped(summary_, 0) + "\nUsage: " + command_ +
                    (operand_ == nullptr ? ""
                     : operand_needed_   ? " " + operand_name_
                                         : " [" + operand_name_ + "]") +
                    " [OPTIONS]\n\n";
  if (operand_ != nullptr) out += entry(operand_name_, operand_help_) + "\n";
  bool headed = false;
  for (const Option& option : options_) {
    if (option.name.empty()) {
      out += (headed || &option != &options_.front() ? "\n" : "") + option.help + ":\n";
      headed = true;
      continue;
    }
    if (!headed) out += "Options:\n", headed = true;
    out += entry(option.name + (option.value.empty() ? "" : " " + option.value), option.help);
  }
  out += entry("-h, --help", "this text");
  if (!examples_.empty()) out += "\nExamples:\n";
  for (const auto& [line, what] : examples_) out += fmt::format("  {}\n      {}\n", line, what);
  return out;
}

}  // namespace lips::cmd
