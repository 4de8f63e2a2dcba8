#include "config/yaml_value.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <optional>
#include <sstream>
#include <unordered_map>
#include <utility>

#include "config/text_file.h"

namespace lips {

namespace {

constexpr std::size_t most_values = 2'000'000;
constexpr std::size_t most_depth = 100;

struct Refused {
  std::string message;
};

// Builds the value while parsing. YAML::LoadAll would keep all documents, and yaml-cpp can see endless documents after
// the first one (`{},`).
class Builder final : public YAML::EventHandler {
 public:
  explicit Builder(const std::string& file) : file_(file) {}

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (documents_++ > 0)
      refuse(mark.line + 1, "found more text after the end of the YAML document; allowed: one document");
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override { take(at(mark), 0, anchor); }
  void OnScalar(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor, const std::string& text) override {
    YamlValue value = at(mark);
    value.kind = YamlValue::Kind::scalar;
    value.scalar = text;
    take(std::move(value), 0, anchor);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    begin(mark, YamlValue::Kind::list, anchor);
  }
  void OnSequenceEnd() override { end(); }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    begin(mark, YamlValue::Kind::map, anchor);
  }
  void OnMapEnd() override { end(); }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto known = anchored_.find(anchor);
    if (known == anchored_.end()) refuse(mark.line + 1, "found an alias of a value that contains the alias");
    const auto& [value, values, height] = known->second;
    count(values, height, mark.line + 1);
    take(value, height, 0);
  }

  YamlValue take_root() && { return std::move(root_); }

 private:
  // A list or map that is still open.
  struct Open {
    YamlValue value;
    YAML::anchor_t anchor;
    std::size_t first;       // index of its first value in the file
    std::size_t height = 0;  // of its content
    std::optional<std::pair<std::string, int>> key;
    std::unordered_map<std::string, int> lines;  // of the keys so far
  };
  struct Anchored {
    YamlValue value;
    std::size_t values, height;
  };

  [[noreturn]] void refuse(int line, const std::string& what) const {
    throw Refused{fmt::format("{}:{}: {}", file_, line, what)};
  }
  void count(std::size_t values, std::size_t height, int line) {
    count_ += values;
    if (count_ > most_values || open_.size() + height > most_depth)
      refuse(line, fmt::format("found too many values or too deep nesting (aliases expanded); allowed: {} values, {} "
                               "levels",
                               most_values, most_depth));
  }
  YamlValue at(const YAML::Mark& mark) {
    YamlValue value;
    value.line = mark.line + 1;
    count(1, 0, value.line);
    return value;
  }
  bool awaits_key() const {
    return !open_.empty() && open_.back().value.kind == YamlValue::Kind::map && !open_.back().key;
  }

  void begin(const YAML::Mark& mark, YamlValue::Kind what, YAML::anchor_t anchor) {
    if (awaits_key()) refuse_key(mark.line + 1);
    const std::size_t first = count_;
    YamlValue value = at(mark);
    value.kind = what;
    open_.push_back({std::move(value), anchor, first, 0, std::nullopt, {}});
  }
  void end() {
    Open ended = std::move(open_.back());
    open_.pop_back();
    if (ended.anchor != 0) keep(ended.anchor, {ended.value, count_ - ended.first, ended.height + 1});
    place(std::move(ended.value), ended.height + 1);
  }
  void take(YamlValue value, std::size_t height, YAML::anchor_t anchor) {
    if (anchor != 0) keep(anchor, {value, 1, height});
    place(std::move(value), height);
  }
  // The copy counts as well.
  void keep(YAML::anchor_t anchor, Anchored anchored) {
    count(anchored.values, 0, anchored.value.line);
    anchored_.insert_or_assign(anchor, std::move(anchored));
  }
  void place(YamlValue value, std::size_t height) {
    if (open_.empty()) {
      root_ = std::move(value);
    } else if (awaits_key()) {
      add_key(value);
    } else {
      Open& open = open_.back();
      open.height = std::max(open.height, height);
      if (open.value.kind == YamlValue::Kind::list) {
        open.value.items.push_back(std::move(value));
      } else {
        if (value.line <= 0) value.line = open.key->second;
        open.value.entries.push_back({std::move(open.key->first), std::move(value)});
        open.key.reset();
      }
    }
  }
  void add_key(const YamlValue& key) {
    if (key.kind != YamlValue::Kind::scalar) refuse_key(key.line);
    const auto [before, added] = open_.back().lines.emplace(key.scalar, key.line);
    if (!added)
      refuse(key.line, fmt::format("{}: found twice (first at line {}); allowed: once", key.scalar, before->second));
    open_.back().key.emplace(key.scalar, key.line);
  }
  [[noreturn]] void refuse_key(int line) const {
    refuse(line, "found a key that is empty, a list or a mapping; allowed: plain text keys");
  }

  const std::string& file_;
  YamlValue root_;
  std::vector<Open> open_;
  std::unordered_map<YAML::anchor_t, Anchored> anchored_;
  std::size_t count_ = 0;
  int documents_ = 0;
};

}  // namespace

const YamlValue* YamlValue::find(std::string_view key) const {
  for (const auto& [name, value] : entries)
    if (name == key) return &value;
  return nullptr;
}

Result<YamlValue> parse_yaml(const std::string& file, const std::string& text) {
  try {
    std::istringstream stream(text);
    YAML::Parser parser(stream);
    Builder builder(file);
    while (parser.HandleNextDocument(builder)) {
    }
    return std::move(builder).take_root();
  } catch (const Refused& refused) {
    return fail(ErrorCode::invalid_input, refused.message);
  } catch (const YAML::Exception& error) {
    return fail(ErrorCode::invalid_input, fmt::format("{}:{}: found text that is not YAML: {} (column {})", file,
                                                      error.mark.line + 1, error.msg, error.mark.column + 1));
  }
}

Result<YamlValue> parse_yaml_file(const std::string& file) {
  const Result<std::string> text = read_text_file(file);
  if (!text) return tl::unexpected(text.error());
  return parse_yaml(file, *text);
}

}  // namespace lips
