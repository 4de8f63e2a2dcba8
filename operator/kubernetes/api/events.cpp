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
    if (series_.size() >= options_.most_kept) {
      dropped_ += count;
      return;
    }
    // The time makes the name unique across restarts. The name of a pod may already have the maximal length.
    const std::string name = fmt::format("{}.{:x}.{:x}", note.about.meta.name.substr(0, 200),
                                         now.time_since_epoch().count(), ++names_given_);
    place = series_.emplace(std::move(key), Series{note, name, now, now, 0, 0}).first;
  }
  place->second.count += count;
  place->second.last = now;
}

void EventRecorder::refill(TimePoint now) {
  const double passed = refilled_ == TimePoint{} ? 0 : to_seconds(now - refilled_);
  allowance_ = std::min(options_.burst, allowance_ + std::max(0.0, passed) * options_.per_second);
  refilled_ = now;
}

void EventRecorder::flush(TimePoint now) {
  refill(now);
  for (auto place = series_.begin(); place != series_.end();) {
    Series& series = place->second;
    if (series.count > series.written && allowance_ >= 1) {
      allowance_ -= 1;
      write(series);
      series.written = series.count;
    }
    const bool over = series.written == series.count && now - series.last > options_.series_ends;
    place = over ? series_.erase(place) : std::next(place);
  }
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
