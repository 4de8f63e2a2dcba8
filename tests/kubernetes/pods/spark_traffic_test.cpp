#include "kubernetes/pods/spark_traffic.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "kubernetes/pods/pod_address.h"

namespace lips::kubernetes {
namespace {

using testing::HasSubstr;

std::string executor(const std::string& read, const std::string& wrote, const std::string& input) {
  return R"({"id":"1","totalInputBytes":)" + input + R"(,"totalShuffleRead":)" + read + R"(,"totalShuffleWrite":)" +
         wrote + R"(,"executorLogs":{"stdout":"http://x"}})";
}

std::string why(const std::string& answer) {
  const Result<Traffic> traffic = read_spark_traffic(answer);
  return traffic ? "" : traffic.error().message;
}

TEST(SparkTraffic, IsTheSumOverAllExecutorsOfARun) {
  const Result<Traffic> traffic = read_spark_traffic("[" + executor("1048576", "2097152", "0") + "," +
                                                     executor("3145728", "1048576", "5242880") + "]");
  ASSERT_TRUE(traffic) << traffic.error().message;
  EXPECT_EQ(traffic->shuffle, Mebibytes(4)) << "read";
  EXPECT_EQ(traffic->input, Mebibytes(5));
  EXPECT_EQ(read_spark_traffic("[" + executor("0", "2097152", "0") + "]")->shuffle, Mebibytes(2))
      << "what is written will be read";
}

// As Spark 3.5.6 answers, with status 200, before there is an application.
TEST(SparkTraffic, OfAnApplicationThatStartsIsNotThereYet) {
  const Result<Traffic> traffic = read_spark_traffic("Spark is starting up. Please wait a while until it's ready.");
  ASSERT_FALSE(traffic);
  EXPECT_EQ(traffic.error().code, ErrorCode::unavailable) << "and so no reason to complain";
}

// As Spark 3.5.6 answers while its job runs.
TEST(SparkTraffic, IsReadFromWhatSparkAnswers) {
  std::ifstream file(LIPS_SOURCE_DIR "/tests/fuzz/inputs/traffic/spark-3.5.6");
  const std::string answer((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const Result<Traffic> traffic = read_spark_traffic(answer);
  ASSERT_TRUE(traffic) << traffic.error().message;
  EXPECT_EQ(traffic->shuffle, Mebibytes(523291.0 / (1 << 20)));
  EXPECT_EQ(traffic->input, Mebibytes(412546.0 / (1 << 20)));
}

TEST(SparkTraffic, IsNotTakenFromAnswersThatSayNone) {
  const std::string good = executor("1", "1", "1");
  for (const char* answer : {"", "null", "[]", "{}", "<html>", "[1]", "[[]]", "[{\"id\":"})
    EXPECT_NE(why(answer), "") << answer;
  EXPECT_THAT(why("[{\"id\":\"1\"}]"), HasSubstr("without totalShuffleRead"));
  EXPECT_THAT(why("[" + good + "," + executor("-1", "1", "1") + "]"), HasSubstr("below 0"));
  EXPECT_THAT(why("[" + executor("1.5", "1", "1") + "]"), HasSubstr("no list of executors"));
  EXPECT_THAT(why("[" + executor("1", "\"secret\"", "1") + "]"), Not(HasSubstr("secret")));
  EXPECT_THAT(why("[" + executor("9000000000000000000", "1", "1") + "]"), HasSubstr("more than 1e9 MiB"));
  EXPECT_THAT(why("[" + executor("99999999999999999999999", "1", "1") + "]"), HasSubstr("no list of executors"));
  std::string deep = "[{\"totalShuffleRead\":1,\"a\":";
  for (int i = 0; i < 100'000; ++i) deep += '[';
  EXPECT_NE(why(deep), "");
}

TEST(SparkTraffic, IsAskedForAtThePodsOwnAddressAndPort) {
  EXPECT_EQ(spark_traffic_url("10.0.0.7", 4040, "spark-1"),
            "http://10.0.0.7:4040/api/v1/applications/spark-1/allexecutors");
  EXPECT_EQ(spark_traffic_url("fd00::7", 4041, "a/../b?c"),
            "http://[fd00::7]:4041/api/v1/applications/a%2F..%2Fb%3Fc/allexecutors");
}

TEST(PodAddress, IsANumberOfThePodsNetwork) {
  for (const char* good : {"10.0.0.7", "172.16.3.4", "192.168.0.1", "100.64.1.1", "fd00::7", "2001:db8::1"})
    EXPECT_TRUE(is_pod_address(good)) << good;
  for (const char* bad : {"", "0.0.0.0", "127.0.0.1", "169.254.169.254", "224.0.0.1", "255.255.255.255", "::", "::1",
                          "fe80::1", "ff02::1", "::ffff:169.254.169.254", "::ffff:10.0.0.7", "::10.0.0.7",
                          "metadata.google.internal", "10.0.0.7:80", "10.0.0.7@host", "10.1", "0x7f000001"})
    EXPECT_FALSE(is_pod_address(bad)) << bad;
}

}  // namespace
}  // namespace lips::kubernetes
