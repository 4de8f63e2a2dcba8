// The descriptions of structs, and what the tests make of them.
#include "base/fields.h"

#include <gtest/gtest.h>

#include "tests/model/difference.h"
#include "tests/model/variations.h"

namespace lips {
namespace {

template <class T>
void expect_each_variation_seen(std::size_t at_least) {
  const T before = testing::filled<T>();
  T value = before;
  std::size_t tried = 0;
  testing::each_variation(value, "", [&](const std::string& path) {
    const std::string found = testing::difference(before, value);
    if (path.find("seconds.") == std::string::npos) {
      EXPECT_NE(found, "") << path;
    }
    ++tried;
  });
  EXPECT_EQ(testing::difference(before, value), "") << "each variation is taken back";
  EXPECT_GE(tried, at_least);
}

TEST(Fields, TheComparerOfTestsSeesEveryFieldOfAPlan) { expect_each_variation_seen<Plan>(100); }

TEST(Fields, TheComparerOfTestsSeesEveryFieldOfASnapshot) { expect_each_variation_seen<ClusterSnapshot>(300); }

TEST(Fields, TheComparerNamesThePlace) {
  Plan a = testing::filled<Plan>(), b = a;
  b.remember[1].memory.node_waits.count += 1;
  EXPECT_EQ(testing::difference(a, b), "remember[1].memory.nodeWaits.count");
  b = a;
  b.assignments.pop_back();
  EXPECT_EQ(testing::difference(a, b), "assignments: another number of rows");
}

// Names stand in files: a struct may not say one twice.
TEST(Fields, HaveNamesOfTheirOwn) {
  const auto check = [](const auto& names) {
    for (std::size_t i = 0; i < names.size(); ++i)
      for (std::size_t k = 0; k < i; ++k) EXPECT_NE(names[i], names[k]);
  };
  check(ClusterSnapshot::fields), check(Node::fields), check(Job::fields), check(JobMemory::fields);
  check(Task::fields), check(TaskGroup::fields), check(Plan::fields), check(PlanAccount::fields);
  check(Assignment::fields), check(DataStore::fields), check(Network::fields);
}

}  // namespace
}  // namespace lips
