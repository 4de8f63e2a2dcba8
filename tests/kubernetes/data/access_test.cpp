#include "kubernetes/data/access.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kubernetes/data/data_set_codec.h"
#include "kubernetes/data/resource_codec.h"
#include "tests/kubernetes/data/books.h"

namespace lips::kubernetes {
namespace {

using testing::HasSubstr;

StoreMap stores(const std::string& allowed) {
  StoreMap result;
  result["s"] = *decode_data_store(
      R"({"metadata":{"name":"s"},"spec":{"zone":"z","volume":{"claimName":"c"},"allowedNamespaces":[)" + allowed +
      "]}}");
  return result;
}

std::string refused(const std::string& spec, const std::string& allowed, const std::string& status = "{}") {
  const DataSetResource set = set_of(spec, status);
  const auto layout = layout_of(set);
  EXPECT_TRUE(layout) << layout.error().message;
  return foreign_data(set, *layout, stores(allowed));
}

TEST(Access, ANamespaceMayNameItsOwnFolderAndNoOther) {
  struct Case {
    const char* spec;
    bool own;
  };
  for (
      const auto& [spec, own] : {
          Case{R"({"blocks":2,"blockSize":1,"stores":[{"name":"s"}]})", true},
          Case{R"({"blocks":2,"blockSize":1,"path":"etl/deeper","stores":[{"name":"s"}]})", true},
          Case{R"({"blocks":2,"blockSize":1,"path":"hr","stores":[{"name":"s"}]})", false},
          Case{R"({"blocks":2,"blockSize":1,"path":"etlx","stores":[{"name":"s"}]})", false},
          Case{R"({"files":[{"path":"etl/a","size":1},{"path":"hr/salaries","size":1}],"stores":[{"name":"s"}]})",
               false},
          Case{R"({"files":[{"path":"etl/a","size":1}],"stores":[{"name":"s"}]})", true},
          Case{
              R"({"files":[{"path":"etl/a","size":1}],"erasureCode":{"n":2,"k":1},"path":"hr","stores":[{"name":"s"}]})",
              false},
          Case{R"({"files":[{"path":"hr/salaries","size":1}]})", true},  // in no store
      }) {
    EXPECT_EQ(refused(spec, "").empty(), own) << spec;
    EXPECT_EQ(refused(spec, R"("hr")").empty(), own) << spec;
    EXPECT_EQ(refused(spec, R"("hr","etl")"), "") << spec;
    EXPECT_EQ(refused(spec, R"("*")"), "") << spec;
  }
}

TEST(Access, WhatTheStatusHoldsCountsLikeWhatTheSpecNames) {
  const std::string spec = R"({"files":[{"path":"hr/salaries","size":1}]})";
  EXPECT_THAT(refused(spec, "", R"({"replicas":[{"store":"s","blocks":"0"}]})"), HasSubstr("hr/salaries"));
  EXPECT_THAT(refused(spec, "", R"({"replicas":[{"store":"s","leaving":"0"}]})"), HasSubstr("hr/salaries"));
  EXPECT_EQ(refused(spec, "", R"({"replicas":[{"store":"s","blocks":"0","copies":"0"}]})"), "");
}

TEST(Access, NobodyMayNameCopies) {
  for (const char* path : {"lips-copies", "lips-copies/hr/x", "lips-copies/etl/x"})
    EXPECT_THAT(refused(std::string(R"({"blocks":1,"blockSize":1,"path":")") + path + R"(","stores":[{"name":"s"}]})",
                        R"("*")"),
                HasSubstr("may not name"))
        << path;
  EXPECT_FALSE(may_lie(stores("").at("s").spec, "lips-copies", "lips-copies/etl/x"))
      << "not even a namespace of that name";
}

TEST(Access, PodsOfOtherNamespacesReadWhatTheOwnerLetsThemRead) {
  EXPECT_TRUE(may_read(set_of("{}"), "etl"));
  EXPECT_FALSE(may_read(set_of("{}"), "hr"));
  EXPECT_TRUE(may_read(set_of(R"({"readers":["x","hr"]})"), "hr"));
  EXPECT_FALSE(may_read(set_of(R"({"readers":["x","hr"]})"), "h"));
  EXPECT_TRUE(may_read(set_of(R"({"readers":["*"]})"), "anybody"));
}

TEST(Access, FilesAreDiscoveredInTheNamespacesFolder) {
  const auto why = [](const std::string& path, const std::string& allowed) {
    return foreign_discovery(set_of(R"({"discover":{"listing":{"store":"s","path":")" + path + R"("}}})"),
                             stores(allowed), {});
  };
  for (const char* own : {"etl", "etl/", "/etl/in", "etl/a/b"}) EXPECT_EQ(why(own, ""), "") << own;
  for (const char* foreign : {"", "/", "hr", "et", "lips-copies"}) EXPECT_NE(why(foreign, ""), "") << foreign;
  for (const char* any : {"", "hr", "et"}) EXPECT_EQ(why(any, R"("etl")"), "") << any;
}

TEST(Access, AFileBelongsToEverySetThatNamesItOrItsFolder) {
  const auto names = [](const std::string& spec, const std::string& path, const std::string& status = "{}") {
    const DataSetResource set = set_of(spec, status);
    return names_original(set, layout_of(set), "s", path);
  };
  const std::string listed = R"({"files":[{"path":"logs/2026/a","size":1}],"stores":[{"name":"s"}]})";
  EXPECT_TRUE(names(listed, "logs/2026/a"));
  EXPECT_TRUE(names(listed, "logs/2026")) << "a file of it would go with the folder";
  EXPECT_FALSE(names(listed, "logs/2026/b"));
  EXPECT_FALSE(names(R"({"files":[{"path":"logs/2026/a","size":1}],"stores":[{"name":"other"}]})", "logs/2026/a"));
  EXPECT_FALSE(names(listed, "logs/2026/a", R"({"replicas":[{"store":"s"}]})")) << "it has given the replica up";
  EXPECT_TRUE(names(listed, "logs/2026/a", R"({"replicas":[{"store":"s","leaving":"0"}]})"));
  const std::string counted =
      R"({"blocks":3,"blockSize":1,"path":"p","stores":[{"name":"s"}],"erasureCode":{"n":3,"k":2}})";
  for (const char* own : {"p/block-00002", "p/parity-00001", "p"}) EXPECT_TRUE(names(counted, own)) << own;
  for (const char* other : {"p/block-00003", "p/block-2", "p/parity-00002", "p/x"})
    EXPECT_FALSE(names(counted, other)) << other;
  const std::string found = R"({"discover":{"listing":{"store":"s","path":"logs"}}})";
  EXPECT_TRUE(names(found, "logs/2026/a")) << "nobody knows yet what is in it";
  EXPECT_FALSE(names(found, "other/a"));
  EXPECT_FALSE(
      names(found, "logs/2026/a", R"({"discoveredAt":"2026-01-31T12:00:00Z","files":[{"path":"logs/b","size":1}]})"));
}

}  // namespace
}  // namespace lips::kubernetes
