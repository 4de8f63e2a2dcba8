// Events (events.k8s.io/v1) about our decisions: equal ones are counted in one object, and writes are limited in rate.
// Reads no clock.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>

#include "kubernetes/api/api_client.h"
#include "kubernetes/api/objects.h"
#include "kubernetes/api/turns.h"

namespace lips::kubernetes {

struct EventSubject {
  std::string api_version, kind;  // "v1", "Pod"
  ObjectMeta meta;
};

struct EventNote {
  EventSubject about;
  bool warning = false;
  std::string reason;  // one word: Scheduled
  std::string action;  // one word: Binding
  std::string note;    // a sentence; may differ between events that are counted as one, the first is kept
};

struct EventOptions {
  std::string controller = "lips.dev/operator";
  std::string instance;               // the pod's name
  double per_second = 5;              // writes, on average
  double burst = 50;                  // writes at once
  Duration series_ends{360'000'000};  // after the last occurrence
  std::size_t most_kept = 4096;       // of further kinds those of the namespaces with most are dropped, and counted
};

class EventRecorder {
 public:
  EventRecorder(ApiClient& client, EventOptions options, std::function<bool()> may_act);

  // Writes nothing yet.
  void record(const EventNote& note, TimePoint now, std::uint64_t count = 1);
  // Writes new events and new counts, as many as the rate allows; the rest wait for the next call.
  void flush(TimePoint now);
  std::uint64_t dropped() const { return dropped_; }

 private:
  // kind, namespace/name, uid, reason, action, warning
  using Key = std::tuple<std::string, std::string, std::string, std::string, std::string, bool>;
  struct Series {
    EventNote note;
    std::string name;
    TimePoint first, last;
    std::uint64_t count = 0, written = 0;
    std::optional<TimePoint> look = {};  // in looks_; none: not before it is written
  };
  using AllSeries = std::map<Key, Series>;
  struct ByKey {
    bool operator()(AllSeries::iterator a, AllSeries::iterator b) const { return a->first < b->first; }
  };
  using ByNameSpace = std::map<std::string, std::set<AllSeries::iterator, ByKey>>;

  std::string create_body(const Series& series) const;
  void write(const Series& series);
  void refill(TimePoint now);
  bool make_room(const std::string& name_space);
  ByNameSpace& unwritten(AllSeries::iterator series) { return series->second.written > 0 ? grown_ : fresh_; }
  void drop_unwritten(AllSeries::iterator series);
  std::size_t take_turns(const ByNameSpace& unwritten, bool again);
  void look_later(AllSeries::iterator series);
  void drop_look(AllSeries::iterator series);
  void forget(AllSeries::iterator series);
  void forget_ended(TimePoint now);

  ApiClient& client_;
  const EventOptions options_;
  std::function<bool()> may_act_;
  AllSeries series_;
  ByNameSpace fresh_, grown_;  // series that are not written, or have occurred since more often than is written
  std::multimap<TimePoint, AllSeries::iterator> looks_;  // when each may have ended
  std::map<std::string, std::size_t> kept_;              // of series_, by namespace
  Turns<AllSeries::iterator> turns_;                     // of one flush
  double allowance_;
  TimePoint refilled_;
  std::uint64_t dropped_ = 0, names_given_ = 0;
};

}  // namespace lips::kubernetes
