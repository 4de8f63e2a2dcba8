// Informers for nodes, pods, jobs and all else that says where pods may run: each lists, watches, and puts decoded
// objects into the inbox. Decides nothing.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/enum_array.h"
#include "controller/adapter_observer.h"
#include "kubernetes/adapter/inbox.h"
#include "kubernetes/adapter/watch_book.h"
#include "kubernetes/api/api_client.h"
#include "kubernetes/api/list_watch.h"

namespace lips::kubernetes {

class Informers {
 public:
  struct Surroundings {  // all outlive it
    ApiClient& client;
    EventLoop& loop;
    Inbox& inbox;
    AdapterObserver& telemetry;
    WatchBook& book;
  };
  // `annotations`: of pods, to keep beside those of lips.dev.
  explicit Informers(Surroundings around, std::vector<std::string> annotations = {});

  void start();
  // A kind that most clusters do not have, in that version of its group; empty: in the one that optional_api() names.
  // If it is watched in another version, that ends.
  void watch(WatchedKind optional, std::string api = {});
  // The objects of the kind are reported as gone.
  void stop(WatchedKind optional);
  // Lists nodes and pods again. The lists begin after this call; Listed carries the returned number or a larger one.
  std::uint64_t relist();
  // Lists every kind again; the number is that of relist().
  std::uint64_t relist_all();
  // The number of the last call; 0: there was none.
  std::uint64_t last_request() const;
  // Starts an informer for one more kind; `sink` outlives this.
  ListWatch& add(ListWatchOptions options, ObjectSink& sink, const WatchAbout& about);

 private:
  struct Informer {
    std::string path;
    std::unique_ptr<ObjectSink> sink, noting;  // the first: none, if it is another's
    std::unique_ptr<ListWatch> watch;          // last: it uses both
  };
  template <class Decoder, class... Options>
  ListWatch& start(WatchedKind kind, std::string path, Options&&... options);
  ListWatch& add(ListWatchOptions options, std::unique_ptr<ObjectSink> own, ObjectSink& sink, const WatchAbout& about);

  const Surroundings around_;
  const std::vector<std::string> annotations_;
  std::vector<Informer> informers_;
  ListWatch* nodes_ = nullptr;
  ListWatch* pods_ = nullptr;
  EnumArray<WatchedKind, std::string> optional_;  // their paths; empty: not watched
};

}  // namespace lips::kubernetes
