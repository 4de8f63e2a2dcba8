#include "kubernetes/pods/job_codec.h"

#include <simdjson.h>

#include "kubernetes/api/json_fields.h"

namespace lips::kubernetes {
namespace {

using simdjson::ondemand::value;

void read_metadata(value json, BatchJob& job) {
  json::each_field(json, [&](std::string_view key, value content) {
    if (key == "namespace") job.meta.name_space = json::text(content);
    if (key == "name") job.meta.name = json::text(content);
    if (key == "uid") job.meta.uid = json::text(content);
    if (key == "resourceVersion") job.meta.resource_version = json::text(content);
    if (key == "annotations") job.annotations = json::text_map(content, "lips.dev/");
  });
}

}  // namespace

struct JobDecoder::Working {
  json::PaddedText<simdjson::ondemand::parser> text;
};

JobDecoder::JobDecoder() : working_(std::make_unique<Working>()) {}
JobDecoder::~JobDecoder() = default;

Result<BatchJob> JobDecoder::decode(std::string_view json) {
  BatchJob job;
  const auto refuse = [&](std::string_view what) {
    const std::string name = job.meta.name.empty() ? "without a name" : full_name(job.meta);
    return fail(ErrorCode::invalid_input, "job " + name + ": " + std::string(what));
  };
  try {
    auto document = working_->text.document(json, simdjson::SIMDJSON_PADDING);
    json::each_field(document, [&](std::string_view key, value content) {
      if (key == "metadata") read_metadata(content, job);
      if (key != "spec") return;
      json::each_field(content, [&](std::string_view name, value field) {
        if (name == "completions" && !field.is_null())
          job.completions = static_cast<std::int32_t>(std::int64_t(field.get_int64()));
      });
    });
    if (job.meta.name.empty()) return refuse("metadata.name: found nothing; allowed: a name");
    return job;
  } catch (const simdjson::simdjson_error& error) {
    return refuse(error.what());
  } catch (const json::Rejected& rejected) {
    return refuse(rejected.what);
  }
}

}  // namespace lips::kubernetes
