#include "config/yaml_reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "config/quantities.h"

namespace lips {

namespace {

std::string shown(const YamlValue& value) {
  switch (value.kind) {
    case YamlValue::Kind::nothing:
      return "nothing";
    case YamlValue::Kind::list:
      return "a list";
    case YamlValue::Kind::map:
      return "a mapping";
    case YamlValue::Kind::scalar:
      break;
  }
  return value.scalar.size() <= 60 ? '\'' + value.scalar + '\'' : '\'' + value.scalar.substr(0, 57) + "...'";
}

std::string shown(const NumberRange& range) { return fmt::format("a number from {} to {}", range.least, range.most); }

YamlValue* find_mutable(YamlValue& value, std::string_view key) {
  for (auto& [name, content] : value.entries)
    if (name == key) return &content;
  return nullptr;
}

YamlValue* list_item(YamlValue& list, const std::string& step) {
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(step.data(), step.data() + step.size(), index);
  if (error == std::errc() && end == step.data() + step.size())
    return index < list.items.size() ? &list.items[index] : nullptr;
  for (YamlValue& item : list.items)
    if (const YamlValue* name = item.find("name"); name && name->scalar == step) return &item;
  return nullptr;
}

// Overridden values have no line in the file.
void forget_lines(YamlValue& value) {
  value.line = 0;
  for (YamlValue& item : value.items) forget_lines(item);
  for (YamlEntry& entry : value.entries) forget_lines(entry.value);
}

}  // namespace

Result<void> override_yaml(YamlValue& root, const std::string& path, const std::string& text) {
  const std::string origin = "--set " + path;
  Result<YamlValue> value = parse_yaml(origin, text);
  if (!value) return tl::unexpected(value.error());
  if (value->kind == YamlValue::Kind::nothing && text.find_first_not_of(' ') == std::string::npos)
    value->kind = YamlValue::Kind::scalar;  // KEY= is an empty text; "KEY=~" is no value
  forget_lines(*value);
  YamlValue* at = &root;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('.', begin), path.size());
    const std::string step = path.substr(begin, end - begin);
    begin = end + 1;
    if (step.empty())
      return fail(ErrorCode::invalid_input,
                  fmt::format("{}: found an empty step in the path; allowed: names joined by dots", origin));
    if (at->kind == YamlValue::Kind::list) {
      at = list_item(*at, step);
      if (!at) return fail(ErrorCode::invalid_input, fmt::format("{}: found no item '{}' in the list", origin, step));
      continue;
    }
    if (at->kind != YamlValue::Kind::map) {
      const int line = at->line;
      *at = YamlValue{};
      at->kind = YamlValue::Kind::map;
      at->line = line;
    }
    if (!find_mutable(*at, step)) at->entries.push_back({step, YamlValue{}});
    at = find_mutable(*at, step);
  }
  *at = std::move(*value);
  return {};
}

YamlMap::YamlMap(const YamlValue& value, std::string path, FileErrors& errors)
    : value_(&value), path_(std::move(path)), errors_(&errors) {
  if (value.kind == YamlValue::Kind::scalar || value.kind == YamlValue::Kind::list)
    report(value, path_, shown(value), "a mapping of fields");
}

std::string YamlMap::path_of(std::string_view key) const {
  if (key.empty()) return path_;
  return path_.empty() ? std::string(key) : fmt::format("{}.{}", path_, key);
}

void YamlMap::report(const YamlValue& at, const std::string& path, std::string_view found, std::string_view allowed) {
  const std::string where =
      at.line > 0 ? fmt::format("{}:{}", errors_->file, at.line) : fmt::format("{}: --set", errors_->file);
  errors_->add(fmt::format("{}: {}{}found {}; allowed: {}", where, path, path.empty() ? "" : ": ", found, allowed));
}

const YamlValue* YamlMap::ask(std::string_view key) {
  if (std::find(asked_.begin(), asked_.end(), key) == asked_.end()) asked_.emplace_back(key);
  const YamlValue* found = value_->find(key);
  return found && found->kind != YamlValue::Kind::nothing ? found : nullptr;
}

bool YamlMap::has(std::string_view key) { return ask(key) != nullptr; }

bool YamlMap::require(std::string_view key) {
  if (has(key)) return true;
  if (value_->kind == YamlValue::Kind::scalar || value_->kind == YamlValue::Kind::list)
    return false;  // reported already
  report(*value_, path_of(key), "nothing", "a value: the field is required");
  return false;
}

const std::string* YamlMap::scalar(std::string_view key, std::string_view allowed) {
  const YamlValue* value = ask(key);
  if (!value) return nullptr;
  if (value->kind == YamlValue::Kind::scalar) return &value->scalar;
  report(*value, path_of(key), shown(*value), allowed);
  return nullptr;
}

std::string YamlMap::text(std::string_view key, std::string_view fallback) {
  const std::string* found = scalar(key, "text");
  return found ? *found : std::string(fallback);
}

double YamlMap::checked(const YamlValue& at, const std::string& path, NumberRange range, double fallback) {
  const std::optional<double> number =
      at.kind == YamlValue::Kind::scalar ? parse_number(at.scalar) : std::optional<double>();
  if (number && range.contains(*number)) return *number;
  report(at, path, shown(at), shown(range));
  return fallback;
}

double YamlMap::number(std::string_view key, double fallback, NumberRange range) {
  const YamlValue* value = ask(key);
  return value ? checked(*value, path_of(key), range, fallback) : fallback;
}

std::int64_t YamlMap::integer(std::string_view key, std::int64_t fallback, std::int64_t least, std::int64_t most) {
  const std::string allowed = fmt::format("a whole number from {} to {}", least, most);
  const std::string* found = scalar(key, allowed);
  if (!found) return fallback;
  std::int64_t number = 0;
  const auto [end, code] = std::from_chars(found->data(), found->data() + found->size(), number);
  if (code == std::errc() && end == found->data() + found->size() && number >= least && number <= most) return number;
  error(key, '\'' + *found + '\'', allowed);
  return fallback;
}

bool YamlMap::flag(std::string_view key, bool fallback) {
  const std::string* found = scalar(key, "true or false");
  if (!found) return fallback;
  if (*found == "true") return true;
  if (*found == "false") return false;
  error(key, '\'' + *found + '\'', "true or false");
  return fallback;
}

Duration YamlMap::duration(std::string_view key, Duration fallback) {
  const std::string* found = scalar(key, allowed_durations);
  if (!found) return fallback;
  if (const std::optional<Duration> value = parse_duration(*found)) return *value;
  error(key, '\'' + *found + '\'', allowed_durations);
  return fallback;
}

Duration YamlMap::time_of_day(std::string_view key, Duration fallback) {
  const std::string* found = scalar(key, allowed_times_of_day);
  if (!found) return fallback;
  if (const std::optional<Duration> value = parse_time_of_day(*found)) return *value;
  error(key, '\'' + *found + '\'', allowed_times_of_day);
  return fallback;
}

Mebibytes YamlMap::size(std::string_view key, Mebibytes fallback) {
  const std::string* found = scalar(key, allowed_sizes);
  if (!found) return fallback;
  if (const std::optional<Mebibytes> value = parse_size(*found)) return *value;
  error(key, '\'' + *found + '\'', allowed_sizes);
  return fallback;
}

MebibytesPerSecond YamlMap::bandwidth(std::string_view key, MebibytesPerSecond fallback) {
  const std::string* found = scalar(key, allowed_bandwidths);
  if (!found) return fallback;
  if (const std::optional<MebibytesPerSecond> value = parse_bandwidth(*found)) return *value;
  error(key, '\'' + *found + '\'', allowed_bandwidths);
  return fallback;
}

double YamlMap::amount(std::string_view key, double fallback, std::string_view unit) {
  const std::string allowed =
      fmt::format("an amount of 0 or more in {}, such as 0.02 or '0.02 {}', at most {}", unit, unit, price_range.most);
  const std::string* found = scalar(key, allowed);
  if (!found) return fallback;
  if (const std::optional<double> value = parse_amount(*found, unit); value && price_range.contains(*value))
    return *value;
  error(key, '\'' + *found + '\'', allowed);
  return fallback;
}

std::size_t YamlMap::choice(std::string_view key, std::span<const std::string_view> names, std::size_t fallback) {
  const std::string allowed = fmt::format("{}", fmt::join(names, ", "));
  const std::string* found = scalar(key, allowed);
  if (!found) return fallback;
  const auto position = std::find(names.begin(), names.end(), *found);
  if (position != names.end()) return static_cast<std::size_t>(position - names.begin());
  error(key, '\'' + *found + '\'', allowed);
  return fallback;
}

std::vector<std::string> YamlMap::texts(std::string_view key) {
  std::vector<std::string> result;
  const YamlValue* value = ask(key);
  if (!value) return result;
  if (value->kind == YamlValue::Kind::scalar) return {value->scalar};
  if (value->kind == YamlValue::Kind::map) report(*value, path_of(key), shown(*value), "a list of texts");
  for (const YamlValue& item : value->items) {
    if (item.kind == YamlValue::Kind::scalar)
      result.push_back(item.scalar);
    else
      report(item, path_of(key), shown(item), "text");
  }
  return result;
}

std::vector<double> YamlMap::numbers(std::string_view key, NumberRange range) {
  std::vector<double> result;
  const YamlValue* value = ask(key);
  if (!value) return result;
  if (value->kind != YamlValue::Kind::list) report(*value, path_of(key), shown(*value), "a list of numbers");
  for (std::size_t i = 0; i < value->items.size(); ++i)
    result.push_back(checked(value->items[i], fmt::format("{}[{}]", path_of(key), i), range, range.most));
  return result;
}

std::vector<Duration> YamlMap::durations(std::string_view key) {
  std::vector<Duration> result;
  for (const std::string& text : texts(key)) {
    if (const std::optional<Duration> value = parse_duration(text))
      result.push_back(*value);
    else
      error(key, '\'' + text + '\'', allowed_durations);
  }
  return result;
}

std::vector<std::pair<std::string, std::string>> YamlMap::text_map(std::string_view key) {
  std::vector<std::pair<std::string, std::string>> result;
  const YamlValue* value = ask(key);
  if (!value) return result;
  if (value->kind != YamlValue::Kind::map) report(*value, path_of(key), shown(*value), "a mapping of texts");
  for (const auto& [name, content] : value->entries) {
    if (content.kind == YamlValue::Kind::scalar || content.kind == YamlValue::Kind::nothing)
      result.emplace_back(name, content.scalar);
    else
      report(content, fmt::format("{}.{}", path_of(key), name), shown(content), "text");
  }
  return result;
}

std::vector<std::pair<std::string, double>> YamlMap::number_map(std::string_view key, NumberRange range) {
  std::vector<std::pair<std::string, double>> result;
  const YamlValue* value = ask(key);
  if (!value) return result;
  if (value->kind != YamlValue::Kind::map) report(*value, path_of(key), shown(*value), "a mapping of numbers");
  for (const auto& [name, content] : value->entries)
    result.emplace_back(name, checked(content, fmt::format("{}.{}", path_of(key), name), range, range.least));
  return result;
}

bool YamlMap::is_map(std::string_view key) {
  const YamlValue* value = ask(key);
  return value && value->kind == YamlValue::Kind::map;
}

bool YamlMap::is_list(std::string_view key) {
  const YamlValue* value = ask(key);
  return value && value->kind == YamlValue::Kind::list;
}

std::optional<YamlMap> YamlMap::map(std::string_view key) {
  const YamlValue* value = ask(key);
  if (!value) return std::nullopt;
  return YamlMap(*value, path_of(key), *errors_);
}

std::vector<YamlMap> YamlMap::maps(std::string_view key) {
  std::vector<YamlMap> result;
  const YamlValue* value = ask(key);
  if (!value) return result;
  if (value->kind != YamlValue::Kind::list) report(*value, path_of(key), shown(*value), "a list of mappings");
  for (std::size_t i = 0; i < value->items.size(); ++i)
    result.emplace_back(value->items[i], fmt::format("{}[{}]", path_of(key), i), *errors_);
  return result;
}

std::vector<std::pair<std::string, std::optional<YamlMap>>> YamlMap::texts_or_maps(std::string_view key) {
  std::vector<std::pair<std::string, std::optional<YamlMap>>> result;
  const YamlValue* value = ask(key);
  if (!value) return result;
  if (value->kind != YamlValue::Kind::list) report(*value, path_of(key), shown(*value), "a list of texts and mappings");
  for (std::size_t i = 0; i < value->items.size(); ++i) {
    const YamlValue& item = value->items[i];
    if (item.kind == YamlValue::Kind::scalar)
      result.emplace_back(item.scalar, std::nullopt);
    else
      result.emplace_back("", YamlMap(item, fmt::format("{}[{}]", path_of(key), i), *errors_));
  }
  return result;
}

void YamlMap::error(std::string_view key, std::string_view found, std::string_view allowed) {
  const YamlValue* value = key.empty() ? nullptr : value_->find(key);
  report(value ? *value : *value_, path_of(key), found, allowed);
}

void YamlMap::finish() {
  std::vector<std::string> known = asked_;
  std::sort(known.begin(), known.end());
  const std::string allowed = fmt::format("{}", fmt::join(known, ", "));
  for (const auto& [name, content] : value_->entries) {
    if (std::binary_search(known.begin(), known.end(), name)) continue;
    const std::string_view alike = most_alike(name, asked_);
    report(content, path_of(name),
           alike.empty() ? "an unknown field" : fmt::format("an unknown field (did you mean '{}'?)", alike), allowed);
  }
}

}  // namespace lips
