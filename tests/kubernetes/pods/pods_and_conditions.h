// Pods with their conditions, on an API server that accepts every write.
#pragma once

#include <gtest/gtest.h>

#include "kubernetes/api/http_client.h"
#include "kubernetes/pods/pod_conditions.h"
#include "kubernetes/pods/volume_cache.h"
#include "tests/kubernetes/api/fake_api_server.h"

namespace lips::kubernetes {

class PodsAndConditions : public ::testing::Test {
 protected:
  FakeApiServer server_{[](const ReceivedRequest&) { return Reply{200, "{}", {}, false, nullptr}; }};
  HttpClient client_{server_.connection(), ClientOptions{}};
  Binder binder_{client_, [] { return true; }};
  EventRecorder events_{client_, EventOptions{}, [] { return true; }};
  PodConditions conditions_{binder_, events_};
  VolumeCache volumes_;
  PodGroups groups_;
  NodeCache nodes_;
  PodCache pods_{"lips", volumes_, groups_, nodes_};
};

}  // namespace lips::kubernetes
