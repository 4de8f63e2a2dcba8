#include "model/eligible_profiles.h"

#include <gtest/gtest.h>

#include <string>

#include "base/random.h"

namespace lips {
namespace {

using Operator = LabelRequirement::Operator;

std::string one_of(Random& random, const char* prefix, std::uint64_t count) {
  return prefix + std::to_string(random.below(count));
}

LabelRequirement requirement(Random& random) {
  LabelRequirement asked{one_of(random, "key-", 5), static_cast<Operator>(random.below(6)), {}};
  const std::uint64_t values = random.below(5) == 0 ? random.below(3) : 1;
  for (std::uint64_t i = 0; i < values; ++i)
    asked.values.push_back(random.below(3) == 0 ? one_of(random, "name-", 4) : one_of(random, "", 6));
  return asked;
}

std::vector<LabelRequirement> term(Random& random, std::uint64_t most) {
  std::vector<LabelRequirement> asked;
  for (std::uint64_t i = 0, count = random.below(most + 1); i < count; ++i) asked.push_back(requirement(random));
  return asked;
}

std::vector<std::vector<LabelRequirement>> terms(Random& random, std::uint64_t most) {
  std::vector<std::vector<LabelRequirement>> asked;
  for (std::uint64_t i = 0, count = random.below(most + 1); i < count; ++i) asked.push_back(term(random, 2));
  return asked;
}

const char* const effects[] = {"NoSchedule", "PreferNoSchedule", "NoExecute"};

NodeProfile profile(Random& random) {
  NodeProfile made;
  for (int key = 0; key < 4; ++key)
    if (random.below(4) > 0)
      made.labels.emplace_back("key-" + std::to_string(key),
                               random.below(3) == 0 ? one_of(random, "name-", 4) : one_of(random, "", 6));
  for (std::uint64_t i = 0, count = random.below(3) == 0 ? random.below(3) : 0; i < count; ++i)
    made.taints.push_back({one_of(random, "taint-", 2), one_of(random, "", 2), effects[random.below(3)]});
  return made;
}

PlacementConstraint constraint(Random& random) {
  PlacementConstraint made{term(random, 2), terms(random, 3), {}};
  for (std::uint64_t i = 0, count = random.below(3); i < count; ++i)
    made.tolerations.push_back({random.below(4) == 0 ? "" : one_of(random, "taint-", 2), one_of(random, "", 2),
                                random.below(2) == 0 ? "" : effects[random.below(3)], random.below(2) == 0});
  for (std::uint64_t i = 0, count = random.below(4) == 0 ? 1 + random.below(2) : 0; i < count; ++i)
    made.volumes.push_back(terms(random, 2));
  return made;
}

// More profiles than a word of a set has bits, with labels that are missing, that are no numbers, and that are.
TEST(EligibleProfiles, AreThoseThatAreEligibleOneByOne) {
  int met = 0, missed = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Random random(seed);
    IdVector<ProfileId, NodeProfile> profiles;
    for (std::uint64_t i = 0, count = random.below(150); i < count; ++i) profiles.push_back(profile(random));
    const EligibleProfiles eligible_profiles(profiles);
    for (int i = 0; i < 40; ++i) {
      const PlacementConstraint asked = constraint(random);
      const ProfileSet found = eligible_profiles.of(asked);
      for (const ProfileId id : profiles.ids()) {
        ASSERT_EQ(found.contains(id), eligible(asked, profiles[id])) << "seed " << seed << ", constraint " << i;
        ++(found.contains(id) ? met : missed);
      }
    }
  }
  EXPECT_GT(met, 50'000);
  EXPECT_GT(missed, 50'000);
}

}  // namespace
}  // namespace lips
