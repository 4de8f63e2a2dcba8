#include "kubernetes/api/list_watch.h"

#include <fmt/format.h>

#include <utility>

namespace lips::kubernetes {
namespace {

constexpr std::size_t longest_line = 64 << 20;  // etcd refuses objects above 1.5 MiB
constexpr int watches_before_a_list = 5;        // failing in a row
constexpr std::chrono::milliseconds list_timeout{120'000};

// Splits "namespace/name".
ObjectMeta meta_of_key(const std::string& key, const std::string& uid, const std::string& resource_version) {
  const std::size_t slash = key.find('/');
  const bool global = slash == std::string::npos;
  return ObjectMeta{global ? "" : key.substr(0, slash), global ? key : key.substr(slash + 1), uid, resource_version};
}

}  // namespace

ListWatch::ListWatch(ApiClient& client, ListWatchOptions options, ObjectSink& sink)
    : client_(client), options_(std::move(options)), sink_(sink), random_(options_.seed) {}

ListWatch::UnderWay::UnderWay(ListWatch& owner, std::function<void()> cut) : owner_(owner) {
  const std::lock_guard lock(owner_.mutex_);
  owner_.cut_ = std::move(cut);
}

ListWatch::UnderWay::~UnderWay() {
  const std::lock_guard lock(owner_.mutex_);
  owner_.cut_ = nullptr;
}

void ListWatch::run(const std::stop_token& stop) {
  Next next = Next::list;
  while (next != Next::stopped && !stop.stop_requested()) next = next == Next::list ? list(stop) : watch(stop);
}

std::uint64_t ListWatch::relist() {
  const std::lock_guard lock(mutex_);
  ++request_;
  if (cut_) cut_();
  asked_.notify_all();
  return request_;
}

std::uint64_t ListWatch::last_request() const {
  const std::lock_guard lock(mutex_);
  return request_;
}

std::string ListWatch::path_with(std::string query) const {
  if (!options_.selector.empty()) query += '&' + options_.selector;
  return options_.path + '?' + query;
}

ListWatch::Next ListWatch::list(const std::stop_token& stop) {
  std::stop_source cut;
  const std::stop_callback when_stopped(stop, [&] { cut.request_stop(); });
  const UnderWay under_way(*this, [&] { cut.request_stop(); });
  const std::uint64_t request = last_request();
  listing_ = true;
  const Result<void> listed = list_pages(cut.get_token());
  listing_ = false;
  if (stop.stop_requested()) return Next::stopped;
  if (!listed && last_request() > request) return Next::list;
  if (set_back_) {
    begin_again();
    pause_after_failure(request, stop);
    return Next::list;
  }
  if (listed) {
    failures_ = 0;
    paging_ = true;
    listed_request_ = request;
    sink_.heard();
    sink_.complete(request);
    return Next::watch;
  }
  sink_.failed(listed.error());
  // The version of the first page was compacted before the last page was read. Try paging once more, then list without
  // pages.
  if (listed.error().code == ErrorCode::gone) paging_ = failures_ == 0;
  pause_after_failure(request, stop);
  return Next::list;
}

// Objects equal to the known version are not reported, so an attempt that fails half-way does no harm.
Result<void> ListWatch::list_pages(const std::stop_token& stop) {
  ++counters_.lists;
  ++list_number_;
  std::string continue_token, resource_version;
  do {
    Result<ListPage> page = list_page(continue_token, stop);
    if (!page) return tl::unexpected(page.error());
    continue_token = std::move(page->continue_token);
    resource_version = std::move(page->resource_version);
  } while (!continue_token.empty());
  compare(version_number(resource_version_), version_number(resource_version));
  if (set_back_) return {};
  forget_unseen();
  resource_version_ = std::move(resource_version);
  return {};
}

Result<ListPage> ListWatch::list_page(const std::string& continue_token, const std::stop_token& stop) {
  ApiRequest request;
  request.verb = Verb::list;
  request.timeout = list_timeout;
  // Without a resourceVersion the server returns the newest state, never an older one than before.
  std::string query = paging_ ? fmt::format("limit={}", options_.page_size) : "limit=0";
  if (!continue_token.empty()) query += "&continue=" + percent_encoded(continue_token);
  request.path = path_with(std::move(query));
  const Answer answer = client_.call(std::move(request), stop);
  if (!answer) return tl::unexpected(answer.error());
  return frames_.read_list(*answer,
                           [&](const ObjectMeta& meta, std::string_view json) { take(meta, json, list_number_); });
}

void ListWatch::take(const ObjectMeta& meta, std::string_view json, std::uint64_t seen) {
  std::string key = full_name(meta);
  auto place = known_.find(key);
  if (place != known_.end() && place->second.uid != meta.uid) {
    forget(place);
    place = known_.end();
  }
  if (place == known_.end()) place = known_.emplace(std::move(key), Known{meta.uid, "", seen}).first;
  place->second.seen = seen;
  if (listing_) compare(version_number(place->second.resource_version), version_number(meta.resource_version));
  if (place->second.resource_version == meta.resource_version) return;
  place->second.resource_version = meta.resource_version;
  ++counters_.events;
  sink_.changed(meta, json);
}

// A list never shows an older state than the list or watch before it, unless the server's store was restored.
void ListWatch::compare(std::uint64_t before, std::uint64_t found) {
  if (found != 0 && found < before && !set_back_) set_back_ = SetBack{options_.path, before, found};
}

void ListWatch::begin_again() {
  for (auto& [name, known] : known_) known.resource_version.clear();
  resource_version_.clear();
  sink_.set_back(*std::exchange(set_back_, std::nullopt));
}

void ListWatch::forget(std::map<std::string, Known, std::less<>>::iterator place) {
  ++counters_.events;
  const ObjectMeta meta = meta_of_key(place->first, place->second.uid, place->second.resource_version);
  known_.erase(place);
  sink_.deleted(meta);
}

void ListWatch::forget_unseen() {
  for (auto place = known_.begin(); place != known_.end();) {
    const auto next = std::next(place);
    if (place->second.seen != list_number_) forget(place);
    place = next;
  }
}

ListWatch::Next ListWatch::watch(const std::stop_token& stop) {
  ++counters_.watches;
  ApiRequest request;
  // Spreads the watches of a restarted server over time.
  const auto watch_for = static_cast<int>(static_cast<double>(options_.watch_for.count()) * random_.uniform(1, 2));
  request.path = path_with(fmt::format("watch=true&allowWatchBookmarks=true&resourceVersion={}&timeoutSeconds={}",
                                       percent_encoded(resource_version_), watch_for));
  const auto stream = client_.watch(std::move(request));
  const UnderWay under_way(*this, [&] { stream->close(); });
  if (last_request() > listed_request_) return Next::list;
  const std::stop_callback when_stopped(stop, [&] { stream->close(); });
  std::string waiting;
  bool any = false;
  for (;;) {
    const Result<ByteStream::Chunk> chunk = stream->read(options_.silence_allowed);
    if (stop.stop_requested()) return Next::stopped;
    if (last_request() > listed_request_) return Next::list;
    if (!chunk) return watch_ended(chunk.error(), stop);
    if (chunk->state == ByteStream::State::ended) {
      if (!any) pause_after_failure(listed_request_, stop);  // watches that end at once would make a busy loop
      return Next::watch;
    }
    if (chunk->state == ByteStream::State::silent) {
      // A connection that is dead, or a version that the server does not have yet and may never have (a restored
      // backup).
      sink_.failed(Error{ErrorCode::unavailable, fmt::format("watch {}: nothing for {} ms, not even a bookmark",
                                                             options_.path, options_.silence_allowed.count())});
      return Next::list;
    }
    if (const Result<void> taken = take_lines(waiting, chunk->bytes); !taken) return watch_ended(taken.error(), stop);
    sink_.heard();
    any = true;
    failures_ = 0;
  }
}

ListWatch::Next ListWatch::watch_ended(const Error& error, const std::stop_token& stop) {
  sink_.failed(error);
  if (error.code == ErrorCode::gone) return Next::list;
  pause_after_failure(listed_request_, stop);
  // A server that keeps refusing may not have our version (a restored backup): a list starts from nothing.
  return error.code == ErrorCode::unavailable && failures_ < watches_before_a_list ? Next::watch : Next::list;
}

Result<void> ListWatch::take_lines(std::string& waiting, std::string_view arrived) {
  for (std::size_t end = arrived.find('\n'); end != std::string_view::npos; end = arrived.find('\n')) {
    Result<void> taken;
    if (waiting.empty()) {
      taken = take_event(arrived.substr(0, end));
    } else {
      waiting.append(arrived.substr(0, end));
      taken = take_event(waiting);
      waiting.clear();
    }
    if (!taken) return taken;
    arrived.remove_prefix(end + 1);
  }
  waiting.append(arrived);
  if (waiting.size() > longest_line)
    return fail(ErrorCode::unavailable, fmt::format("watch {}: a line of {} bytes", options_.path, waiting.size()));
  return {};
}

Result<void> ListWatch::take_event(std::string_view line) {
  if (line.find_first_not_of(" \t\r") == std::string_view::npos) return {};
  const Result<WatchEvent> event = frames_.read_event(line);
  if (!event) return tl::unexpected(event.error());
  if (event->type == WatchEvent::Type::error) return tl::unexpected(event->error);
  if (event->type == WatchEvent::Type::deleted) {
    const auto place = known_.find(full_name(event->meta));
    if (place != known_.end() && place->second.uid == event->meta.uid) forget(place);
  } else if (event->type != WatchEvent::Type::bookmark) {
    take(event->meta, event->object, list_number_);
  }
  if (!event->meta.resource_version.empty()) resource_version_ = event->meta.resource_version;
  return {};
}

void ListWatch::pause_after_failure(std::uint64_t request, const std::stop_token& stop) {
  ++failures_;
  std::unique_lock lock(mutex_);
  const bool asked =
      asked_.wait_for(lock, stop, backoff(failures_, options_.retry, random_), [&] { return request_ > request; });
  if (asked) failures_ = 0;
}

}  // namespace lips::kubernetes
