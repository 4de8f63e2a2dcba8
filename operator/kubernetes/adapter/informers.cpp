#include "kubernetes/adapter/informers.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "kubernetes/pods/argo_workflow.h"
#include "kubernetes/pods/job_set.h"

namespace lips::kubernetes {
namespace {

template <class Decoder>
class DecodingSink : public ObjectSink {
 public:
  template <class... Options>
  DecodingSink(WatchedKind kind, Inbox& inbox, AdapterObserver& telemetry, Options&&... options)
      : kind_(kind), inbox_(inbox), telemetry_(telemetry), decoder_(std::forward<Options>(options)...) {}

  void changed(const ObjectMeta& meta, std::string_view json) override {
    auto decoded = decoder_.decode(json);
    if (decoded)
      inbox_.put(std::move(*decoded));
    else
      inbox_.put(NotUnderstood{kind_, meta, std::move(decoded.error().message)});
  }
  void deleted(const ObjectMeta& meta) override { inbox_.put(Gone{kind_, meta}); }
  void complete(std::uint64_t request) override {
    if (std::exchange(listed_, true)) telemetry_.on_watch(resource_name(kind_), WatchTrouble::relisted);
    inbox_.put(Listed{kind_, request});
  }
  void set_back(const SetBack&) override { inbox_.put(WentBack{kind_}); }
  void heard() override { telemetry_.on_watch_heard(resource_name(kind_)); }
  void failed(const Error& error) override {
    telemetry_.on_watch(resource_name(kind_), WatchTrouble::restarted);
    if (!listed_) inbox_.put(NotListed{kind_, error.message});
  }
  void not_watched(const Error&) override { telemetry_.on_watch(resource_name(kind_), WatchTrouble::restarted); }

 private:
  const WatchedKind kind_;
  Inbox& inbox_;
  AdapterObserver& telemetry_;
  Decoder decoder_;
  bool listed_ = false;
};

WatchNeed need_of(WatchedKind kind) {
  if (is_needed(kind)) return WatchNeed::needed;
  return is_always_watched(kind) ? WatchNeed::awaited : WatchNeed::welcome;
}

ListWatchOptions everything(std::string path, std::uint64_t seed) {
  ListWatchOptions options;
  options.path = std::move(path);
  options.seed = seed;
  return options;
}

}  // namespace

Informers::Informers(Surroundings around, std::vector<std::string> annotations)
    : around_(around), annotations_(std::move(annotations)) {}

template <class Decoder, class... Options>
ListWatch& Informers::start(WatchedKind kind, std::string path, Options&&... options) {
  auto own = std::make_unique<DecodingSink<Decoder>>(kind, around_.inbox, around_.telemetry,
                                                     std::forward<Options>(options)...);
  ObjectSink& sink = *own;
  return add(everything(std::move(path), informers_.size() + 1), std::move(own), sink,
             {need_of(kind), without_list(kind)});
}

void Informers::watch(WatchedKind optional, std::string api) {
  if (api.empty()) api = optional_api(optional);
  const std::string path = fmt::format("{}/{}", api, resource_name(optional));
  if (optional_[optional] == path) return;
  stop(optional);
  optional_[optional] = path;
  if (optional == WatchedKind::pod_groups) start<PodGroupDecoder>(optional, path);
  if (optional == WatchedKind::resource_quotas) start<ResourceQuotaDecoder>(optional, path);
  if (optional == WatchedKind::namespaces) start<NamespaceDecoder>(optional, path);
  if (optional == WatchedKind::job_sets) start<JobSetDecoder>(optional, path);
  if (optional == WatchedKind::argo_workflows) start<ArgoWorkflowDecoder>(optional, path);
}

void Informers::stop(WatchedKind optional) {
  const std::string path = std::exchange(optional_[optional], "");
  if (path.empty()) return;
  const auto ended = std::find_if(informers_.begin(), informers_.end(),
                                  [&](const Informer& informer) { return informer.path == path; });
  {
    const Informer last = std::move(*ended);
    informers_.erase(ended);
    last.watch->forget_all();
  }
  around_.book.leave(path);
}

void Informers::start() {
  nodes_ = &start<NodeDecoder>(WatchedKind::nodes, "/api/v1/nodes");
  pods_ = &start<PodDecoder>(WatchedKind::pods, "/api/v1/pods", annotations_);
  start<JobDecoder>(WatchedKind::jobs, "/apis/batch/v1/jobs");
  start<CronJobDecoder>(WatchedKind::cron_jobs, "/apis/batch/v1/cronjobs");
  start<ClaimDecoder>(WatchedKind::claims, "/api/v1/persistentvolumeclaims");
  start<VolumeDecoder>(WatchedKind::volumes, "/api/v1/persistentvolumes");
  start<StorageClassDecoder>(WatchedKind::storage_classes, "/apis/storage.k8s.io/v1/storageclasses");
  start<CsiNodeDecoder>(WatchedKind::csi_nodes, "/apis/storage.k8s.io/v1/csinodes");
  start<CsiDriverDecoder>(WatchedKind::csi_drivers, "/apis/storage.k8s.io/v1/csidrivers");
  start<StorageRoomDecoder>(WatchedKind::storage_rooms, "/apis/storage.k8s.io/v1/csistoragecapacities");
}

std::uint64_t Informers::relist() {
  nodes_->relist();
  return pods_->relist();  // both have relisted equally often
}

std::uint64_t Informers::relist_all() {
  for (const Informer& informer : informers_)
    if (informer.watch.get() != nodes_ && informer.watch.get() != pods_) informer.watch->relist();
  return relist();
}

std::uint64_t Informers::last_request() const { return pods_->last_request(); }

ListWatch& Informers::add(ListWatchOptions options, ObjectSink& sink, const WatchAbout& about) {
  return add(std::move(options), nullptr, sink, about);
}

ListWatch& Informers::add(ListWatchOptions options, std::unique_ptr<ObjectSink> own, ObjectSink& sink,
                          const WatchAbout& about) {
  Informer informer{options.path, std::move(own), around_.book.enter(options.path, about, sink), nullptr};
  informer.watch = std::make_unique<ListWatch>(around_.client, around_.loop, std::move(options), *informer.noting);
  informer.watch->start();
  informers_.push_back(std::move(informer));
  return *informers_.back().watch;
}

}  // namespace lips::kubernetes
