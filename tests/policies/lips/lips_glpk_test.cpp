// The default planner's programs have the same optimum by another solver.
#include <gtest/gtest.h>

#include "tests/policies/lips/glpk_agreement.h"

namespace lips {
namespace {

TEST(ExportedProgram, HasTheSameOptimumByGlpk) {
  if (!testing::glpsol_is_here()) GTEST_SKIP() << "glpsol is not installed";
  const testing::TemporaryFolder folder;
  ASSERT_FALSE(folder.path.empty());
  int compared = 0;
  for (std::uint64_t seed = 1; seed <= 45; ++seed) {
    const solver::LinearProgram program = testing::random_program(seed);
    if (program.rows() == 0) continue;
    const auto agreement = testing::compare(program, folder.path);
    ASSERT_TRUE(agreement.has_value()) << "seed " << seed;
    EXPECT_LT(agreement->difference(), 1e-6) << "seed " << seed << ": " << agreement->clp << " and " << agreement->glpk;
    ++compared;
  }
  EXPECT_GE(compared, 40);
}

}  // namespace
}  // namespace lips
