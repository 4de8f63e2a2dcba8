#include "kubernetes/pods/spark_properties.h"

#include <gtest/gtest.h>

#include <string>

#include "kubernetes/api/codec.h"

namespace lips::kubernetes {
namespace {

constexpr std::int64_t mib = 1 << 20;

TEST(SparkProperties, SayHowManyExecutorsAreStarted) {
  struct Case {
    std::string text;
    std::optional<std::int32_t> count;
  };
  const std::string dynamic = "spark.dynamicAllocation.enabled=true\n";
  const Case cases[] = {
      {"", 2},
      {"spark.executor.instances=7\n", 7},
      {"spark.executor.instances=many\n", 2},
      {"#spark.executor.instances=7\r\n", 2},
      {"spark.dynamicAllocation.minExecutors=9\nspark.executor.instances=3", 3},
      {dynamic, std::nullopt},
      {dynamic + "spark.dynamicAllocation.minExecutors=4\r\nspark.dynamicAllocation.maxExecutors=40\n", 4},
      {dynamic + "spark.dynamicAllocation.minExecutors=4\nspark.dynamicAllocation.initialExecutors=6\n", 6},
      {dynamic + "spark.dynamicAllocation.minExecutors=1\nspark.executor.instances=5\n", 5},
  };
  for (const Case& one : cases) EXPECT_EQ(read_spark_executors(one.text).count, one.count) << one.text;
}

// The figures are those of pods that Spark 3.5 makes.
TEST(SparkProperties, SayWhatAnExecutorRequests) {
  const auto each = [](const std::string& text) { return read_spark_executors(text).each; };
  EXPECT_EQ(each(""), (ResourceAmounts{{"cpu", 1000}, {"memory", (1024 + 384) * mib}}));
  EXPECT_EQ(each("spark.executor.memory=8g\nspark.executor.cores=4\n"),
            (ResourceAmounts{{"cpu", 4000}, {"memory", (8192 + 819) * mib}}));
  EXPECT_EQ(each("spark.executor.memory=2048\nspark.executor.memoryOverhead=1gb\n")[1].second, 3072 * mib);
  EXPECT_EQ(each("spark.executor.cores=4\nspark.kubernetes.executor.request.cores=450m\n")[0].second, 450);
  EXPECT_EQ(each("spark.executor.memory=10g\nspark.kubernetes.resource.type=python\n")[1].second, (10240 + 4096) * mib);
  EXPECT_EQ(each("spark.memory.offHeap.enabled=true\nspark.memory.offHeap.size=512m\n")[1].second,
            (1024 + 384 + 512) * mib);
}

TEST(SparkProperties, AreEscapedAsJavaWritesThem) {
  EXPECT_EQ(read_spark_executors("spark.note=a\\=b\\:c\nspark.executor.\\instances=3\n").count, 3);
  EXPECT_EQ(read_spark_executors("\\").count, 2);
  EXPECT_EQ(read_spark_executors("=\n==\nspark.executor.instances").count, 2);
}

TEST(SparkProperties, AreInTheConfigMapOfTheDriversVolume) {
  PodDecoder decoder;
  const auto pod = decoder.decode(R"({"metadata":{"name":"p"},"spec":{"volumes":[
    {"configMap":{"name":"other"},"name":"x"},{"configMap":{"name":"mine"},"name":"spark-conf-volume-driver"}]}})");
  ASSERT_TRUE(pod) << pod.error().message;
  EXPECT_EQ(pod->properties_from, "mine");
}

}  // namespace
}  // namespace lips::kubernetes
