#include "kubernetes/adapter/informers.h"

#include <fmt/format.h>

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
  void heard() override { telemetry_.on_watch_heard(resource_name(kind_)); }
  void failed(const Error& error) override {
    telemetry_.on_watch(resource_name(kind_), WatchTrouble::restarted);
    if (!listed_) inbox_.put(NotListed{kind_, error.message});
  }

 private:
  const WatchedKind kind_;
  Inbox& inbox_;
  AdapterObserver& telemetry_;
  Decoder decoder_;
  bool listed_ = false;
};

ListWatchOptions everything(std::string path, std::uint64_t seed) {
  ListWatchOptions options;
  options.path = std::move(path);
  options.seed = seed;
  return options;
}

}  // namespace

Informers::Informers(ApiClient& client, Inbox& inbox, AdapterObserver& telemetry, std::vector<std::string> annotations)
    : client_(client), inbox_(inbox), telemetry_(telemetry), annotations_(std::move(annotations)) {}

Informers::~Informers() {
  for (std::jthread& thread : threads_) thread.request_stop();
  inbox_.close();
  threads_.clear();
}

ListWatch& Informers::start(std::unique_ptr<ObjectSink> sink, std::string path) {
  sinks_.push_back(std::move(sink));
  return add(everything(std::move(path), sinks_.size()), *sinks_.back());
}

void Informers::watch(WatchedKind optional) {
  if (std::exchange(watches_optional_[optional], true)) return;
  const std::string path = fmt::format("{}/{}", optional_api(optional), resource_name(optional));
  if (optional == WatchedKind::pod_groups)
    start(std::make_unique<DecodingSink<PodGroupDecoder>>(optional, inbox_, telemetry_), path);
  if (optional == WatchedKind::resource_quotas)
    start(std::make_unique<DecodingSink<ResourceQuotaDecoder>>(optional, inbox_, telemetry_), path);
  if (optional == WatchedKind::job_sets)
    start(std::make_unique<DecodingSink<JobSetDecoder>>(optional, inbox_, telemetry_), path);
  if (optional == WatchedKind::argo_workflows)
    start(std::make_unique<DecodingSink<ArgoWorkflowDecoder>>(optional, inbox_, telemetry_), path);
}

void Informers::start() {
  nodes_ = &start(std::make_unique<DecodingSink<NodeDecoder>>(WatchedKind::nodes, inbox_, telemetry_), "/api/v1/nodes");
  pods_ = &start(std::make_unique<DecodingSink<PodDecoder>>(WatchedKind::pods, inbox_, telemetry_, annotations_),
                 "/api/v1/pods");
  start(std::make_unique<DecodingSink<JobDecoder>>(WatchedKind::jobs, inbox_, telemetry_), "/apis/batch/v1/jobs");
  start(std::make_unique<DecodingSink<CronJobDecoder>>(WatchedKind::cron_jobs, inbox_, telemetry_),
        "/apis/batch/v1/cronjobs");
  start(std::make_unique<DecodingSink<ClaimDecoder>>(WatchedKind::claims, inbox_, telemetry_),
        "/api/v1/persistentvolumeclaims");
  start(std::make_unique<DecodingSink<VolumeDecoder>>(WatchedKind::volumes, inbox_, telemetry_),
        "/api/v1/persistentvolumes");
  start(std::make_unique<DecodingSink<StorageClassDecoder>>(WatchedKind::storage_classes, inbox_, telemetry_),
        "/apis/storage.k8s.io/v1/storageclasses");
  start(std::make_unique<DecodingSink<CsiNodeDecoder>>(WatchedKind::csi_nodes, inbox_, telemetry_),
        "/apis/storage.k8s.io/v1/csinodes");
  start(std::make_unique<DecodingSink<CsiDriverDecoder>>(WatchedKind::csi_drivers, inbox_, telemetry_),
        "/apis/storage.k8s.io/v1/csidrivers");
  start(std::make_unique<DecodingSink<StorageRoomDecoder>>(WatchedKind::storage_rooms, inbox_, telemetry_),
        "/apis/storage.k8s.io/v1/csistoragecapacities");
}

std::uint64_t Informers::relist() {
  nodes_->relist();
  return pods_->relist();  // both have relisted equally often
}

std::uint64_t Informers::last_request() const { return pods_->last_request(); }

ListWatch& Informers::add(ListWatchOptions options, ObjectSink& sink) {
  watches_.push_back(std::make_unique<ListWatch>(client_, std::move(options), sink));
  ListWatch* watch = watches_.back().get();
  threads_.emplace_back([watch](const std::stop_token& stop) { watch->run(stop); });
  return *watch;
}

}  // namespace lips::kubernetes
