#include "kubernetes/adapter/followers.h"

#include <utility>

namespace lips::kubernetes {
namespace {

template <class Decoder>
class DecodingSink : public ObjectSink {
 public:
  DecodingSink(Followed kind, Inbox& inbox, AdapterObserver& telemetry)
      : kind_(kind), inbox_(inbox), telemetry_(telemetry) {}

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
  void failed(const Error&) override { telemetry_.on_watch(resource_name(kind_), WatchTrouble::restarted); }

 private:
  const Followed kind_;
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

Followers::Followers(ApiClient& client, Inbox& inbox, AdapterObserver& telemetry)
    : client_(client), inbox_(inbox), telemetry_(telemetry) {}

Followers::~Followers() {
  for (std::jthread& thread : threads_) thread.request_stop();
  inbox_.close();
  threads_.clear();
}

void Followers::start() {
  const auto add = [&](std::unique_ptr<ObjectSink> sink, const char* path) -> ListWatch& {
    sinks_.push_back(std::move(sink));
    return follow(everything(path, sinks_.size()), *sinks_.back());
  };
  nodes_ = &add(std::make_unique<DecodingSink<NodeDecoder>>(Followed::nodes, inbox_, telemetry_), "/api/v1/nodes");
  pods_ = &add(std::make_unique<DecodingSink<PodDecoder>>(Followed::pods, inbox_, telemetry_), "/api/v1/pods");
  add(std::make_unique<DecodingSink<JobDecoder>>(Followed::jobs, inbox_, telemetry_), "/apis/batch/v1/jobs");
  add(std::make_unique<DecodingSink<ClaimDecoder>>(Followed::claims, inbox_, telemetry_),
      "/api/v1/persistentvolumeclaims");
  add(std::make_unique<DecodingSink<VolumeDecoder>>(Followed::volumes, inbox_, telemetry_),
      "/api/v1/persistentvolumes");
  add(std::make_unique<DecodingSink<StorageClassDecoder>>(Followed::storage_classes, inbox_, telemetry_),
      "/apis/storage.k8s.io/v1/storageclasses");
  add(std::make_unique<DecodingSink<CsiNodeDecoder>>(Followed::csi_nodes, inbox_, telemetry_),
      "/apis/storage.k8s.io/v1/csinodes");
}

std::uint64_t Followers::relist() {
  nodes_->relist();
  return pods_->relist();  // both have been asked as often
}

ListWatch& Followers::follow(ListWatchOptions options, ObjectSink& sink) {
  watches_.push_back(std::make_unique<ListWatch>(client_, std::move(options), sink));
  ListWatch* watch = watches_.back().get();
  threads_.emplace_back([watch](const std::stop_token& stop) { watch->run(stop); });
  return *watch;
}

}  // namespace lips::kubernetes
