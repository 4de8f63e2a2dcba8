// Walks through a custom resource and knows where it is, so that a refusal names the field. Inside .cpp files only.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

#include "kubernetes/api/json_fields.h"
#include "kubernetes/data/resources.h"

namespace lips::kubernetes::json {

class ObjectReader {
 public:
  const std::string& place() const { return place_; }

  [[noreturn]] void refuse(std::string_view found, std::string_view allowed) const {
    throw Rejected{place_ + ": found " + std::string(found) + "; allowed: " + std::string(allowed)};
  }

  // Why what `read` reads is refused; empty: it is not. Reading goes on behind it.
  template <class Read>
  std::string attempt(Read read) {
    const std::size_t length = place_.size();
    try {
      read();
      return {};
    } catch (const Rejected& rejected) {
      place_.resize(length);
      return rejected.what;
    }
  }

  // visit(key, value) for every field; null counts as empty.
  template <class Value, class Visit>
  void fields(Value&& value, Visit visit) {
    if (value.is_null()) return;
    expect(value, "object");
    for (auto field : value.get_object()) {
      const std::string key(std::string_view(field.unescaped_key()));
      const std::size_t length = place_.size();
      if (!place_.empty()) place_ += '.';
      place_ += key;
      visit(std::string_view(key), field.value());
      place_.resize(length);
    }
  }

  template <class Value, class Visit>
  void items(Value&& value, Visit visit) {
    if (value.is_null()) return;
    expect(value, "array");
    std::size_t number = 0;
    const std::size_t length = place_.size();
    for (auto item : value.get_array()) {
      place_ += '[' + std::to_string(number++) + ']';
      visit(item.value());
      place_.resize(length);
    }
  }

  template <class Value>
  std::string text(Value&& value) {
    if (value.is_null()) return {};
    expect(value, "string");
    return std::string(std::string_view(value.get_string()));
  }

  template <class Value>
  std::vector<std::string> texts(Value&& value) {
    std::vector<std::string> result;
    items(value, [&](auto item) { result.push_back(text(item)); });
    return result;
  }

  template <class Value>
  bool boolean(Value&& value) {
    if (value.is_null()) return false;
    expect(value, "boolean");
    return value.get_bool();
  }

  template <class Value>
  ResourceQuantity quantity(Value&& value) {
    const std::string_view token = value.raw_json_token();
    std::string written(token.substr(0, token.find_last_not_of(" \t\r\n") + 1));
    const char first = written.empty() ? ' ' : written[0];
    if (first == '"')
      written = text(value);
    else if (first != '-' && (first < '0' || first > '9'))
      refuse(written.substr(0, 40), "a quantity, as in 64Mi");
    return accepted(parse_quantity(written), place_);
  }

  template <class Value>
  std::int64_t bytes(Value&& value) {
    const ResourceQuantity found = quantity(value);
    if (found.whole < 0 || found.nanos < 0) refuse("a negative number", "0 or more");
    return found.units();
  }

  template <class Value>
  std::int64_t integer(Value&& value, std::int64_t least, std::int64_t most) {
    const ResourceQuantity found = quantity(value);
    if (found.nanos != 0 || found.whole < least || found.whole > most)
      refuse("another number", "a whole number from " + std::to_string(least) + " to " + std::to_string(most));
    return found.whole;
  }

  // A decimal of at most nine places, not negative.
  template <class Value>
  double decimal(Value&& value) {
    const ResourceQuantity found = quantity(value);
    if (found.whole < 0 || found.nanos < 0) refuse("a negative number", "0 or more");
    return static_cast<double>(found.whole) + 1e-9 * found.nanos;
  }

  template <class Value>
  BlockRanges ranges(Value&& value) {
    return accepted(BlockRanges::parse(text(value)), place_);
  }

  template <class Value>
  TimePoint time(Value&& value) {
    if (value.is_null()) return TimePoint();
    return accepted(parse_time(text(value)), place_);
  }

  void metadata(auto value, ResourceMeta& meta) {
    fields(value, [&](std::string_view key, auto content) {
      if (key == "namespace") meta.object.name_space = text(content);
      if (key == "name") meta.object.name = text(content);
      if (key == "uid") meta.object.uid = text(content);
      if (key == "resourceVersion") meta.object.resource_version = text(content);
      if (key == "generation") meta.generation = integer(content, 0, std::int64_t{1} << 53);
      if (key == "creationTimestamp") meta.created = time(content);
      if (key == "deletionTimestamp") meta.deleting = !content.is_null();
      if (key == "finalizers") meta.finalizers = texts(content);
      if (key == "labels") meta.labels = text_map(content, "lips.dev/");
    });
  }

  void conditions(auto value, std::vector<ObjectCondition>& conditions) {
    items(value, [&](auto item) {
      ObjectCondition& condition = conditions.emplace_back();
      fields(item, [&](std::string_view key, auto content) {
        if (key == "type") condition.type = text(content);
        if (key == "status") condition.status = condition_status(text(content));
        if (key == "reason") condition.reason = text(content);
        if (key == "message") condition.message = text(content);
        if (key == "lastTransitionTime") condition.since = time(content);
        if (key == "observedGeneration") condition.generation = integer(content, 0, std::int64_t{1} << 53);
      });
    });
  }

 private:
  template <class Value>
  void expect(Value& value, std::string_view wanted) {
    using Type = std::remove_cvref_t<decltype(value.type().value())>;
    const Type type = value.type().value();
    const std::string_view found = type == Type::array    ? "array"
                                   : type == Type::object ? "object"
                                   : type == Type::number ? "number"
                                   : type == Type::string ? "string"
                                                          : "boolean";
    if (found != wanted)
      refuse(std::string("a JSON ") + std::string(found), std::string("a JSON ") + std::string(wanted));
  }

  std::string place_;
};

// Runs `read` on the parts of an object. Refuses invalid content, with kind and name of the object.
template <class Resource, class Document, class Error, class Read>
Result<Resource> decoded(DataKind kind, Document document, Read read) {
  Resource resource;
  ObjectReader reader;
  const auto read_all = [&] {
    auto value = document();
    reader.fields(value, [&](std::string_view key, auto content) {
      if (key == "metadata") reader.metadata(content, resource.meta);
      if (key == "spec" || key == "status") read(reader, key == "spec", std::move(content), resource);
    });
  };
  if (const Result<void> done = decoding<Error>(kind_name(kind), resource.meta.object, read_all, &reader.place());
      !done)
    return tl::unexpected(done.error());
  return resource;
}

}  // namespace lips::kubernetes::json
