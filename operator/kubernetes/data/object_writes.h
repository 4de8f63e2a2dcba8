// Writes to the API server, one at a time for each object. The caller decides where answers are handled. Knows no kind
// of object; reads no clock.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.h"
#include "kubernetes/api/requests.h"

namespace lips::kubernetes {

class ObjectWrites {
 public:
  // Calls `may_act` before each attempt, on the thread of the connections, and `wake` when an answer has arrived.
  ObjectWrites(ApiClient& client, std::function<bool()> may_act, std::function<void()> wake);

  // Says whether nothing is under way for this object and its last failure is long enough ago.
  bool free(const std::string& object, TimePoint now) const;
  bool anything_under_way() const { return !under_way_.empty(); }
  // Call only while free; collect() calls `done`. After a creation or deletion the object stays blocked for some
  // seconds, until the watch shows it. The same write once more, although it was accepted, counts as a failure: the
  // server does not keep what was written. One that was refused for its size is not sent again for a while.
  void send(const std::string& object, ApiRequest request, std::function<void(const Answer&)> done = {});
  // Says on an object what is true of one matter. Sends nothing, and returns false, if the same was accepted lately:
  // the server does not keep it, as where a definition is older and lacks a field. `content` is the body apart from
  // times of the moment, with the version of the object that it was made for, so that an object that has changed is
  // written.
  bool say(const std::string& object, std::string_view matter, const std::string& content, ApiRequest request,
           std::function<void(const Answer&)> done = {});
  // Ends the block after a creation that the answer confirmed.
  void end_hold(const std::string& object);
  // Calls `done` for each answer. These objects are free from the next call on, when the result is known everywhere. A
  // failure blocks the object for a while, longer each time.
  void collect(TimePoint now);
  std::size_t kept() const {
    return under_way_.size() + pauses_.size() + accepted_.size() + too_large_.size() + said_.size();
  }

 private:
  struct Arrived {
    std::string object;
    Answer answer;
  };
  struct Mailbox {  // outlives this object where an answer is late
    std::vector<Arrived> arrived;
    std::function<void()> wake;
  };
  struct Pause {
    TimePoint until{};
    int failures = 0;
  };

  ApiClient& client_;
  std::function<bool()> may_act_;
  std::shared_ptr<Mailbox> mailbox_;
  struct UnderWay {
    Verb verb = Verb::create;
    std::optional<std::size_t> update;  // its content
    std::function<void(const Answer&)> done;
  };
  struct Accepted {
    std::size_t update = 0;
    TimePoint at{};
    int again = 0;
  };
  bool keeps(const std::string& object, const UnderWay& done, TimePoint now);
  void pause(const std::string& object, int failures, TimePoint now);

  std::map<std::string, UnderWay> under_way_;
  std::map<std::string, Pause> pauses_;
  std::map<std::string, Accepted> accepted_;  // the last update of each object, for a while
  struct Said {
    std::size_t content = 0;
    TimePoint at{};
  };
  std::map<std::string, Said> too_large_;  // updates that the server refused for their size, by object, for a while
  std::map<std::string, Said> said_;       // what was accepted last, by object and matter, for a while
  TimePoint now_{};                        // of the last collect()
  std::set<std::string> just_answered_;
};

// ---- requests ----

}  // namespace lips::kubernetes
