// Decodes one object from its top-level fields. Include it in .cpp files only, as json_fields.h.
#pragma once

#include <simdjson.h>

#include <string>
#include <string_view>

#include "base/result.h"
#include "kubernetes/api/json_fields.h"

namespace lips::kubernetes::json {

using Text = PaddedText<simdjson::ondemand::parser>;

// Calls read(key, content, object) for every top-level field; the error names the object, which has a `meta`.
template <class Object, class Read>
Result<Object> decoded(Text& text, std::string_view json, std::string_view kind, Object object, Read read) {
  const auto refuse = [&](std::string_view what) {
    const std::string name = object.meta.name.empty() ? "without a name" : full_name(object.meta);
    return fail(ErrorCode::invalid_input, std::string(kind) + ' ' + name + ": " + std::string(what));
  };
  try {
    auto document = text.document(json, simdjson::SIMDJSON_PADDING);
    each_field(document, [&](std::string_view key, simdjson::ondemand::value content) { read(key, content, object); });
    if (object.meta.name.empty()) return refuse("metadata.name: found nothing; allowed: a name");
    return object;
  } catch (const simdjson::simdjson_error& error) {
    return refuse(error.what());
  } catch (const Rejected& rejected) {
    return refuse(rejected.what);
  }
}

}  // namespace lips::kubernetes::json
