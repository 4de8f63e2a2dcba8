#include "kubernetes/pods/volumes.h"

#include <simdjson.h>

#include <algorithm>

#include "kubernetes/api/json_fields.h"

namespace lips::kubernetes {
namespace {

using simdjson::ondemand::value;

void read_meta(value json, ObjectMeta& meta, TextMap* labels, bool* deleting) {
  json::each_field(json, [&](std::string_view key, value content) {
    if (key == "namespace") meta.name_space = json::text(content);
    if (key == "name") meta.name = json::text(content);
    if (key == "uid") meta.uid = json::text(content);
    if (key == "resourceVersion") meta.resource_version = json::text(content);
    if (key == "labels" && labels) *labels = json::text_map(content, "topology.kubernetes.io/");
    if (key == "deletionTimestamp" && deleting) *deleting = !content.is_null();
  });
}

SelectorOperator comparison(std::string_view name) {
  using Named = std::pair<std::string_view, SelectorOperator>;
  static constexpr Named names[] = {
      {"In", SelectorOperator::in},         {"NotIn", SelectorOperator::not_in},
      {"Exists", SelectorOperator::exists}, {"DoesNotExist", SelectorOperator::does_not_exist},
      {"Gt", SelectorOperator::greater},    {"Lt", SelectorOperator::less}};
  for (const auto& [text, meaning] : names)
    if (text == name) return meaning;
  throw json::Rejected{"spec.nodeAffinity: operator " + std::string(name)};
}

Requirement read_requirement(value json) {
  Requirement requirement;
  json::each_field(json, [&](std::string_view key, value content) {
    if (key == "key") requirement.key = json::text(content);
    if (key == "values") requirement.values = json::texts(content);
    if (key == "operator") requirement.compare = comparison(json::text(content));
  });
  return requirement;
}

void read_terms(value json, std::vector<NodeSelectorTerm>& terms) {
  json::each_item(json, [&](value term) {
    NodeSelectorTerm& added = terms.emplace_back();
    json::each_field(term, [&](std::string_view kind, value list) {
      if (kind == "matchExpressions")
        json::each_item(list, [&](value r) { added.labels.push_back(read_requirement(r)); });
      if (kind == "matchFields") json::each_item(list, [&](value r) { added.fields.push_back(read_requirement(r)); });
    });
  });
}

// Runs `read` on every top-level field; the error names the object.
template <class Text, class Object, class Read>
Result<Object> decoded(Text& text, std::string_view json, std::string_view kind, Object object, Read read) {
  const auto refuse = [&](std::string_view what) {
    const std::string name = object.meta.name.empty() ? "without a name" : full_name(object.meta);
    return fail(ErrorCode::invalid_input, std::string(kind) + ' ' + name + ": " + std::string(what));
  };
  try {
    auto document = text.document(json, simdjson::SIMDJSON_PADDING);
    json::each_field(document, [&](std::string_view key, value content) { read(key, content, object); });
    if (object.meta.name.empty()) return refuse("metadata.name: found nothing; allowed: a name");
    return object;
  } catch (const simdjson::simdjson_error& error) {
    return refuse(error.what());
  } catch (const json::Rejected& rejected) {
    return refuse(rejected.what);
  }
}

}  // namespace

struct ClaimDecoder::Working {
  json::PaddedText<simdjson::ondemand::parser> text;
};
struct VolumeDecoder::Working {
  json::PaddedText<simdjson::ondemand::parser> text;
};

ClaimDecoder::ClaimDecoder() : working_(std::make_unique<Working>()) {}
ClaimDecoder::~ClaimDecoder() = default;
VolumeDecoder::VolumeDecoder() : working_(std::make_unique<Working>()) {}
VolumeDecoder::~VolumeDecoder() = default;

Result<Claim> ClaimDecoder::decode(std::string_view json) {
  return decoded(working_->text, json, "claim", Claim{}, [](std::string_view key, value content, Claim& claim) {
    if (key == "metadata") read_meta(content, claim.meta, nullptr, &claim.deleting);
    if (key == "spec")
      json::each_field(content, [&](std::string_view name, value field) {
        if (name == "volumeName") claim.volume = json::text(field);
      });
    if (key == "status")
      json::each_field(content, [&](std::string_view name, value field) {
        if (name == "phase") claim.bound = json::text(field) == "Bound";
      });
  });
}

Result<Volume> VolumeDecoder::decode(std::string_view json) {
  return decoded(working_->text, json, "volume", Volume{}, [](std::string_view key, value content, Volume& volume) {
    if (key == "metadata") read_meta(content, volume.meta, &volume.labels, nullptr);
    if (key != "spec") return;
    json::each_field(content, [&](std::string_view name, value affinity) {
      if (name != "nodeAffinity") return;
      json::each_field(affinity, [&](std::string_view part, value required) {
        if (part != "required") return;
        json::each_field(required, [&](std::string_view field, value terms) {
          if (field == "nodeSelectorTerms") read_terms(terms, volume.required);
        });
      });
    });
  });
}

void VolumeBook::see(Claim claim) {
  const std::string key = full_name(claim.meta);
  join(claim);
  claims_[key] = std::move(claim);
}

void VolumeBook::see(Volume volume) {
  const std::string name = volume.meta.name;
  volumes_[name] = std::move(volume);
  if (const auto claim = claim_of_.find(name); claim != claim_of_.end())
    if (const auto known = claims_.find(claim->second); known != claims_.end()) join(known->second);
}

void VolumeBook::forget_claim(const ObjectMeta& meta) {
  const std::string key = full_name(meta);
  if (const auto claim = claims_.find(key); claim != claims_.end()) {
    claim_of_.erase(claim->second.volume);
    claims_.erase(claim);
  }
  joined_.erase(key);
}

void VolumeBook::forget_volume(const ObjectMeta& meta) {
  volumes_.erase(meta.name);
  if (const auto claim = claim_of_.find(meta.name); claim != claim_of_.end())
    if (const auto known = claims_.find(claim->second); known != claims_.end()) join(known->second);
}

void VolumeBook::join(const Claim& claim) {
  ClaimedVolume& joined = joined_[full_name(claim.meta)];
  joined = {};
  if (!claim.volume.empty()) claim_of_[claim.volume] = full_name(claim.meta);
  const auto volume = volumes_.find(claim.volume);
  if (claim.deleting)
    joined.why_not = "is being deleted";
  else if (!claim.bound || claim.volume.empty())
    joined.why_not = "is not bound to a volume yet";
  else if (volume == volumes_.end())
    joined.why_not = "is bound to a volume that does not exist";
  if (!joined.why_not.empty()) return;
  joined.bound = true;
  for (const NodeSelectorTerm& term : volume->second.required) {
    std::vector<LabelRequirement>& added = joined.node_terms.emplace_back();
    for (const Requirement& label : term.labels) added.push_back(in_model(label));
    for (const Requirement& field : term.fields) added.push_back(in_model(field));
  }
  if (!joined.node_terms.empty() || volume->second.labels.empty()) return;
  std::vector<LabelRequirement>& added = joined.node_terms.emplace_back();
  for (const auto& [key, text] : volume->second.labels) added.push_back({key, LabelRequirement::Operator::in, {text}});
}

const ClaimedVolume* VolumeBook::find(const std::string& name_space, const std::string& claim) const {
  const auto found = joined_.find(name_space + '/' + claim);
  return found == joined_.end() ? nullptr : &found->second;
}

}  // namespace lips::kubernetes
