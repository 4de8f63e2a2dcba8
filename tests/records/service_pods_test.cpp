#include "model/service_pods.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/random.h"
#include "records/epoch_record.h"
#include "records/pseudonyms.h"

namespace lips {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

LabelRequirement requirement_of(Random& random) {
  const auto op = static_cast<LabelRequirement::Operator>(random.below(6));
  LabelRequirement requirement{fmt::format("key-{}", random.below(9)), op, {}};
  for (std::uint64_t i = 0; i < random.below(3); ++i) requirement.values.push_back(fmt::format("value \"{}\"", i));
  return requirement;
}

std::vector<ServicePods> services_of(std::uint64_t seed) {
  Random random(seed);
  std::vector<ServicePods> services;
  for (std::uint64_t i = 0; i < random.below(6); ++i) {
    ServicePods& one = services.emplace_back();
    one.workload = fmt::format("shop/Deployment/web-{}", i);
    one.request = {Cores(random.uniform(0, 4)), Mebibytes(random.uniform(0, 9000)), 1};
    if (random.uniform() < 0.3) one.extended.emplace_back("nvidia.com/gpu", 2);
    for (std::uint64_t k = 0; k < random.below(3); ++k) one.constraint.required.push_back(requirement_of(random));
    for (std::uint64_t k = 0; k < random.below(3); ++k) one.constraint.any_of.push_back({requirement_of(random)});
    if (random.uniform() < 0.3) one.constraint.volumes = {{{requirement_of(random)}, {}}, {}};
    if (random.uniform() < 0.3) one.constraint.tolerations = {{"k", "v", "NoSchedule", false}, {"", "", "", true}};
    one.newest = TimePoint(Duration(static_cast<std::int64_t>(random.below(1'000'000'000))));
    one.leaving = static_cast<std::uint32_t>(random.below(3));
    one.waiting = static_cast<std::uint32_t>(random.below(3));
    for (std::uint64_t k = 0; k < random.below(4); ++k)
      one.on.emplace_back(fmt::format("node-{}", k), static_cast<std::uint32_t>(1 + random.below(5)));
  }
  return services;
}

TEST(ServicePods, AreTheSameInARecordThatIsReadAgain) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    EpochRecord record;
    record.policy = "lips", record.services = services_of(seed);
    const Result<EpochRecord> read = read_epoch("e", write_epoch(record));
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(read->services, record.services) << "seed " << seed;
  }
  EXPECT_FALSE(read_epoch("e", write_epoch({}))->services) << "an older record does not say that there are none";
}

TEST(ServicePods, KeepNeitherTheirNamesNorThoseOfTheirNodesWhereNamesAreReplaced) {
  EpochRecord record;
  record.policy = "lips";
  ServicePods& web = record.services.emplace().emplace_back();
  web.workload = "shop/Deployment/web";
  web.constraint.required = {{"metadata.name", LabelRequirement::Operator::in, {"ip-10-0-0-7"}}};
  web.on = {{"ip-10-0-0-7", 2}};
  Pseudonyms names;
  names.see(record);
  names.replace(record);
  EXPECT_THAT(write_epoch(record), Not(HasSubstr("shop")));
  EXPECT_THAT(write_epoch(record), Not(HasSubstr("ip-10")));
  EXPECT_EQ(record.services->front().pods(), 2u);
  EXPECT_EQ(record.services->front().constraint.required[0].values[0], record.services->front().on[0].first);
}

}  // namespace
}  // namespace lips
