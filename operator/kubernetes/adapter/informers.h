// The threads that follow nodes, pods, jobs, claims, volumes and what is known of their drivers, and put what they
// decode into the inbox. Decides nothing.
#pragma once

#include <memory>
#include <thread>
#include <vector>

#include "controller/adapter_observer.h"
#include "kubernetes/adapter/inbox.h"
#include "kubernetes/api/api_client.h"
#include "kubernetes/api/list_watch.h"

namespace lips::kubernetes {

class Informers {
 public:
  // All of them outlive it.
  Informers(ApiClient& client, Inbox& inbox, AdapterObserver& telemetry);
  ~Informers();  // waits for the threads

  void start();
  // Nodes and pods are listed anew, beginning from now on: Listed says so with this number or a larger one.
  std::uint64_t relist();
  // One more kind on a thread of its own; `sink` outlives this.
  ListWatch& add(ListWatchOptions options, ObjectSink& sink);

 private:
  ApiClient& client_;
  Inbox& inbox_;
  AdapterObserver& telemetry_;
  std::vector<std::unique_ptr<ObjectSink>> sinks_;
  std::vector<std::unique_ptr<ListWatch>> watches_;
  ListWatch* nodes_ = nullptr;
  ListWatch* pods_ = nullptr;
  std::vector<std::jthread> threads_;
};

}  // namespace lips::kubernetes
