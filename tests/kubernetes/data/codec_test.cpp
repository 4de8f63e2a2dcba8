#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kubernetes/data/data_set_codec.h"
#include "kubernetes/data/mover_objects.h"
#include "kubernetes/data/resource_codec.h"

namespace lips::kubernetes {
namespace {

using testing::HasSubstr;

TEST(DataSetCodec, ReadsWhatAServerWrites) {
  const auto set = decode_data_set(R"({"apiVersion":"lips.dev/v1alpha1","kind":"DataSet","metadata":{"namespace":"etl",
    "name":"books","uid":"u1","resourceVersion":"7","generation":3,"creationTimestamp":"2026-01-31T12:00:00Z",
    "finalizers":["lips.dev/copies"],"managedFields":[{"x":1}]},
    "spec":{"blockSize":"64Mi","files":[{"path":"a.txt","size":"1Gi"},{"path":"b.txt","size":12}],
      "stores":[{"name":"node-a","blocks":"0-3,9"},{"name":"node-b"}],"erasureCode":{"n":9,"k":6}},
    "status":{"observedGeneration":3,"blocks":17,"size":1073741836,
      "replicas":[{"store":"node-b","blocks":"0-16","copies":"2","extra":"2","leaving":""},{"store":"node-a","blocks":"0-3"}],
      "conditions":[{"type":"Ready","status":"True","reason":"Usable","lastTransitionTime":"2026-01-31T12:00:01Z"}]}})");
  ASSERT_TRUE(set) << set.error().message;
  EXPECT_EQ(full_name(set->meta.object), "etl/books");
  EXPECT_EQ(set->meta.generation, 3);
  EXPECT_EQ(set->spec.block_size, 64 << 20);
  ASSERT_EQ(set->spec.files.size(), 2u);
  EXPECT_EQ(set->spec.files[0].size, 1 << 30);
  EXPECT_EQ(set->spec.stores[0].blocks->text(), "0-3,9");
  EXPECT_FALSE(set->spec.stores[1].blocks.has_value());
  EXPECT_EQ(set->spec.code.k, 6);
  ASSERT_EQ(set->status.replicas.size(), 2u);
  EXPECT_EQ(set->status.replicas[0].store, "node-a") << "sorted by store";
  EXPECT_EQ(set->status.replicas[1].extra.text(), "2");
  EXPECT_EQ(find_condition(set->status.conditions, "Ready")->status, ConditionStatus::yes);
}

TEST(DataStoreCodec, RefusesAStoreOfTwoKindsOrNone) {
  const auto store = [](const std::string& spec) {
    return decode_data_store(R"({"metadata":{"name":"s"},"spec":)" + spec + "}");
  };
  EXPECT_EQ(store(R"({"zone":"a","volume":{"claimName":"c"}})")->spec.claim, "c");
  EXPECT_THAT(store(R"({"zone":"a"})").error().message, HasSubstr("spec: found 0 kinds of store"));
  EXPECT_THAT(store(R"({"volume":{},"bucket":{}})").error().message, HasSubstr("DataStore s: spec: found 2 kinds"));
}

TEST(DataStoreCodec, ABucketLiesInAZoneOnlyIfItsScopeAddressOrNameSaysSo) {
  const auto kind = [](const std::string& bucket) {
    return decode_data_store(R"({"metadata":{"name":"s"},"spec":{"zone":"a","bucket":{)" + bucket + "}}}")->spec.kind;
  };
  EXPECT_EQ(kind(R"("name":"lake")"), StoreKind::regional_bucket);
  EXPECT_EQ(kind(R"("scope":"Zonal","name":"lake")"), StoreKind::zonal_bucket);
  EXPECT_EQ(kind(R"("name":"lake--use1-az4--x-s3")"), StoreKind::zonal_bucket) << "S3 Express One Zone";
  EXPECT_EQ(kind(R"("name":"lake","endpoint":"http://minio:9000")"), StoreKind::zonal_bucket);
  EXPECT_EQ(kind(R"("name":"lake","endpoint":"http://minio:9000","scope":"Regional")"), StoreKind::regional_bucket);
  EXPECT_FALSE(decode_data_store(R"({"metadata":{"name":"s"},"spec":{"bucket":{"name":"b","scope":"World"}}})"));
}

TEST(PoolCodec, TakesQuantitiesAsNumbersAndTexts) {
  const auto pool = decode_pool(
      R"({"metadata":{"name":"p"},"spec":{"weight":"2500m","minimum":4,"maximum":"8","shortfallUsdPerCpuHour":"0.05"}})");
  ASSERT_TRUE(pool) << pool.error().message;
  EXPECT_DOUBLE_EQ(pool->spec.weight, 2.5);
  EXPECT_DOUBLE_EQ(pool->spec.minimum, 4);
  EXPECT_DOUBLE_EQ(pool->spec.shortfall_usd_per_cpu_hour, 0.05);
  EXPECT_FALSE(decode_pool(R"({"metadata":{"name":"p"},"spec":{"weight":-1}})"));
}

TEST(PoolCodec, TakesBackOnlyWhereThePoolSaysSo) {
  const auto with = [](const std::string& spec) {
    return decode_pool(R"({"metadata":{"name":"p"},"spec":{)" + spec + "}}");
  };
  EXPECT_EQ(with("")->spec.reclaim, ReclaimRule::never);
  EXPECT_EQ(with(R"("reclaim":"never")")->spec.reclaim, ReclaimRule::never);
  EXPECT_EQ(with(R"("reclaim":"fromBorrowers")")->spec.reclaim, ReclaimRule::from_borrowers);
  const auto wrong = with(R"("reclaim":"always")");
  ASSERT_FALSE(wrong);
  EXPECT_THAT(wrong.error().message, HasSubstr("found 'always'; allowed: never or fromBorrowers"));
}

TEST(DataMoveCodec, RefusesAPhaseItDoesNotKnow) {
  const auto move = decode_data_move(R"({"metadata":{"name":"m"},"spec":{},"status":{"phase":"Flying"}})");
  ASSERT_FALSE(move);
  EXPECT_THAT(move.error().message, HasSubstr("DataMove m: status.phase: found 'Flying'; allowed:"));
}

TEST(WorkPodCodec, SaysWhereAPodIsAndWhyItFailed) {
  const auto pod = decode_work_pod(R"({"metadata":{"namespace":"lips","name":"m-1-abc","labels":{"lips.dev/move":"m"},
    "ownerReferences":[{"kind":"Job","name":"m-copy-1"}]},"spec":{"nodeName":"n1"},"status":{"phase":"Failed","podIP":"10.1.0.4",
    "initContainerStatuses":[{"name":"copy","state":{"terminated":{"exitCode":0,"reason":"Completed"}}}],
    "containerStatuses":[{"name":"verify","state":{"terminated":{"exitCode":3,"reason":"Error","message":"block 3: checksum"}}}]}})");
  ASSERT_TRUE(pod) << pod.error().message;
  EXPECT_EQ(pod->job, "m-copy-1");
  EXPECT_EQ(pod->message, "block 3: checksum");
  EXPECT_TRUE(pod->prepared);
  EXPECT_EQ(pod->phase, PodPhase::failed);
  const auto waiting = decode_work_pod(
      R"({"metadata":{"name":"p"},"status":{"phase":"Pending","conditions":[{"type":"PodScheduled","lastTransitionTime":null,
    "status":"False","message":"0/3 nodes are available"}]}})");
  EXPECT_EQ(waiting->message, "0/3 nodes are available");
}

TEST(WorkPodCodec, ReadsTheRoleFromTheLabel) {
  const auto role = [](const std::string& labels) {
    return decode_work_pod(R"({"metadata":{"name":"p","labels":{)" + labels + "}}}")->role;
  };
  for (const WorkRole each : enumerators<WorkRole>)
    EXPECT_EQ(role('"' + std::string(role_label) + "\":\"" + std::string(to_string(each)) + '"'), each);
  EXPECT_EQ(role(R"("lips.dev/role":"Copy")"), std::nullopt);
  EXPECT_EQ(role(R"("lips.dev/move":"copy")"), std::nullopt);
}

TEST(WorkJobCodec, TellsSuccessFromFailure) {
  const auto job = [](const std::string& conditions) {
    return *decode_work_job(R"({"metadata":{"name":"j"},"status":{"active":1,"conditions":)" + conditions + "}}");
  };
  EXPECT_EQ(job("[]").state, WorkJob::State::running);
  EXPECT_EQ(job(R"([{"type":"SuccessCriteriaMet","status":"True"},{"type":"Complete","status":"True"}])").state,
            WorkJob::State::succeeded);
  const WorkJob failed = job(R"([{"type":"Failed","status":"True","reason":"DeadlineExceeded","message":"too long"}])");
  EXPECT_EQ(failed.state, WorkJob::State::failed);
  EXPECT_EQ(failed.why, "DeadlineExceeded: too long");
}

}  // namespace
}  // namespace lips::kubernetes
