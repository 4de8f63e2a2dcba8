#include "kubernetes/pods/instance_labels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

namespace lips::kubernetes {
namespace {

using testing::ElementsAre;
using testing::Pair;

std::string arch_of(const std::string& type) {
  const TextMap labels = instance_labels(type, Cores(4), Mebibytes(16384));
  const std::string* arch = find_text(labels, arch_label);
  return arch ? *arch : "none";
}

TEST(InstanceLabels, AreThoseThatKarpenterWritesOnAws) {
  EXPECT_THAT(
      instance_labels("m6gd.xlarge", Cores(4), Mebibytes(16384)),
      ElementsAre(Pair("karpenter.k8s.aws/instance-category", "m"), Pair("karpenter.k8s.aws/instance-cpu", "4"),
                  Pair("karpenter.k8s.aws/instance-family", "m6gd"), Pair("karpenter.k8s.aws/instance-generation", "6"),
                  Pair("karpenter.k8s.aws/instance-memory", "16384"), Pair("karpenter.k8s.aws/instance-size", "xlarge"),
                  Pair("kubernetes.io/arch", "arm64"), Pair("kubernetes.io/os", "linux"),
                  Pair("node.kubernetes.io/instance-type", "m6gd.xlarge")));
}

TEST(InstanceLabels, ReadNamesOfAllShapes) {
  const auto label = [](const std::string& type, const char* name) {
    const TextMap labels = instance_labels(type, Cores(4), Mebibytes(16384));
    const std::string* found = find_text(labels, aws_label(karpenter_on_aws, name));
    return found ? *found : "none";
  };
  EXPECT_EQ(label("u-12tb1.metal", "category"), "u");
  EXPECT_EQ(label("u-12tb1.metal", "generation"), "1");
  EXPECT_EQ(label("u7i-12tb.224xlarge", "generation"), "7");
  EXPECT_EQ(label("c7i-flex.large", "family"), "c7i-flex");
  EXPECT_EQ(label("im4gn.large", "category"), "im");
  EXPECT_EQ(label("m7i.metal-24xl", "size"), "metal-24xl");
  for (const char* other : {"n2-standard-4", "Standard_D4s_v5", "m6i", "6i.large", "m.large", "m6i.", "mac2.metal", ""})
    EXPECT_EQ(label(other, "category"), "none") << other;
}

// The shipped sheet has what the cloud itself says of each type.
TEST(InstanceLabels, NameTheArchitectureOfEachTypeOfTheShippedSheet) {
  std::ifstream file(LIPS_SOURCE_DIR "/config/prices/ec2-on-demand.csv");
  int compared = 0;
  for (std::string line; std::getline(file, line);) {
    std::vector<std::string> cells;
    std::istringstream cut(line);
    for (std::string cell; std::getline(cut, cell, ',');) cells.push_back(cell);
    if (cells.size() < 9 || (cells[8] != "amd64" && cells[8] != "arm64")) continue;
    EXPECT_EQ(arch_of(cells[1]), cells[8]) << cells[1];
    ++compared;
  }
  EXPECT_GT(compared, 1000);
}

TEST(InstanceLabels, HaveOneKeyForEachThing) {
  EXPECT_EQ(plain_key("eks.amazonaws.com/instance-family"), "karpenter.k8s.aws/instance-family");
  EXPECT_EQ(plain_key("beta.kubernetes.io/arch"), arch_label);
  EXPECT_EQ(plain_key("topology.ebs.csi.aws.com/zone"), "topology.kubernetes.io/zone");
  EXPECT_EQ(plain_key("team"), "team");
  EXPECT_TRUE(tells_types_apart("karpenter.k8s.aws/instance-cpu"));
  EXPECT_TRUE(tells_types_apart(arch_label));
  EXPECT_FALSE(tells_types_apart("karpenter.k8s.aws/instance-hypervisor"));
}

}  // namespace
}  // namespace lips::kubernetes
