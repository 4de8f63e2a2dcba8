#include "kubernetes/api/events.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "kubernetes/api/time_text.h"

namespace lips::kubernetes {
namespace {

using Json = nlohmann::json;

constexpr std::size_t longest_note = 1024;  // the server's limit

std::string written(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

// Events about objects without a namespace live in "default".
std::string name_space_of(const EventNote& note) {
  return note.about.meta.name_space.empty() ? "default" : note.about.meta.name_space;
}

std::string events_path(const EventNote& note) {
  return fmt::format("/apis/events.k8s.io/v1/namespaces/{}/events", percent_encoded(name_space_of(note)));
}

Json series_json(std::uint64_t count, TimePoint last) {
  return Json{{"count", count}, {"lastObservedTime", micro_time_text(last)}};
}

}  // namespace

EventRecorder::EventRecorder(ApiClient& client, EventOptions options, std::function<bool()> may_act)
    : client_(client), options_(std::move(options)), may_act_(std::move(may_act)), allowance_(options_.burst) {}

void EventRecorder::record(const EventNote& note, TimePoint now, std::uint64_t count) {
  Key key{note.about.kind, full_name(note.about.meta), note.about.meta.uid, note.reason, note.action, note.warning};
  auto place = series_.find(key);
  if (place == series_.end()) {
    if (series_.size() >= options_.most_kept && !make_room(note.about.meta.name_space)) {
      dropped_ += count;
      return;
    }
    ++kept_[note.about.meta.name_space];
    // The time makes the name unique across restarts. The name of a pod may already have the maximal length.
    const std::string name = fmt::format("{}.{:x}.{:x}", note.about.meta.name.substr(0, 200),
                                         now.time_since_epoch().count(), ++names_given_);
    place = series_.emplace(std::move(key), Series{note, name, now, now, 0, 0}).first;
  }
  Series& series = place->second;
  series.count += count;
  series.last = now;
  if (series.count > series.written)
    unwritten(place)[note.about.meta.name_space].insert(place);
  else if (!series.look)
    look_later(place);
}

// Drops a series of the namespace that has most of them. False: that is the namespace itself.
bool EventRecorder::make_room(const std::string& name_space) {
  const auto most =
      std::max_element(kept_.begin(), kept_.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  const auto own = kept_.find(name_space);
  if (most == kept_.end() || most->second <= 1 + (own == kept_.end() ? 0 : own->second)) return false;
  const auto last = std::find_if(series_.rbegin(), series_.rend(), [&](const auto& entry) {
    return entry.second.note.about.meta.name_space == most->first;
  });
  dropped_ += last->second.count - last->second.written;
  forget(std::next(last).base());
  return true;
}

void EventRecorder::drop_unwritten(AllSeries::iterator series) {
  ByNameSpace& unwritten = this->unwritten(series);
  const auto own = unwritten.find(series->second.note.about.meta.name_space);
  if (own == unwritten.end()) return;
  own->second.erase(series);
  if (own->second.empty()) unwritten.erase(own);
}

// Each namespace gives no more than can be written now.
std::size_t EventRecorder::take_turns(const ByNameSpace& unwritten, bool again) {
  std::size_t all = 0;
  for (const auto& [name_space, series] : unwritten) {
    std::size_t taken = 0;
    for (auto place = series.begin(); place != series.end() && static_cast<double>(taken) < allowance_; ++place) {
      turns_.add(name_space, *place, again);
      ++taken;
    }
    all += taken;
  }
  return all;
}

void EventRecorder::look_later(AllSeries::iterator series) {
  Series& what = series->second;
  what.look = what.last + options_.series_ends;
  looks_.emplace(*what.look, series);
}

void EventRecorder::drop_look(AllSeries::iterator series) {
  Series& what = series->second;
  if (!what.look) return;
  const auto [begin, end] = looks_.equal_range(*what.look);
  looks_.erase(std::find_if(begin, end, [&](const auto& entry) { return entry.second == series; }));
  what.look.reset();
}

void EventRecorder::forget(AllSeries::iterator series) {
  drop_look(series);
  drop_unwritten(series);
  const auto kept = kept_.find(series->second.note.about.meta.name_space);
  if (--kept->second == 0) kept_.erase(kept);
  series_.erase(series);
}

// A series that has gone on since is looked at again, one that is not written once it is.
void EventRecorder::forget_ended(TimePoint now) {
  while (!looks_.empty() && looks_.begin()->first < now) {
    const AllSeries::iterator series = looks_.begin()->second;
    drop_look(series);
    if (series->second.count > series->second.written) continue;
    if (now - series->second.last > options_.series_ends)
      forget(series);
    else
      look_later(series);
  }
}

void EventRecorder::refill(TimePoint now) {
  const double passed = refilled_ == TimePoint{} ? 0 : to_seconds(now - refilled_);
  allowance_ = std::min(options_.burst, allowance_ + std::max(0.0, passed) * options_.per_second);
  refilled_ = now;
}

void EventRecorder::flush(TimePoint now) {
  refill(now);
  // Series that were never written come first, so the rest matters only where the rate allows more.
  if (allowance_ >= 1 && allowance_ - static_cast<double>(take_turns(fresh_, false)) >= 1) take_turns(grown_, true);
  turns_.grant([this](AllSeries::iterator place) {
    if (allowance_ < 1) return false;
    allowance_ -= 1;
    Series& series = place->second;
    write(series);
    drop_unwritten(place);
    series.written = series.count;
    if (!series.look) look_later(place);
    return true;
  });
  forget_ended(now);
}

std::string EventRecorder::create_body(const Series& series) const {
  const EventNote& note = series.note;
  Json event{{"apiVersion", "events.k8s.io/v1"},
             {"kind", "Event"},
             {"metadata", {{"name", series.name}, {"namespace", name_space_of(note)}}},
             {"eventTime", micro_time_text(series.first)},
             {"reportingController", options_.controller},
             {"reportingInstance", options_.instance.empty() ? "lips" : options_.instance},
             {"type", note.warning ? "Warning" : "Normal"},
             {"reason", note.reason},
             {"action", note.action},
             {"note", note.note.substr(0, longest_note)},
             {"regarding",
              {{"apiVersion", note.about.api_version},
               {"kind", note.about.kind},
               {"namespace", note.about.meta.name_space},
               {"name", note.about.meta.name},
               {"uid", note.about.meta.uid}}}};
  if (series.count > 1) event["series"] = series_json(series.count, series.last);
  return written(event);
}

// An event that cannot be written is lost; conditions, metrics or the journal say the same.
void EventRecorder::write(const Series& series) {
  ApiRequest request;
  request.repeatable = true;  // the name is fixed, so the server refuses a second one
  request.still_wanted = may_act_;
  request.path = events_path(series.note);
  if (series.written == 0) {
    request.verb = Verb::create;
    request.body = create_body(series);
  } else {
    request.verb = Verb::patch;
    request.path += '/' + percent_encoded(series.name);
    request.content_type = merge_patch;
    request.body = written(Json{{"series", series_json(series.count, series.last)}});
  }
  client_.start(std::move(request), [](const Answer&) {});
}

}  // namespace lips::kubernetes
