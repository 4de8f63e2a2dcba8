#include "kubernetes/pods/data_path.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kubernetes/pods/pod_annotations.h"

namespace lips::kubernetes {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using Service = DataPath::Service;

TEST(DataPaths, HaveAServiceABucketOrHostAndAFolder) {
  struct Case {
    const char* text;
    DataPath path;
  };
  for (const auto& [text, path] : {
           Case{"s3a://lake/warehouse/events", {Service::s3, "lake", "warehouse/events"}},
           Case{"s3://lake", {Service::s3, "lake", ""}},
           Case{"S3N://lake/", {Service::s3, "lake", ""}},
           Case{"gs://lake//warehouse///events//", {Service::google, "lake", "warehouse/events"}},
           Case{"hdfs://NameNode:8020/warehouse/events", {Service::hdfs, "namenode", "warehouse/events"}},
           Case{"hdfs://[fd00::1]:8020/a", {Service::hdfs, "[fd00::1]", "a"}},
           Case{"hdfs://[fd00::1]/a", {Service::hdfs, "[fd00::1]", "a"}},
           Case{"hdfs:///warehouse", {Service::hdfs, "", "warehouse"}},
           Case{"s3a://lake/day=1%2F2/%2e%2e/a@b/*", {Service::s3, "lake", "day=1%2F2/%2e%2e/a@b/*"}},
       }) {
    const Result<DataPath> read = read_data_path(text);
    ASSERT_TRUE(read) << text << ": " << read.error().message;
    EXPECT_EQ(*read, path) << text;
  }
}

TEST(DataPaths, ThatAreWrongAreRefusedInWords) {
  struct Case {
    std::string text;
    const char* why;
  };
  for (const auto& [text, why] : {
           Case{"ftp://host/a", "found 'ftp://host/a'; allowed: paths that begin with s3://"},
           Case{"://", "allowed: paths that begin with s3://"},
           Case{"", "allowed: paths that begin with s3://"},
           Case{"s3a", "allowed: paths that begin with s3://"},
           Case{"hdfs", "allowed: paths that begin with s3://"},
           Case{"s3a:/lake", "allowed: paths that begin with s3://"},
           Case{"file:///srv/data", "allowed: paths that begin with s3://"},
           Case{"s3a:///warehouse", "allowed: a path with the name of a bucket"},
           Case{"s3a://lake/a/../../other", "allowed: a path without '.' and '..'"},
           Case{"s3a://lake/..", "allowed: a path without '.' and '..'"},
           Case{"hdfs://n/./a", "allowed: a path without '.' and '..'"},
           Case{"s3a://lake/a\nb", "found a path with control characters; allowed: none"},
           Case{std::string("s3a://lake/a\0b", 14), "found a path with control characters; allowed: none"},
           Case{"s3a://lake/" + std::string(100'000, 'a'), "found a path of 100011 bytes; allowed: at most 4096"},
       }) {
    const Result<DataPath> read = read_data_path(text);
    ASSERT_FALSE(read) << text;
    EXPECT_THAT(read.error().message, HasSubstr(why));
    EXPECT_EQ(read.error().code, ErrorCode::invalid_input);
    EXPECT_LT(read.error().message.size(), 400u);
  }
}

TEST(DataPaths, WithAPasswordAreRefusedWithoutSayingIt) {
  const Result<DataPath> read = read_data_path("s3a://KEY:hidden@lake/warehouse");
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().message, AllOf(HasSubstr("no password"), Not(HasSubstr("hidden")), Not(HasSubstr("KEY"))));
}

TEST(DataPaths, AreQuotedByWholeCharacters) {
  std::string text = "s3a://lake/";
  while (text.size() < 300) text += "\xc3\xa9";  // two bytes
  const std::string quoted = beginning_of(text);
  EXPECT_EQ(quoted, text.substr(0, 199) + "...");
  EXPECT_EQ(beginning_of("short"), "short");
}

Result<PodAnnotations> annotated(const std::string& data_set) {
  Pod pod;
  pod.meta = {"etl", "p", "u", "1"};
  pod.annotations = {{"lips.dev/dataset", data_set}};
  return read_pod_annotations(pod);
}

TEST(DataPaths, StandWhereTheNameOfADataSetWould) {
  EXPECT_EQ(annotated("s3a://lake/warehouse")->data_set, "s3a://lake/warehouse");
  EXPECT_EQ(annotated("books")->data_set, "etl/books");
  EXPECT_EQ(annotated("library/books")->data_set, "library/books");
  const Result<PodAnnotations> wrong = annotated("s3a://lake/..");
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().message, "lips.dev/dataset: found 's3a://lake/..'; allowed: a path without '.' and '..'");
}

}  // namespace
}  // namespace lips::kubernetes
