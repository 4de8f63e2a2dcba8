// Lists and watches all objects of one kind, and lists again when the server no longer has our resource version.
// Reports every change once and in order. Knows names and versions; the sink reads the objects.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "base/random.h"
#include "kubernetes/api/api_client.h"
#include "kubernetes/api/codec.h"
#include "kubernetes/api/retry.h"
#include "kubernetes/api/set_back.h"

namespace lips::kubernetes {

// Called on the thread that runs the ListWatch.
class ObjectSink {
 public:
  virtual ~ObjectSink() = default;
  // The object is new or has a new version. If it was recreated under the same name, deleted() comes first. `json` is
  // valid during the call.
  virtual void changed(const ObjectMeta& meta, std::string_view json) = 0;
  virtual void deleted(const ObjectMeta& meta) = 0;
  // A whole list has been reported: every object that exists has been reported by now. The list began after the
  // request to which relist() gave this number; 0: there was none.
  virtual void complete(std::uint64_t request) = 0;
  // A list or watch failed; it will be tried again.
  virtual void failed(const Error& error) = 0;
  // A list was older than what had been reported: the server's store is of an earlier time. Versions reported before
  // are void. Another list follows, which reports every object again and is complete().
  virtual void set_back(const SetBack&) {}
  // The server has sent something: a list, an event, a bookmark.
  virtual void heard() {}
};

struct ListWatchOptions {
  std::string path;      // /api/v1/pods
  std::string selector;  // further query, encoded: fieldSelector=spec.schedulerName%3Dlips
  int page_size = 500;
  std::chrono::seconds watch_for{290};                 // the server is asked to end a watch after that long
  std::chrono::milliseconds silence_allowed{100'000};  // bookmarks come once a minute
  RetryRules retry{0, std::chrono::milliseconds(200), std::chrono::milliseconds(30'000)};
  std::uint64_t seed = 1;
};

class ListWatch {
 public:
  ListWatch(ApiClient& client, ListWatchOptions options, ObjectSink& sink);
  // Runs until a stop is requested; never gives up.
  void run(const std::stop_token& stop);
  // Requests a list that begins after this call, whatever is under way, and returns the number of the request. From any
  // thread.
  std::uint64_t relist();
  // The number of the last request; 0: there was none. From any thread.
  std::uint64_t last_request() const;

  struct Counters {
    std::uint64_t lists = 0, watches = 0, events = 0;
  };
  const Counters& counters() const { return counters_; }  // on run()'s thread, or after it

 private:
  enum class Next : std::uint8_t { watch, list, stopped };
  struct Known {
    std::string uid, resource_version;
    std::uint64_t seen = 0;  // the last list that contained it
  };

  // While it lives, relist() ends the request that it stands for: a list that began too early, or a watch.
  class UnderWay {
   public:
    UnderWay(ListWatch& owner, std::function<void()> cut);
    ~UnderWay();
    UnderWay(const UnderWay&) = delete;
    UnderWay& operator=(const UnderWay&) = delete;

   private:
    ListWatch& owner_;
  };

  Next list(const std::stop_token& stop);
  Result<void> list_pages(const std::stop_token& stop);
  Result<ListPage> list_page(const std::string& continue_token, const std::stop_token& stop);
  void begin_again();
  void compare(std::uint64_t before, std::uint64_t found);
  Next watch(const std::stop_token& stop);
  Next watch_ended(const Error& error, const std::stop_token& stop);
  Result<void> take_lines(std::string& waiting, std::string_view arrived);
  Result<void> take_event(std::string_view line);
  void take(const ObjectMeta& meta, std::string_view json, std::uint64_t seen);
  void forget_unseen();
  void forget(std::map<std::string, Known, std::less<>>::iterator place);
  // Returns at once if a list was requested after the request of that number.
  void pause_after_failure(std::uint64_t request, const std::stop_token& stop);
  std::string path_with(std::string query) const;

  ApiClient& client_;
  const ListWatchOptions options_;
  ObjectSink& sink_;
  Random random_;
  FrameReader frames_;
  std::map<std::string, Known, std::less<>> known_;  // by namespace/name
  std::string resource_version_;                     // up to which all is known
  std::uint64_t list_number_ = 0;
  bool listing_ = false;
  std::optional<SetBack> set_back_;  // noticed by the list under way
  bool paging_ = true;
  int failures_ = 0;                  // in a row
  std::uint64_t listed_request_ = 0;  // that the last whole list has served

  mutable std::mutex mutex_;
  std::condition_variable_any asked_;
  std::uint64_t request_ = 0;  // by mutex_, as the next one
  std::function<void()> cut_;
  Counters counters_;
};

}  // namespace lips::kubernetes
