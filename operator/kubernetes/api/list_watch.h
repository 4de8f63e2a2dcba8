// Lists and watches all objects of one kind, and lists again when the server no longer has our resource version.
// Reports every change once and in order. Knows names and versions; the sink reads the objects.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/random.h"
#include "kubernetes/api/api_client.h"
#include "kubernetes/api/codec.h"
#include "kubernetes/api/event_loop.h"
#include "kubernetes/api/retry.h"
#include "kubernetes/api/set_back.h"

namespace lips::kubernetes {

// 403, 404 and the like: asking again does not help.
constexpr bool is_refusal(const Error& error) {
  return error.code == ErrorCode::not_found || error.code == ErrorCode::invalid_input;
}

// Called on the thread that runs the event loop.
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
  // The server lists the kind and refuses to be watched: it is listed again, ever less often. Told at each refusal.
  virtual void not_watched(const Error&) {}
  // A watch after that was let in.
  virtual void watched_again() {}
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

// Every step is a task of the event loop: the answer to a page, bytes of a watch, the end of a pause. All calls are on
// the loop's thread.
class ListWatch {
 public:
  // The client, whose answers come on the loop, and the others outlive it.
  ListWatch(ApiClient& client, EventLoop& loop, ListWatchOptions options, ObjectSink& sink);
  ~ListWatch();
  ListWatch(const ListWatch&) = delete;
  ListWatch& operator=(const ListWatch&) = delete;

  // Begins the first list; never gives up.
  void start();
  // Requests a list that begins after this call, whatever is under way, and returns the number of the request.
  std::uint64_t relist();
  // Reports all objects as gone. Nothing is reported after this.
  void forget_all();
  // The number of the last request; 0: there was none.
  std::uint64_t last_request() const { return request_; }

  struct Counters {
    std::uint64_t lists = 0, watches = 0, events = 0;
  };
  const Counters& counters() const { return counters_; }

 private:
  enum class Next : std::uint8_t { watch, list };
  struct Known {
    std::string uid, resource_version;
    std::uint64_t seen = 0;  // the last list that contained it
  };

  void begin_step();
  template <class Task>
  auto in_this_step(Task task);
  void go_on(Next next);

  void list();
  void ask_page(const std::string& continue_token);
  void take_page(const Answer& answer);
  void list_ended();
  void list_failed(const Error& error);
  void begin_again();
  void compare(std::uint64_t before, std::uint64_t found);

  void watch();
  void read();
  void admitted();
  void stream_ended();
  void watch_ended(const Error& error);
  void review_silence();
  Result<void> take_lines(std::string_view arrived);
  Result<void> take_event(std::string_view line);

  void take(const ObjectMeta& meta, std::string_view json, std::uint64_t seen);
  void forget_unseen();
  void forget(std::map<std::string, Known, std::less<>>::iterator place);
  void pause_after_failure(Next next);
  std::string path_with(std::string query) const;

  ApiClient& client_;
  EventLoop& loop_;
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
  int failures_ = 0;  // in a row
  int refusals_ = 0;  // of watches, in a row: a list between them proves nothing

  // The step under way: one request, one stream or one timer. A task of an earlier step does nothing.
  std::shared_ptr<std::uint64_t> step_ = std::make_shared<std::uint64_t>(0);
  std::optional<ApiClient::RequestId> asked_;
  std::unique_ptr<ByteStream> stream_;
  std::optional<EventLoop::TimerId> timer_;
  std::string waiting_;  // the beginning of a line
  bool any_ = false;     // the watch has brought something
  TimePoint heard_{};    // last, by the watch

  std::uint64_t request_ = 0, served_ = 0;  // of relist(); the second: by the last list that began
  Counters counters_;
};

}  // namespace lips::kubernetes
