#include "kubernetes/pods/spark_traffic.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>

#include "kubernetes/api/api_client.h"
#include "kubernetes/api/json_fields.h"

namespace lips::kubernetes {
namespace {

constexpr double bytes_of_mebibyte = 1 << 20;
constexpr std::string_view starting = "Spark is starting up";  // with success, before the application is there

// Bytes, as Spark names them.
struct Totals {
  double read = 0, wrote = 0, input = 0;
  int executors = 0;
};

void add_executor(simdjson::ondemand::value executor, Totals& totals) {
  int found = 0;
  json::each_field(executor, [&](std::string_view key, simdjson::ondemand::value content) {
    double* total = key == "totalShuffleRead"    ? &totals.read
                    : key == "totalShuffleWrite" ? &totals.wrote
                    : key == "totalInputBytes"   ? &totals.input
                                                 : nullptr;
    if (!total) return;
    const std::int64_t bytes = content.get_int64();
    if (bytes < 0) throw json::Rejected{"found a number of bytes below 0"};
    *total += static_cast<double>(bytes);
    ++found;
  });
  if (found != 3)
    throw json::Rejected{"found an executor without totalShuffleRead, totalShuffleWrite or totalInputBytes"};
  ++totals.executors;
}

}  // namespace

Result<Traffic> read_spark_traffic(std::string_view answer) {
  if (answer.starts_with(starting)) return fail(ErrorCode::unavailable, "the application starts");
  Totals totals;
  const auto refuse = [&](std::string_view why) {
    return fail(ErrorCode::invalid_input, fmt::format("{} ({} bytes)", why, answer.size()));
  };
  try {
    json::PaddedText<simdjson::ondemand::parser> text;
    auto document = text.document(answer, simdjson::SIMDJSON_PADDING);
    json::each_item(document, [&](simdjson::ondemand::value executor) { add_executor(executor, totals); });
  } catch (const simdjson::simdjson_error&) {
    return refuse("found no list of executors");
  } catch (const json::Rejected& rejected) {
    return refuse(rejected.what);
  }
  if (totals.executors == 0) return refuse("found no list of executors");
  const Traffic traffic{Mebibytes(std::max(totals.read, totals.wrote) / bytes_of_mebibyte),
                        Mebibytes(totals.input / bytes_of_mebibyte)};
  if (std::max(traffic.shuffle, traffic.input) > most_traffic) return refuse("found more than 1e9 MiB");
  return traffic;
}

std::string spark_traffic_url(const std::string& address, std::int32_t port, const std::string& run) {
  return fmt::format("http://{}:{}/api/v1/applications/{}/allexecutors", url_host(address), port, percent_encoded(run));
}

}  // namespace lips::kubernetes
