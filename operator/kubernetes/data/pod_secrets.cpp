#include "kubernetes/data/pod_secrets.h"

#include "kubernetes/api/connection.h"
#include "kubernetes/data/move_jobs.h"
#include "kubernetes/data/owner_json.h"

namespace lips::kubernetes {
namespace {

constexpr Duration asked_again_after = std::chrono::minutes(1);

std::string secret_json(nlohmann::json meta, const std::string& word) {
  meta["labels"]["app.kubernetes.io/managed-by"] = "lips";
  return nlohmann::json{{"apiVersion", "v1"},
                        {"kind", "Secret"},
                        {"type", "Opaque"},
                        {"immutable", true},
                        {"metadata", std::move(meta)},
                        {"stringData", {{pod_secret_item, word}}}}
      .dump();
}

}  // namespace

std::string source_secret_json(const DataMoveResource& move, const StoreKey& key) {
  const ObjectMeta& meta = move.meta.object;
  return secret_json(owned_metadata(source_pod_name(move), DataKind::data_move, meta, {{move_label, meta.uid}}),
                     key.seal("move/" + meta.uid));
}

std::string serve_secret_json(const DataStoreResource& store, const StoreKey& key) {
  const ObjectMeta& meta = store.meta.object;
  return secret_json(owned_metadata(serve_pod_name(store, key), DataKind::data_store, meta, {{store_label, meta.uid}}),
                     key.of_store(meta.uid).text());
}

// Names that become labels may have 63 characters; a uid has 36.
std::string serve_pod_name(const DataStoreResource& store, const StoreKey& key) {
  const std::string& uid = store.meta.object.uid;
  return "lips-" + uid + "-serve-" + key.seal("name/" + uid).substr(0, 8);
}

bool PodSecrets::is_there(const std::string& name, const std::function<std::string()>& body, TimePoint now) {
  const auto known = asked_.find(name);
  if (known != asked_.end() && known->second.there && now - known->second.at < asked_again_after) return true;
  const std::string object = "Secret/" + name;
  if (!writes_.free(object, now)) return false;
  std::erase_if(asked_, [now](const auto& each) { return now - each.second.at >= asked_again_after; });
  Asked& asked = asked_[name];
  asked.at = now, asked.there = false;
  const std::string path = "/api/v1/namespaces/" + percent_encoded(name_space_) + "/secrets";
  writes_.send(object, creation_of(path, body()), [this, name, now](const Answer& answer) {
    const bool there = answer || answer.error().code == ErrorCode::conflict;
    asked_[name] = {now, there, there ? "" : "Secret/" + name + " cannot be made: " + answer.error().message};
  });
  return false;
}

std::string PodSecrets::problem(const std::string& name) const {
  const auto known = asked_.find(name);
  return known == asked_.end() ? std::string() : known->second.problem;
}

}  // namespace lips::kubernetes
