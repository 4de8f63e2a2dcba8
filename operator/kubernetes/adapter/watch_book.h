// Which kinds the adapter lists, and what the API server says of each: listed, refused, not yet answered, and since
// when. Says without which nothing may be planned, and which plans do without. Decides nothing.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "controller/adapter_status.h"
#include "controller/operator_state.h"
#include "kubernetes/api/list_watch.h"

namespace lips::kubernetes {

enum class WatchNeed : std::uint8_t {
  needed,   // without it nothing is planned
  awaited,  // plans wait for its first list, unless the server refuses it
  welcome   // plans do not wait
};

struct WatchAbout {
  WatchNeed need = WatchNeed::welcome;
  std::string_view without = {};  // the consequence while it cannot be read
};

class WatchBook {
 public:
  // `patience`: a trouble that lasts so long is named, and plans do without what is only awaited.
  WatchBook(std::function<TimePoint()> now, Duration patience) : now_(std::move(now)), patience_(patience) {}

  // Passes everything on to the sink, and takes notes. Both outlive the watch.
  std::unique_ptr<ObjectSink> enter(const std::string& path, const WatchAbout& about, ObjectSink& to);

  // The watch of that path has ended, and its sink is gone.
  void leave(const std::string& path);

  // Nothing may be planned: a kind has not been listed, or one that is needed is refused.
  bool awaits_any() const;
  // One of them has lasted, or is refused: by their names, as kubectl knows them.
  std::vector<Lack> awaited() const;
  // Plans do without these, because the server refuses them, or see changes late, because it refuses to be watched.
  std::vector<Lack> missing() const;
  // A kind whose path has that part is refused, if only for a moment.
  bool refuses(std::string_view part_of_path) const;
  std::vector<WatchStatus> all() const;
  // A list was of an earlier time than what was known, since the last call.
  std::optional<SetBack> take_set_back();

 private:
  class Notes;
  struct Watch {
    std::string path, kind;
    WatchAbout about;
    TimePoint began;
    bool listed = false;
    std::optional<TimePoint> heard = {};
    std::string why = {};  // the last error, until something is heard
    std::optional<TimePoint> refused_since = {};
    std::optional<Lack> not_watched = {};  // it can be listed
  };
  bool is_refused(const Watch& watch) const;  // and has been for long enough
  bool is_awaited(const Watch& watch) const;
  Lack lack(const Watch& watch) const;

  const std::function<TimePoint()> now_;
  const Duration patience_;
  std::vector<std::unique_ptr<Watch>> watches_;
  std::optional<SetBack> set_back_;
};

// "datasets.lips.dev" for /apis/lips.dev/v1alpha1/datasets; "jobs.batch in lips" for those of one namespace.
std::string kind_of_path(std::string_view path);

}  // namespace lips::kubernetes
