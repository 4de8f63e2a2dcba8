#include <fmt/format.h>
#include <simdjson.h>

#include "kubernetes/api/codec.h"
#include "kubernetes/api/json_fields.h"

namespace lips::kubernetes {
namespace {

using simdjson::ondemand::object;

struct Status {
  int code = 0;
  std::string reason, message;
};

template <class Value>
Status status_of(Value&& value) {
  Status status;
  json::each_field(value, [&](std::string_view key, auto content) {
    if (key == "code") status.code = static_cast<int>(std::int64_t(content.get_int64()));
    if (key == "reason") status.reason = json::text(content);
    if (key == "message") status.message = json::text(content);
  });
  return status;
}

ErrorCode error_code(int http_code) {
  switch (http_code) {
    case 404:
      return ErrorCode::not_found;
    case 409:
      return ErrorCode::conflict;
    case 410:
      return ErrorCode::gone;
    case 408:
    case 429:
      return ErrorCode::unavailable;
    default:
      return http_code >= 500 ? ErrorCode::unavailable : ErrorCode::invalid_input;
  }
}

template <class Value>
ObjectMeta meta_of(Value&& value) {
  ObjectMeta meta;
  json::each_field(value, [&](std::string_view key, auto content) { json::names_object(key, content, meta); });
  return meta;
}

// Reads the metadata and rewinds the object.
ObjectMeta peek_meta(object& item) {
  ObjectMeta meta;
  auto field = item.find_field_unordered("metadata");
  if (field.error() == simdjson::SUCCESS)
    meta = meta_of(field);
  else if (field.error() != simdjson::NO_SUCH_FIELD)
    throw simdjson::simdjson_error(field.error());  // cut or not JSON: the parser no longer has the text
  if (item.reset().error() != simdjson::SUCCESS) throw json::Rejected{"an object that cannot be read twice"};
  return meta;
}

WatchEvent::Type event_type(std::string_view name) {
  if (name == "ADDED") return WatchEvent::Type::added;
  if (name == "MODIFIED") return WatchEvent::Type::modified;
  if (name == "DELETED") return WatchEvent::Type::deleted;
  if (name == "BOOKMARK") return WatchEvent::Type::bookmark;
  if (name == "ERROR") return WatchEvent::Type::error;
  throw json::Rejected{"type: found '" + std::string(name) + "'; allowed: ADDED, MODIFIED, DELETED, BOOKMARK, ERROR"};
}

}  // namespace

struct FrameReader::Working {
  json::PaddedText<simdjson::ondemand::parser> frame;
};

FrameReader::FrameReader() : working_(std::make_unique<Working>()) {}
FrameReader::~FrameReader() = default;

Result<ListPage> FrameReader::read_list(std::string_view body,
                                        const std::function<void(const ObjectMeta&, std::string_view json)>& each) {
  try {
    ListPage page;
    auto document = working_->frame.document(body, simdjson::SIMDJSON_PADDING);
    json::each_field(document, [&](std::string_view key, auto content) {
      if (key == "metadata") {
        json::each_field(content, [&](std::string_view name, auto value) {
          if (name == "resourceVersion") page.resource_version = json::text(value);
          if (name == "continue") page.continue_token = json::text(value);
        });
      } else if (key == "items") {
        json::each_item(content, [&](auto item) {
          object entry = item.get_object();
          const ObjectMeta meta = peek_meta(entry);
          each(meta, entry.raw_json());
        });
      }
    });
    if (page.resource_version.empty())
      return fail(ErrorCode::unavailable, "a list without metadata.resourceVersion: not an answer of a Kubernetes API");
    return page;
  } catch (const simdjson::simdjson_error& error) {
    return fail(ErrorCode::unavailable,
                fmt::format("a list of {} bytes that is cut or not JSON: {}", body.size(), error.what()));
  } catch (const json::Rejected& rejected) {
    return fail(ErrorCode::unavailable, "a list that is not understood: " + rejected.what);
  }
}

Result<WatchEvent> FrameReader::read_event(std::string_view line) {
  try {
    WatchEvent event;
    auto document = working_->frame.document(line, simdjson::SIMDJSON_PADDING);
    object frame = document.get_object();
    event.type = event_type(json::text(frame.find_field_unordered("type").value()));
    auto found = frame.find_field_unordered("object");
    object content = found.get_object();
    if (event.type == WatchEvent::Type::error) {
      const Status status = status_of(found);
      event.error = Error{error_code(status.code), status.message};
    } else {
      event.meta = peek_meta(content);
      event.object = content.raw_json();
    }
    return event;
  } catch (const simdjson::simdjson_error& error) {
    return fail(ErrorCode::unavailable,
                fmt::format("a watch event of {} bytes that is cut or not JSON: {}", line.size(), error.what()));
  } catch (const json::Rejected& rejected) {
    return fail(ErrorCode::unavailable, "a watch event that is not understood: " + rejected.what);
  }
}

Error error_of_answer(int http_code, std::string_view body) {
  Status status;
  try {
    json::PaddedText<simdjson::ondemand::parser> answer;
    auto document = answer.document(body, simdjson::SIMDJSON_PADDING);
    status = status_of(document);
  } catch (const simdjson::simdjson_error&) {
    status.message.clear();
  }
  std::string message = status.message.empty() ? std::string(body.substr(0, 200)) : status.message;
  if (!status.reason.empty() && status.message.empty()) message = status.reason;
  const ErrorCode code = is_about_another_object(http_code, message) ? ErrorCode::conflict : error_code(http_code);
  return Error{code, fmt::format("HTTP {}: {}", http_code, message)};
}

bool is_about_another_object(int http_code, std::string_view message) {
  const std::size_t uid = http_code == 422 ? message.find("metadata.uid: Invalid value") : std::string_view::npos;
  return uid != std::string_view::npos && message.find("field is immutable", uid) != std::string_view::npos;
}

}  // namespace lips::kubernetes
