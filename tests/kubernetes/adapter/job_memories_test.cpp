#include "kubernetes/adapter/job_memories.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <nlohmann/json.hpp>

#include "tests/kubernetes/api/virtual_api.h"

namespace lips::kubernetes {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::Pair;

PodRecord owned_pod(const Owner& owner) {
  PodRecord pod;
  pod.meta = {"n", "p-1", "uid-p-1", ""};
  if (!owner.kind.empty()) pod.owner = owner;
  return pod;
}

class JobMemoriesTest : public testing::Test {
 protected:
  static JobMemory home() {
    JobMemory memory;
    memory.home_decided = true;
    return memory;
  }
  // The writes of a flush, once all have been answered.
  std::vector<ReceivedRequest> flush(JobMemories& memories) {
    memories.flush(now_ += std::chrono::minutes(1));
    api_.settle();
    std::vector<ReceivedRequest> writes;
    for (const ReceivedRequest& request : api_.requests())
      if (request.method == "PATCH") writes.push_back(request);
    return writes;
  }
  VirtualApi api_{[](const ReceivedRequest&) { return Reply{200, "{}", {}, false, nullptr}; }};
  TimePoint now_{std::chrono::hours(1)};
};

TEST_F(JobMemoriesTest, KeepNothingOfJobsThatAreGone) {
  JobMemories memories(api_.client(), [] { return false; });
  for (int i = 0; i < 1000; ++i) {
    const std::string key = "owner/" + std::to_string(i);
    memories.keep_at(key, {false, {"n", "p", std::to_string(i), ""}});
    memories.remember(key, home(), "z");
  }
  EXPECT_EQ(memories.kept(), 1000u);
  memories.keep_only([](const std::string& key) { return key == "owner/7"; });
  memories.flush(TimePoint(std::chrono::hours(1)));
  EXPECT_EQ(memories.kept(), 1u);
  EXPECT_EQ(memories.of("owner/7").home, "z");
}

TEST_F(JobMemoriesTest, AreWrittenToTheKindOfObjectThatTheOwnerIs) {
  const std::pair<Owner, std::string> cases[] = {
      {{"Job", "words", "u1", "batch/v1"}, "/apis/batch/v1/namespaces/n/jobs/words"},
      {{"Job", "words", "u2", "batch.volcano.sh/v1alpha1"}, "/api/v1/namespaces/n/pods/p-1"},
      {{"Pod", "app-driver", "u3", "v1"}, "/api/v1/namespaces/n/pods/app-driver"},
      {{"RayCluster", "ray", "u4", "ray.io/v1"}, "/api/v1/namespaces/n/pods/p-1"},
      {{}, "/api/v1/namespaces/n/pods/p-1"}};
  for (const auto& [owner, path] : cases) {
    JobMemories memories(api_.client(), [] { return true; });
    memories.keep_at("key", memory_place(owned_pod(owner)));
    memories.remember("key", home(), "zone-b");
    const std::vector<ReceivedRequest> writes = flush(memories);
    EXPECT_EQ(writes.back().path, path) << owner.kind << ' ' << owner.api_version;
    const auto json = nlohmann::json::parse(writes.back().body);
    EXPECT_EQ(json["metadata"]["annotations"].size(), 1u) << writes.back().body;
    EXPECT_TRUE(json["metadata"]["annotations"].contains("lips.dev/memory"));
  }
}

TEST_F(JobMemoriesTest, AreFoundAgainWhereTheyWereWrittenUnderAnyKey) {
  std::string memory, maps, of;
  {
    JobMemories before(api_.client(), [] { return true; });
    before.keep_at("job/n/sort", {true, {"n", "maps", "uid-maps", ""}});
    before.remember("job/n/sort", home(), "zone-b");
    for (const char* zone : {"zone-a", "zone-b", "zone-b"}) before.map_ended("job/n/sort", zone);
    const auto json = nlohmann::json::parse(flush(before).back().body);
    memory = json["metadata"]["annotations"]["lips.dev/memory"];
    maps = json["metadata"]["annotations"]["lips.dev/finished-maps"];
    of = json["metadata"]["annotations"]["lips.dev/memory-of"];
  }
  JobMemories after(api_.client(), [] { return true; });
  after.found({true, {"n", "maps", "uid-maps", ""}},
              {{"lips.dev/finished-maps", maps}, {"lips.dev/memory", memory}, {"lips.dev/memory-of", of}});
  after.keep_at("job/n/sort", {true, {"n", "reduces", "uid-reduces", ""}});  // this one knows nothing
  EXPECT_EQ(after.of("job/n/sort").home, "zone-b");
  EXPECT_THAT(after.maps_of("job/n/sort"), ElementsAre(Pair("zone-a", 1), Pair("zone-b", 2)));
}

TEST_F(JobMemoriesTest, OfAnotherNamespaceAreNotBelieved) {
  JobMemories memories(api_.client(), [] { return true; });
  memories.found({true, {"evil", "j", "u", ""}},
                 {{"lips.dev/memory", memory_text(home(), "far-away")}, {"lips.dev/memory-of", "job/n/sort"}});
  memories.keep_at("job/n/sort", {true, {"n", "maps", "uid-maps", ""}});
  EXPECT_FALSE(memories.of("job/n/sort").memory.home_decided);
}

TEST_F(JobMemoriesTest, MoveWhenTheObjectGoes) {
  JobMemories memories(api_.client(), [] { return true; });
  memories.keep_at("job/n/sort", {true, {"n", "maps", "uid-maps", ""}});
  memories.keep_at("job/n/sort", {true, {"n", "reduces", "uid-reduces", ""}});
  memories.map_ended("job/n/sort", "zone-a");
  EXPECT_EQ(flush(memories).back().path, "/apis/batch/v1/namespaces/n/jobs/maps");
  EXPECT_EQ(memories.gone("uid-reduces"), std::nullopt);
  ASSERT_EQ(memories.gone("uid-maps"), "job/n/sort");
  memories.keep_at("job/n/sort", {true, {"n", "reduces", "uid-reduces", ""}});
  const ReceivedRequest write = flush(memories).back();
  EXPECT_EQ(write.path, "/apis/batch/v1/namespaces/n/jobs/reduces");
  EXPECT_THAT(write.body, testing::HasSubstr("zone-a=1"));
}

// A pod may be seen before its Job, and deleted while no operator runs.
TEST_F(JobMemoriesTest, MoveFromAPodToItsJob) {
  const MemoryPlace pod{false, {"n", "map-0", "uid-map-0", ""}}, job{true, {"n", "maps", "uid-maps", ""}};
  JobMemories memories(api_.client(), [] { return true; });
  memories.keep_at("owner/uid-maps", pod);
  memories.remember("owner/uid-maps", home(), "zone-b");
  memories.map_ended("owner/uid-maps", "zone-a");
  EXPECT_EQ(flush(memories).back().path, "/api/v1/namespaces/n/pods/map-0");
  memories.keep_at("owner/uid-maps", job);
  memories.keep_at("owner/uid-maps", pod);
  const ReceivedRequest write = flush(memories).back();
  EXPECT_EQ(write.path, "/apis/batch/v1/namespaces/n/jobs/maps");
  EXPECT_THAT(write.body, AllOf(testing::HasSubstr("zone-a=1"), testing::HasSubstr("zone-b")));
  EXPECT_EQ(memories.gone("uid-map-0"), std::nullopt);
  EXPECT_EQ(memories.of("owner/uid-maps").home, "zone-b");
}

TEST_F(JobMemoriesTest, OfAPodThatWasLeftAreOlderThanItsJobs) {
  const MemoryPlace pod{false, {"n", "map-0", "uid-map-0", ""}}, job{true, {"n", "maps", "uid-maps", ""}};
  for (const bool job_first : {false, true}) {
    JobMemories memories(api_.client(), [] { return true; });
    memories.found(pod, {{"lips.dev/finished-maps", "zone-a=1"}, {"lips.dev/memory", memory_text(home(), "zone-a")}});
    memories.found(job, {{"lips.dev/finished-maps", "zone-a=2"}, {"lips.dev/memory", memory_text(home(), "zone-b")}});
    for (const MemoryPlace& place : job_first ? std::vector{job, pod} : std::vector{pod, job})
      memories.keep_at("owner/uid-maps", place);
    EXPECT_EQ(memories.of("owner/uid-maps").home, "zone-b") << job_first;
    EXPECT_THAT(memories.maps_of("owner/uid-maps"), ElementsAre(Pair("zone-a", 2))) << job_first;
    memories.remember("owner/uid-maps", home(), "zone-c");
    EXPECT_EQ(flush(memories).back().path, "/apis/batch/v1/namespaces/n/jobs/maps") << job_first;
  }
}

TEST_F(JobMemoriesTest, AreNotForgottenForWhatAJobThatComesLateCarries) {
  JobMemories memories(api_.client(), [] { return true; });
  memories.keep_at("owner/uid-maps", {false, {"n", "map-0", "uid-map-0", ""}});
  memories.remember("owner/uid-maps", home(), "zone-c");
  memories.found({true, {"n", "maps", "uid-maps", ""}}, {{"lips.dev/memory", memory_text(home(), "zone-b")}});
  memories.keep_at("owner/uid-maps", {true, {"n", "maps", "uid-maps", ""}});
  EXPECT_EQ(memories.of("owner/uid-maps").home, "zone-c");
}

TEST_F(JobMemoriesTest, OfAStandbyAreThoseThatTheLeaderWrites) {
  bool leads = false;
  JobMemories memories(api_.client(), [&] { return leads; });
  memories.keep_at("k", {true, {"n", "j", "u", ""}});
  memories.found({true, {"n", "j", "u", ""}}, {{"lips.dev/memory", memory_text(home(), "zone-a")}});
  memories.found({true, {"n", "j", "u", ""}}, {{"lips.dev/memory", memory_text(home(), "zone-b")}});
  EXPECT_EQ(memories.of("k").home, "zone-b");
  leads = true;
  memories.remember("k", home(), "zone-c");
  memories.found({true, {"n", "j", "u", ""}}, {{"lips.dev/memory", memory_text(home(), "zone-b")}});  // was on its way
  EXPECT_EQ(memories.of("k").home, "zone-c");
}

TEST_F(JobMemoriesTest, OneObjectCarriesTheMemoryOfOneJob) {
  JobMemories memories(api_.client(), [] { return true; });
  EXPECT_TRUE(memories.keep_at("pod/driver", {false, {"n", "driver", "uid-driver", ""}}));
  EXPECT_FALSE(memories.keep_at("owner/driver", {false, {"n", "driver", "uid-driver", ""}}));
  EXPECT_TRUE(memories.keep_at("owner/driver", {false, {"n", "exec-1", "uid-exec-1", ""}}));
}

TEST(MapsText, ReadsWhatItWritesAndNothingElse) {
  const MapsByZone maps{{"zone-a", 3}, {"zone-b", 1'000'000}};
  EXPECT_EQ(maps_text(maps), "zone-a=3,zone-b=1000000");
  EXPECT_EQ(read_maps(maps_text(maps)), maps);
  EXPECT_EQ(read_maps("zone-a=3,,=4,b,c=,d=-1,e=1x,f=99999999999,zone-b=2"),
            (MapsByZone{{"zone-a", 3}, {"zone-b", 2}}));
  EXPECT_EQ(read_maps(""), MapsByZone{});
}

}  // namespace
}  // namespace lips::kubernetes
