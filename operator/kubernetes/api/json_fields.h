// Walks through JSON objects for the decoders, with the types of any on-demand parser. Include it in .cpp files only:
// it throws failures, and the decoder catches them.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "kubernetes/api/objects.h"
#include "kubernetes/api/quantity.h"
#include "kubernetes/api/time_text.h"
#include "model/eligibility.h"

namespace lips::kubernetes::json {

// A field that is not understood: "spec.overhead.cpu: found 'x'; allowed: ..."
struct Rejected {
  std::string what;
};

template <class T>
T accepted(Result<T> result, std::string_view field) {
  if (!result) throw Rejected{std::string(field) + ": " + result.error().message};
  return *std::move(result);
}

// A parser and its text, padded as the parser wants it; kept from call to call, so that memory is flat.
template <class Parser>
struct PaddedText {
  Parser parser;
  std::string text;

  auto document(std::string_view json, std::size_t padding) {
    text.assign(json);
    text.append(padding, '\0');
    return parser.iterate(text.data(), json.size(), text.size());
  }
};

// visit(key, value) for every field; null where an object is expected counts as empty.
template <class Value, class Visit>
void each_field(Value&& value, Visit visit) {
  if (value.is_null()) return;
  for (auto field : value.get_object()) {
    const std::string_view key = field.unescaped_key();
    visit(key, field.value());
  }
}

template <class Value, class Visit>
void each_item(Value&& value, Visit visit) {
  if (value.is_null()) return;
  for (auto item : value.get_array()) visit(item.value());
}

// null is the empty text.
template <class Value>
std::string_view text(Value&& value) {
  if (value.is_null()) return {};
  return value.get_string();
}

// Says whether the field is one of those that name an object and its version; it is read then.
template <class Value>
bool names_object(std::string_view key, Value&& value, ObjectMeta& meta) {
  std::string* const field = key == "namespace"         ? &meta.name_space
                             : key == "name"            ? &meta.name
                             : key == "uid"             ? &meta.uid
                             : key == "resourceVersion" ? &meta.resource_version
                                                        : nullptr;
  if (field) *field = text(value);
  return field != nullptr;
}

template <class Value>
std::vector<std::string> texts(Value&& value) {
  std::vector<std::string> result;
  each_item(value, [&](auto item) { result.emplace_back(text(item)); });
  return result;
}

template <class Map>
void sort_by_key(Map& map) {
  std::sort(map.begin(), map.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  map.shrink_to_fit();
}

// The entries whose key starts with the prefix, sorted.
template <class Value>
TextMap text_map(Value&& value, std::string_view prefix = {}) {
  TextMap map;
  each_field(value, [&](std::string_view key, auto content) {
    if (key.starts_with(prefix)) map.emplace_back(key, text(content));
  });
  sort_by_key(map);
  return map;
}

template <class Value>
TimePoint time(Value&& value, std::string_view field) {
  if (value.is_null()) return {};
  return accepted(parse_time(text(value)), field);
}

// A quantity is a text or a bare number. The server admits none below 0; one counts as nothing.
template <class Value>
std::int64_t amount(std::string_view resource, Value&& value, std::string_view field) {
  const std::string_view token = value.raw_json_token();
  std::string_view written = token.substr(0, token.find_last_not_of(" \t\r\n") + 1);
  if (written.starts_with('"')) written = text(value);
  const ResourceQuantity quantity = accepted(parse_quantity(written), std::string(field) + '.' + std::string(resource));
  return std::max<std::int64_t>(0, resource == "cpu" ? quantity.milli() : quantity.units());
}

template <class Value>
ResourceAmounts amounts(Value&& value, std::string_view field) {
  ResourceAmounts result;
  each_field(value, [&](std::string_view resource, auto quantity) {
    result.emplace_back(resource, amount(resource, quantity, field));
  });
  sort_by_key(result);
  return result;
}

// An unknown operator is added to `unknown`. `other(key, content)` sees all other fields.
template <class Value, class Other>
LabelRequirement requirement(Value&& value, std::string& unknown, Other other) {
  LabelRequirement result;
  each_field(value, [&](std::string_view key, auto content) {
    if (key == "key") result.key = text(content);
    if (key == "values") result.values = texts(content);
    if (key != "key" && key != "values" && key != "operator") other(key, std::move(content));
    if (key != "operator") return;
    const std::string_view name = text(content);
    if (const auto known = parse_label_operator(name))
      result.op = *known;
    else
      unknown = name;
  });
  return result;
}

template <class Value>
LabelRequirement requirement(Value&& value, std::string& unknown) {
  return requirement(value, unknown, [](std::string_view, auto&&) {});
}

// A nodeSelectorTerm: its matchExpressions and matchFields.
template <class Value>
NodeSelectorTerm node_selector_term(Value&& value, std::string& unknown) {
  NodeSelectorTerm term;
  each_field(value, [&](std::string_view kind, auto list) {
    if (kind == "matchExpressions" || kind == "matchFields")
      each_item(list, [&](auto item) { term.push_back(requirement(item, unknown)); });
  });
  return term;
}

inline ConditionStatus condition_status(std::string_view name) {
  if (name == "True") return ConditionStatus::yes;
  return name == "False" ? ConditionStatus::no : ConditionStatus::unknown;
}

template <class Value>
Taint taint(Value&& value) {
  Taint taint;
  each_field(value, [&](std::string_view key, auto&& content) {
    if (key == "key") taint.key = text(content);
    if (key == "value") taint.value = text(content);
    if (key == "effect") taint.effect = text(content);
  });
  return taint;
}

// From one of an object's conditions; leaves `ready` unless it is the one called Ready.
template <class Value>
void read_readiness(Value&& value, bool& ready) {
  bool found = false, yes = false;
  each_field(value, [&](std::string_view key, auto&& content) {
    if (key == "type") found = text(content) == "Ready";
    if (key == "status") yes = condition_status(text(content)) == ConditionStatus::yes;
  });
  if (found) ready = yes;
}

// Calls read(), which finds the name of an object in `meta`. The error says what the parser or a reader refused, and
// names the object. `place`: where the parser is, if known.
template <class ParseError, class Read>
Result<void> decoding(std::string_view kind, const ObjectMeta& meta, Read read, const std::string* place = nullptr) {
  const auto refuse = [&](std::string_view what) {
    const std::string name = meta.name.empty() ? "without a name" : full_name(meta);
    return fail(ErrorCode::invalid_input, std::string(kind) + ' ' + name + ": " + std::string(what));
  };
  try {
    read();
  } catch (const ParseError& error) {
    return refuse((place ? *place + ": " : "") + error.what());
  } catch (const Rejected& rejected) {
    return refuse(rejected.what);
  }
  if (meta.name.empty()) return refuse("metadata.name: found nothing; allowed: a name");
  return {};
}

// An object with a `meta`: calls read(key, content, object) for every top-level field.
template <class ParseError, class Object, class Parser, class Read>
Result<Object> decoded_object(std::string_view kind, PaddedText<Parser>& text, std::size_t padding,
                              std::string_view json, Read read) {
  Object object;
  const Result<void> done = decoding<ParseError>(kind, object.meta, [&] {
    auto document = text.document(json, padding);
    each_field(document, [&](std::string_view key, auto&& content) {
      read(key, std::forward<decltype(content)>(content), object);
    });
  });
  if (!done) return tl::unexpected(done.error());
  return object;
}

}  // namespace lips::kubernetes::json
