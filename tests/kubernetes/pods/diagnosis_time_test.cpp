#include "kubernetes/pods/diagnosis.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>

namespace lips::kubernetes {
namespace {

// 1,000 classes x 5,000 nodes that are full: what planning would wait for.
TEST(Diagnosis, OfManyKindsOnManyNodesTakesAFractionOfASecond) {
  NodeCache cache;
  for (int i = 0; i < 5000; ++i) {
    const std::string name = fmt::format("n{}", i);
    Node node;
    node.meta = {"", name, "uid-" + name, "1"};
    node.ready = true;
    node.labels = {{"kubernetes.io/hostname", name}, {"zone", std::to_string(i % 3)}, {"arch", "amd64"}};
    node.allocatable = {{"cpu", 8000}, {"memory", 16 << 20}, {"pods", 110}};
    cache.update(node);
    cache.take(name, {{"cpu", 7990}}, NodeCache::Whose::ours);
  }
  PodClasses classes;
  for (int i = 0; i < 1000; ++i) {
    PodNeeds needs;
    needs.requests = {{"cpu", 100 + i}, {"memory", 1000}};
    needs.constraint.required = {{"zone", LabelRequirement::Operator::in, {std::to_string(i % 3)}}};
    classes.intern(needs);
  }
  const auto began = std::chrono::steady_clock::now();
  const NodesForDiagnosis nodes(cache, classes);
  const auto built = std::chrono::steady_clock::now();
  std::size_t asked = 0;
  for (std::size_t i = 0; i < classes.size(); ++i) {
    const PodNeeds& needs = classes[PodClassId(static_cast<std::uint32_t>(i))];
    EXPECT_FALSE(nodes.diagnose(needs, false, asked).nowhere);
    EXPECT_TRUE(nodes.diagnose(needs, true, asked).nowhere);
  }
  const std::chrono::duration<double> building = built - began, asking = std::chrono::steady_clock::now() - built;
  fmt::print("1,000 classes x 5,000 nodes: {:.3f} s to look at the nodes, {:.3f} s to ask {} of them\n",
             building.count(), asking.count(), asked);
  EXPECT_LT(asked, 2'000'000u) << "nodes that are alike in all but room are asked for room alone";
}

}  // namespace
}  // namespace lips::kubernetes
