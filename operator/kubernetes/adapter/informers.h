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
  // Once: a kind that most clusters do not have.
  void watch(WatchedKind optional);
  // Lists nodes and pods again. The lists begin after this call; Listed carries the returned number or a larger one.
  std::uint64_t relist();
  // Lists every kind again; the number is that of relist().
  std::uint64_t relist_all();
  // The number of the last call; 0: there was none.
  std::uint64_t last_request() const;
  // Starts an informer for one more kind; `sink` outlives this.
  ListWatch& add(ListWatchOptions options, ObjectSink& sink, const WatchAbout& about);

 private:
  template <class Decoder, class... Options>
  ListWatch& start(WatchedKind kind, std::string path, Options&&... options);

  const Surroundings around_;
  const std::vector<std::string> annotations_;
  std::vector<std::unique_ptr<ObjectSink>> sinks_;
  std::vector<std::unique_ptr<ListWatch>> watches_;
  ListWatch* nodes_ = nullptr;
  ListWatch* pods_ = nullptr;
  EnumArray<WatchedKind, bool> watches_optional_;
};

}  // namespace lips::kubernetes
