#include "cmd/service/new_data_endpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>

#include "config/quantities.h"

namespace lips::cmd {

namespace {

constexpr Duration horizon = std::chrono::hours(1), least_age = std::chrono::seconds(5);
constexpr int bad_request = 400, not_found = 404, unavailable = 503;

QueryAnswer refusal(int status, const std::string& message) {
  return {status, nlohmann::ordered_json{{"error", message}}.dump() + "\n"};
}

const std::string* value_of(const std::map<std::string, std::string>& query, const std::string& key) {
  const auto found = query.find(key);
  return found == query.end() ? nullptr : &found->second;
}

// Parses the query; `problem` says why it is invalid.
NewDataQuestion question_of(const std::map<std::string, std::string>& query, std::string& problem) {
  NewDataQuestion question;
  const auto number = [&](const char* key, double otherwise, double most) {
    const std::string* text = value_of(query, key);
    if (!text) return otherwise;
    const std::optional<double> value = parse_number(*text);
    if (value && *value >= 0 && *value <= most) return *value;
    problem = fmt::format("{}: expected a number from 0 to {:g}, found '{}'", key, most, *text);
    return otherwise;
  };
  static constexpr const char* known[] = {"node", "cpuSecondsPerMebibyte", "readers", "fraction", "size"};
  for (const auto& [key, text] : query)
    if (std::find(std::begin(known), std::end(known), key) == std::end(known))
      problem = fmt::format("unknown key '{}'; expected node, cpuSecondsPerMebibyte, readers, fraction or size", key);
  for (const char* needed : {"node", "cpuSecondsPerMebibyte"})
    if (!value_of(query, needed)) problem = fmt::format("{}: is required", needed);
  if (const std::string* node = value_of(query, "node")) question.writer = *node;
  if (const std::string* text = value_of(query, "size")) {
    const std::optional<Mebibytes> size = parse_size(*text);
    if (size && size->value() >= 0)
      question.size = *size;
    else
      problem = fmt::format("size: expected a size such as 64Mi, found '{}'", *text);
  }
  const ExpectedReader reader{CpuSecondsPerMebibyte(number("cpuSecondsPerMebibyte", 0, 1e9)), number("fraction", 1, 1)};
  question.readers.assign(static_cast<std::size_t>(number("readers", 1, 1000)), reader);
  return question;
}

}  // namespace

void NewDataEndpoint::update(const PolicyInput& input) {
  {
    const std::lock_guard lock(mutex_);
    if (advice_ && input.cluster.now < advice_->at + least_age) return;
  }
  auto advice = std::make_shared<const NewDataAdvice>(advice_of(input.cluster, input.costs, horizon));
  const std::lock_guard lock(mutex_);
  advice_ = std::move(advice);
}

QueryAnswer NewDataEndpoint::answer(const std::map<std::string, std::string>& query) const {
  std::string problem;
  const NewDataQuestion question = question_of(query, problem);
  if (!problem.empty()) return refusal(bad_request, problem);
  const std::shared_ptr<const NewDataAdvice> advice = [&] {
    const std::lock_guard lock(mutex_);
    return advice_;
  }();
  if (!advice) return refusal(unavailable, "no plan was made yet");
  const Result<NewDataAnswer> place = place_for(*advice, question);
  if (!place) return refusal(not_found, place.error().message);
  nlohmann::ordered_json json = {{"zone", place->zone}};
  if (!place->store.empty()) json["dataStore"] = place->store, json["node"] = place->node;
  json["staysInZone"] = place->stays;
  json["savedDollarsPerMebibyte"] = place->saved.value();
  return {200, json.dump() + "\n"};
}

}  // namespace lips::cmd
