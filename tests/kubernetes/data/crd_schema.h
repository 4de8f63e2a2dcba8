// The schema of a custom resource as the chart installs it.
#pragma once

#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include <string>

#include "kubernetes/data/resources.h"

namespace lips::kubernetes {

inline YAML::Node schema_of(DataKind kind) {
  const YAML::Node crd =
      YAML::LoadFile(std::string(LIPS_SOURCE_DIR) + "/charts/lips/crds/lips.dev_" + plural_name(kind) + ".yaml");
  EXPECT_EQ(crd["spec"]["names"]["kind"].as<std::string>(), kind_name(kind));
  return crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"];
}

}  // namespace lips::kubernetes
