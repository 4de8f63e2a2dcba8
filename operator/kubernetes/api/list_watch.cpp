#include "kubernetes/api/list_watch.h"

#include <fmt/format.h>

#include <utility>

namespace lips::kubernetes {
namespace {

constexpr std::size_t longest_line = 64 << 20;             // etcd refuses objects above 1.5 MiB
constexpr int watches_before_a_list = 5;                   // failing in a row
constexpr std::chrono::milliseconds list_timeout{60'000};  // kube-apiserver ends a request itself after that
constexpr std::chrono::seconds refused_within{2};  // a watch that lives longer was let in, even if nothing comes

// Splits "namespace/name".
ObjectMeta meta_of_key(const std::string& key, const std::string& uid, const std::string& resource_version) {
  const std::size_t slash = key.find('/');
  const bool global = slash == std::string::npos;
  return ObjectMeta{global ? "" : key.substr(0, slash), global ? key : key.substr(slash + 1), uid, resource_version};
}

}  // namespace

ListWatch::ListWatch(ApiClient& client, EventLoop& loop, ListWatchOptions options, ObjectSink& sink)
    : client_(client), loop_(loop), options_(std::move(options)), sink_(sink), random_(options_.seed) {}

ListWatch::~ListWatch() { begin_step(); }

void ListWatch::start() { list(); }

// The tasks hold the number weakly: with the ListWatch it is gone.
template <class Task>
auto ListWatch::in_this_step(Task task) {
  return [step = std::weak_ptr(step_), number = *step_, task = std::move(task)](auto&&... of) {
    const auto now = step.lock();
    if (now && *now == number) task(std::forward<decltype(of)>(of)...);
  };
}

// Ends what is under way.
void ListWatch::begin_step() {
  ++*step_;
  if (asked_) client_.cancel(*asked_);
  if (timer_) loop_.cancel(*timer_);
  if (stream_) stream_->close();
  asked_.reset(), timer_.reset(), stream_.reset();
  listing_ = false;
}

void ListWatch::go_on(Next next) { next == Next::list || request_ > served_ ? list() : watch(); }

std::uint64_t ListWatch::relist() {
  const std::uint64_t asked = ++request_;
  // Not at once: the caller may be a sink in the middle of a list.
  loop_.post([this, step = std::weak_ptr(step_), asked] {
    if (step.expired() || served_ >= asked) return;
    failures_ = 0;
    list();
  });
  return asked;
}

std::string ListWatch::path_with(std::string query) const {
  if (!options_.selector.empty()) query += '&' + options_.selector;
  return options_.path + '?' + query;
}

// Objects equal to the known version are not reported, so an attempt that fails half-way does no harm.
void ListWatch::list() {
  begin_step();
  ++counters_.lists;
  ++list_number_;
  listing_ = true;
  served_ = request_;
  ask_page("");
}

void ListWatch::ask_page(const std::string& continue_token) {
  ApiRequest request;
  request.verb = Verb::list;
  request.timeout = list_timeout;
  // Without a resourceVersion the server returns the newest state, never an older one than before.
  std::string query = paging_ ? fmt::format("limit={}", options_.page_size) : "limit=0";
  if (!continue_token.empty()) query += "&continue=" + percent_encoded(continue_token);
  request.path = path_with(std::move(query));
  asked_ = client_.start(std::move(request), in_this_step([this](const Answer& answer) { take_page(answer); }));
}

void ListWatch::take_page(const Answer& answer) {
  asked_.reset();
  if (!answer) return list_failed(answer.error());
  Result<ListPage> page = frames_.read_list(
      *answer, [&](const ObjectMeta& meta, std::string_view json) { take(meta, json, list_number_); });
  if (!page) return list_failed(page.error());
  if (!page->continue_token.empty()) return ask_page(page->continue_token);
  compare(version_number(resource_version_), version_number(page->resource_version));
  if (!set_back_) {
    forget_unseen();
    resource_version_ = std::move(page->resource_version);
  }
  list_ended();
}

void ListWatch::list_ended() {
  listing_ = false;
  if (set_back_) {
    begin_again();
    return pause_after_failure(Next::list);
  }
  failures_ = 0;
  paging_ = true;
  sink_.heard();
  sink_.complete(served_);
  go_on(Next::watch);
}

void ListWatch::list_failed(const Error& error) {
  listing_ = false;
  if (set_back_) return list_ended();
  sink_.failed(error);
  // The version of the first page was compacted before the last page was read. Try paging once more, then list without
  // pages.
  if (error.code == ErrorCode::gone) paging_ = failures_ == 0;
  pause_after_failure(Next::list);
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

void ListWatch::forget_all() {
  begin_step();
  while (!known_.empty()) forget(known_.begin());
}

void ListWatch::forget_unseen() {
  for (auto place = known_.begin(); place != known_.end();) {
    const auto next = std::next(place);
    if (place->second.seen != list_number_) forget(place);
    place = next;
  }
}

void ListWatch::watch() {
  begin_step();
  ++counters_.watches;
  ApiRequest request;
  // Spreads the watches of a restarted server over time.
  const auto watch_for = static_cast<int>(static_cast<double>(options_.watch_for.count()) * random_.uniform(1, 2));
  request.path = path_with(fmt::format("watch=true&allowWatchBookmarks=true&resourceVersion={}&timeoutSeconds={}",
                                       percent_encoded(resource_version_), watch_for));
  waiting_.clear();
  any_ = false;
  heard_ = loop_.now();
  stream_ = client_.watch(std::move(request));
  review_silence();
  stream_->when_readable(in_this_step([this] { read(); }));
}

void ListWatch::read() {
  using enum ByteStream::State;
  const Result<ByteStream::Chunk> chunk = stream_->read(std::chrono::milliseconds(0));
  if (!chunk) return watch_ended(chunk.error());
  if (chunk->state == ended) return stream_ended();
  if (chunk->state == silent) return;
  heard_ = loop_.now();
  if (const Result<void> taken = take_lines(chunk->bytes); !taken) return watch_ended(taken.error());
  sink_.heard();
  admitted();
  any_ = true;
  failures_ = 0;
}

void ListWatch::admitted() {
  if (std::exchange(refusals_, 0) > 0) sink_.watched_again();
}

void ListWatch::stream_ended() {
  if (any_) return go_on(Next::watch);
  pause_after_failure(Next::watch);  // watches that end at once would make a busy loop
}

// A connection that is dead, or a version that the server does not have yet and may never have (a restored backup).
void ListWatch::review_silence() {
  if (loop_.now() >= heard_ + refused_within) admitted();
  const TimePoint patience_ends = heard_ + options_.silence_allowed;
  if (loop_.now() < patience_ends) {
    const TimePoint next = refusals_ > 0 ? heard_ + refused_within : patience_ends;
    timer_ = loop_.at(next, in_this_step([this] { review_silence(); }));
    return;
  }
  sink_.failed(Error{ErrorCode::unavailable, fmt::format("watch {}: nothing for {} ms, not even a bookmark",
                                                         options_.path, options_.silence_allowed.count())});
  list();
}

void ListWatch::watch_ended(const Error& error) {
  if (is_refusal(error)) {
    sink_.not_watched(error);
    failures_ = refusals_++;
    return pause_after_failure(Next::list);
  }
  sink_.failed(error);
  if (error.code == ErrorCode::gone) return list();
  // A server that keeps refusing may not have our version (a restored backup): a list starts from nothing.
  const bool may_have_it = error.code == ErrorCode::unavailable && failures_ + 1 < watches_before_a_list;
  pause_after_failure(may_have_it ? Next::watch : Next::list);
}

Result<void> ListWatch::take_lines(std::string_view arrived) {
  for (std::size_t end = arrived.find('\n'); end != std::string_view::npos; end = arrived.find('\n')) {
    Result<void> taken;
    if (waiting_.empty()) {
      taken = take_event(arrived.substr(0, end));
    } else {
      waiting_.append(arrived.substr(0, end));
      taken = take_event(waiting_);
      waiting_.clear();
    }
    if (!taken) return taken;
    arrived.remove_prefix(end + 1);
  }
  waiting_.append(arrived);
  if (waiting_.size() > longest_line)
    return fail(ErrorCode::unavailable, fmt::format("watch {}: a line of {} bytes", options_.path, waiting_.size()));
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

void ListWatch::pause_after_failure(Next next) {
  begin_step();
  const Duration pause = backoff(++failures_, options_.retry, random_);
  timer_ = loop_.at(loop_.now() + pause, in_this_step([this, next] { go_on(next); }));
}

}  // namespace lips::kubernetes
