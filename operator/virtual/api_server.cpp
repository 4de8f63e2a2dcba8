#include "virtual/api_server.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>
#include <utility>

#include "virtual/api_discovery.h"
#include "virtual/object_filter.h"

namespace lips::virtual_cluster {
namespace {

constexpr std::size_t most_pages = 1'000;

std::optional<std::uint64_t> number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::string event_line(const char* type, const std::string& object) {
  return fmt::format("{{\"type\":\"{}\",\"object\":{}}}\n", type, object);
}

// A watch by labels or fields is told when an object begins or ends to be selected, as if it came or went. Empty: the
// watch is not concerned.
std::string line_of(const ObjectFilter& filter, const ObjectChange& change) {
  const bool before = change.before && filter.selects(*change.before);
  const bool now = change.type != ChangeType::deleted && filter.selects(*change.now.json);
  if (now) return event_line(before ? "MODIFIED" : "ADDED", body_of(*change.now.json));
  if (!before) return "";
  if (change.type == ChangeType::deleted) return event_line("DELETED", body_of(*change.now.json));
  Json last = *change.before;
  last["metadata"]["resourceVersion"] = std::to_string(change.now.version);
  return event_line("DELETED", body_of(last));
}

bool is_read(kubernetes::Verb verb) {
  using enum kubernetes::Verb;
  return verb == get || verb == list || verb == watch;
}

bool has_part(const ApiKind& kind, const ApiPath& path) {
  if (!kind.namespaced && !path.name_space.empty()) return false;
  if (path.part.empty() || (path.part == "status" && kind.status_part)) return true;
  return kind.plural == "pods" && (path.part == "binding" || path.part == "eviction");
}

bool has_verb(const ApiKind& kind, const ApiPath& path, kubernetes::Verb verb) {
  const bool one = !path.name.empty(), action = path.part == "binding" || path.part == "eviction";
  if (verb == kubernetes::Verb::create)
    return one ? action : path.part.empty() && (!kind.namespaced || !path.name_space.empty());
  if (action) return false;
  if (is_read(verb)) return true;
  return one && (verb != kubernetes::Verb::remove || path.part.empty());
}

Json resource(const ApiKind& kind) {
  std::string singular = kind.name;
  for (char& letter : singular) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  return {{"name", kind.plural},
          {"singularName", singular},
          {"namespaced", kind.namespaced},
          {"kind", kind.name},
          {"verbs", {"create", "delete", "get", "list", "patch", "update", "watch"}}};
}

Json part_of(const ApiKind& kind, const std::string& part, const char* name, const Json& verbs) {
  return {{"name", kind.plural + '/' + part},
          {"singularName", ""},
          {"namespaced", kind.namespaced},
          {"kind", name},
          {"verbs", verbs}};
}

}  // namespace

const ApiKind& ApiServer::kind(const std::string& collection) const {
  const auto known = kinds_.find(collection);
  return known != kinds_.end() ? known->second : kinds_.emplace(collection, api_kind(collection)).first->second;
}

std::vector<std::string> ApiServer::served() const {
  std::vector<std::string> names = objects_.served();
  std::erase_if(names, [&](const std::string& name) { return hidden_.contains(name); });
  return names;
}

ApiResponse ApiServer::answer_to(const kubernetes::ApiRequest& request) {
  using enum kubernetes::Verb;
  const std::optional<ApiPath> path = parse_api_path(request.path);
  if (!path) {
    const std::string whole = request.path.substr(0, request.path.find('?'));
    const std::optional<Json> answer = is_read(request.verb) ? discovered(whole, served()) : std::nullopt;
    return answer ? ApiResponse{200, body_of(*answer)} : no_such_path();
  }
  if (path->resource.empty()) return is_read(request.verb) ? discover(*path) : no_such_verb();
  const std::string collection = path->collection();
  if (!serves(collection)) return no_such_path();
  const Target target{*path, collection, key_of(path->name_space, path->name), kind(collection)};
  if (!has_part(target.kind, *path)) return no_such_path();
  if (!has_verb(target.kind, *path, request.verb)) return no_such_verb();
  const kubernetes::Verb verb = !is_read(request.verb) ? request.verb : path->name.empty() ? list : get;
  if (!may(verb, *path)) return forbidden(target.kind, std::string(verb_name(verb)));
  if (is_read(verb)) return verb == list ? this->list(target) : read(target);
  const Json body = request.body.empty() ? Json() : Json::parse(request.body, nullptr, false);
  if (body.is_discarded()) return bad_request("the body of the request was not JSON");
  if (!path->query_value("dryRun").empty()) return bad_request("this server does not rehearse");
  switch (request.verb) {
    case create:
      return this->create(target, body);
    case update:
      return this->update(target, body);
    case patch:
      return this->patch(target, body, request.content_type);
    default:
      return this->remove(target, body);
  }
}

ApiResponse ApiServer::discover(const ApiPath& path) const {
  Json resources = Json::array();
  for (const std::string& collection : served()) {
    const std::size_t slash = collection.rfind('/');
    if (collection.substr(0, slash) != path.group) continue;
    const ApiKind& served = kind(collection);
    resources.push_back(resource(served));
    add_words(collection, resources.back());
    if (served.status_part)
      resources.push_back(part_of(served, "status", served.name.c_str(), {"get", "patch", "update"}));
    if (served.plural != "pods") continue;
    resources.push_back(part_of(served, "binding", "Binding", Json::array({"create"})));
    resources.push_back(part_of(served, "eviction", "Eviction", Json::array({"create"})));
  }
  if (resources.empty()) return no_such_path();
  return {200, body_of({{"kind", "APIResourceList"},
                        {"apiVersion", "v1"},
                        {"groupVersion", path.group.substr(path.group.find('/', 1) + 1)},
                        {"resources", std::move(resources)}})};
}

ApiResponse ApiServer::read(const Target& target) {
  const StoredObject* found = objects_.find(target.collection, target.key);
  return found ? ApiResponse{200, body_of(*found->json)} : not_found(target.kind, target.path.name);
}

ApiResponse ApiServer::list(const Target& target) {
  const ApiPath& path = target.path;
  const std::string token = path.query_value("continue"), from = path.query_value("resourceVersion");
  if (!token.empty()) {
    const auto wanted = token.starts_with("page-") ? number(token.substr(5)) : std::nullopt;
    if (!wanted || *wanted > last_page_) return bad_request("continue key is not valid");
    const auto kept = pages_.find(*wanted);
    if (kept == pages_.end() || kept->second.version < objects_.compacted())
      return refusal(410, "Expired", "The provided continue parameter is too old");
    return page_of(target, kept->second);
  }
  const auto version = from.empty() ? 0 : number(from);
  if (!version) return bad_request(fmt::format("resourceVersion: Invalid value: \"{}\"", from));
  if (*version > objects_.version())
    return refusal(504, "Timeout",
                   fmt::format("Too large resource version: {}, current: {}", *version, objects_.version()));
  const auto filter = ObjectFilter::of(path, target.kind);
  if (!filter) return bad_request("a selector cannot be read, or selects by an unknown field");
  std::vector<std::shared_ptr<const Json>> all;
  for (const auto& [key, stored] : objects_.all(target.collection))
    if (filter->selects(*stored.json)) all.push_back(stored.json);
  Paging page{objects_.version(), nullptr, 0, filter->selects_all()};
  page.all = std::make_shared<const std::vector<std::shared_ptr<const Json>>>(std::move(all));
  return page_of(target, std::move(page));
}

ApiResponse ApiServer::page_of(const Target& target, Paging page) {
  const std::string text = target.path.query_value("limit");
  const auto limit = text.empty() ? 0 : number(text);
  if (!limit) return bad_request(fmt::format("limit: Invalid value: \"{}\"", text));
  const auto& all = *page.all;
  const std::size_t left = all.size() - page.next;
  const std::size_t end = page.next + (*limit == 0 ? left : std::min<std::size_t>(*limit, left));
  std::string items;
  for (; page.next < end; ++page.next) items += (items.empty() ? "" : ",") + body_of(*all[page.next]);
  Json metadata{{"resourceVersion", std::to_string(page.version)}, {"continue", ""}};
  if (end < all.size()) {
    metadata["continue"] = fmt::format("page-{}", ++last_page_);
    if (page.counted) metadata["remainingItemCount"] = all.size() - end;
    pages_[last_page_] = std::move(page);
    if (pages_.size() > most_pages) pages_.erase(pages_.begin());
  }
  return {200, fmt::format(R"({{"kind":"{}List","apiVersion":"{}","metadata":{},"items":[{}]}})", target.kind.name,
                           target.kind.version, body_of(metadata), items)};
}

std::string ApiServer::bookmark(const Watch& watch) const {
  const ApiKind& told = kind(watch.collection);
  return event_line("BOOKMARK", body_of({{"kind", told.name},
                                         {"apiVersion", told.version},
                                         {"metadata", {{"resourceVersion", std::to_string(objects_.version())}}}}));
}

ApiServer::Watch ApiServer::watch(const std::string& text_of_path, std::function<void(std::string)> told) {
  Watch result;
  result.refused = true;
  const std::optional<ApiPath> path = parse_api_path(text_of_path);
  if (!path || !serves(path->collection())) {
    result.code = 404;
    return result;
  }
  if (!may(kubernetes::Verb::watch, *path)) {
    result.code = 403;
    return result;
  }
  result.collection = path->collection();
  const std::string text = path->query_value("resourceVersion");
  const auto from = text.empty() ? 0 : number(text);
  const auto filter = ObjectFilter::of(*path, kind(result.collection));
  if (!filter || !from) {
    result.code = filter ? 500 : 400;
    return result;
  }
  if (*from == 0) {
    for (const auto& [key, stored] : objects_.all(result.collection))
      if (filter->selects(*stored.json)) result.lines.push_back(event_line("ADDED", body_of(*stored.json)));
  } else {
    const auto before = objects_.since(result.collection, *from);
    if (!before) {
      result.lines.push_back(
          event_line("ERROR", refusal(410, "Expired", fmt::format("too old resource version: {}", *from)).body));
      return result;
    }
    for (const ObjectChange& change : *before)
      if (std::string line = line_of(*filter, change); !line.empty()) result.lines.push_back(std::move(line));
  }
  result.refused = false;
  result.listener = objects_.listen(
      result.collection, [filter = *filter, first = *from, told = std::move(told)](const ObjectChange& change) {
        if (change.now.version <= first) return;
        if (std::string line = line_of(filter, change); !line.empty()) told(std::move(line));
      });
  return result;
}

}  // namespace lips::virtual_cluster
