// The table of checks, put to the virtual API server, or to the real one that LIPS_CONFORMANCE_KUBECONFIG names.
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <set>

#include "tests/virtual/conformance/bench.h"

namespace lips::virtual_cluster {
namespace {

struct NamedCheck {
  std::string name;
  std::function<void(Bench&)> run;
};
void PrintTo(const NamedCheck& check, std::ostream* out) { *out << check.name; }

std::vector<NamedCheck> whole_table() {
  std::vector<NamedCheck> table;
  for (const auto group :
       {checks_of_creation(), checks_of_lists(), checks_of_watches(), checks_of_updates(), checks_of_patches(),
        checks_of_pods(), checks_of_quotas(), checks_of_budgets(), checks_of_deletion(), checks_of_discovery()})
    for (const Check& check : group) table.push_back({check.name, check.run});
  for (const KindCheck& check : checks_of_kinds())
    for (const Kind& kind : kinds())
      table.push_back(
          {std::string(check.name) + '_' + kind.plural, [run = check.run, &kind](Bench& bench) { run(bench, kind); }});
  return table;
}

class Conformance : public testing::TestWithParam<NamedCheck> {};

TEST_P(Conformance, Holds) {
  const char* kubeconfig = std::getenv("LIPS_CONFORMANCE_KUBECONFIG");
  const auto server = kubeconfig ? real_server(kubeconfig) : virtual_server();
  ASSERT_TRUE(server);
  Bench bench(*server);
  GetParam().run(bench);
}

INSTANTIATE_TEST_SUITE_P(ApiServer, Conformance, testing::ValuesIn(whole_table()),
                         [](const auto& each) { return each.param.name; });

TEST(ConformanceTable, HasManyChecksOfDifferentNames) {
  std::set<std::string> names;
  for (const NamedCheck& check : whole_table()) EXPECT_TRUE(names.insert(check.name).second) << check.name;
  EXPECT_GE(names.size(), 150U);
}

}  // namespace
}  // namespace lips::virtual_cluster
