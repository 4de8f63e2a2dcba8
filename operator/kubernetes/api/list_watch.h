// Follows all objects of one kind: a list, then watches, then a list again when the server no longer knows where we
// were. Every change is reported once and in order. Knows keys and versions; what is in an object is for the sink.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>

#include "base/random.h"
#include "kubernetes/api/api_client.h"
#include "kubernetes/api/codec.h"

namespace lips::kubernetes {

// Called on the thread that runs the ListWatch.
class ObjectSink {
 public:
  virtual ~ObjectSink() = default;
  // Added, or another version of it. An object made anew under the same name is deleted first. `json` is valid during
  // the call.
  virtual void changed(const ObjectMeta& meta, std::string_view json) = 0;
  virtual void deleted(const ObjectMeta& meta) = 0;
  // A whole list has been reported: what was reported until now is everything there is. The list began after the
  // request that relist() gave this number; 0: nobody had asked.
  virtual void complete(std::uint64_t request) = 0;
  // A list or watch failed and is tried again.
  virtual void failed(const Error& error) = 0;
};

struct ListWatchOptions {
  std::string path;      // /api/v1/pods
  std::string selector;  // further query, encoded: fieldSelector=spec.schedulerName%3Dlips
  int page_size = 500;
  std::chrono::seconds watch_for{290};                 // after which the server is asked to end a watch
  std::chrono::milliseconds silence_allowed{100'000};  // bookmarks come once a minute
  RetryRules retry{0, std::chrono::milliseconds(200), std::chrono::milliseconds(30'000)};
  std::uint64_t seed = 1;
};

class ListWatch {
 public:
  ListWatch(ApiClient& client, ListWatchOptions options, ObjectSink& sink);
  // Until the stop is requested; never gives up.
  void run(const std::stop_token& stop);
  // From any thread: asks for a list that begins from now on, whatever is under way; the request's number.
  std::uint64_t relist();

  struct Counters {
    std::uint64_t lists = 0, watches = 0, events = 0;
  };
  const Counters& counters() const { return counters_; }  // on run()'s thread, or after it

 private:
  enum class Next : std::uint8_t { watch, list, stopped };
  struct Known {
    std::string uid, resource_version;
    std::uint64_t seen = 0;  // the last list that had it
  };

  // What relist() ends, for as long as it lives: a list that is too old as well as a watch.
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
  Next watch(const std::stop_token& stop);
  Next watch_ended(const Error& error, const std::stop_token& stop);
  Result<void> take_lines(std::string& waiting, std::string_view arrived);
  Result<void> take_event(std::string_view line);
  void take(const ObjectMeta& meta, std::string_view json, std::uint64_t seen);
  void forget_unseen();
  void forget(std::map<std::string, Known, std::less<>>::iterator place);
  std::uint64_t last_request();
  // Ends at once where a list was asked for since the request of that number.
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
  bool paging_ = true;
  int failures_ = 0;                  // in a row
  std::uint64_t listed_request_ = 0;  // that the last whole list has served

  std::mutex mutex_;
  std::condition_variable_any asked_;
  std::uint64_t request_ = 0;  // by mutex_, as the next one
  std::function<void()> cut_;
  Counters counters_;
};

}  // namespace lips::kubernetes
