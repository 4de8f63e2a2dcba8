#include "kubernetes/data/move_jobs.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "kubernetes/api/api_client.h"
#include "kubernetes/data/move_scripts.h"

namespace lips::kubernetes {
namespace {

using Json = nlohmann::json;

constexpr std::int64_t slowest_bytes_per_second = 1 << 20;  // below, a Job counts as stuck
constexpr std::int64_t longest_start = 600;                 // seconds until a Job's pod has to run
constexpr std::size_t longest_value = 60'000;               // of an environment variable

// ---- containers and volumes ----

struct PodParts {
  Json env = Json::array(), mounts = Json::array(), volumes = Json::array();

  void set(const std::string& name, const std::string& value) { env.push_back({{"name", name}, {"value", value}}); }
  void mount(const std::string& name, const std::string& path, Json source, bool read_only = false) {
    mounts.push_back({{"name", name}, {"mountPath", path}, {"readOnly", read_only}});
    source["name"] = name;
    volumes.push_back(std::move(source));
  }
};

PodParts with_scratch() {
  PodParts parts;
  parts.mount("scratch", "/scratch", {{"emptyDir", Json::object()}});
  parts.set("HOME", "/scratch");
  parts.set("RCLONE_CONFIG", "/scratch/rclone.conf");
  return parts;
}

void mount_store(PodParts& parts, const DataStoreSpec& store, const std::string& name, const std::string& path,
                 bool read_only) {
  Json source;
  if (store.kind == StoreKind::node_directory)
    source = {{"hostPath", {{"path", store.path}, {"type", "DirectoryOrCreate"}}}};
  else
    source = {{"persistentVolumeClaim", {{"claimName", store.claim}}}};
  parts.mount(name, path, std::move(source), read_only);
}

// An rclone remote called source or target whose root is the store's.
void add_remote(PodParts& parts, const DataStoreSpec& store, const std::string& remote, const std::string& mounted) {
  const std::string upper = remote == "source" ? "SOURCE" : "TARGET";
  const std::string prefix = "RCLONE_CONFIG_" + upper;
  parts.set(prefix + "_TYPE", "alias");
  if (store.kind != StoreKind::bucket) {
    parts.set(prefix + "_REMOTE", mounted);
    parts.set("LIPS_" + upper + "_ROOT", mounted);
    return;
  }
  parts.set(prefix + "_REMOTE", remote + "bucket:" + store.bucket + (store.prefix.empty() ? "" : '/' + store.prefix));
  const std::string bucket = prefix + "BUCKET_";
  parts.set(bucket + "TYPE", "s3");
  parts.set(bucket + "PROVIDER", store.provider.empty() ? "Other" : store.provider);
  parts.set(bucket + "NO_CHECK_BUCKET", "true");
  if (!store.bucket_endpoint.empty()) parts.set(bucket + "ENDPOINT", store.bucket_endpoint);
  if (!store.region.empty()) parts.set(bucket + "REGION", store.region);
  if (store.secret.empty()) {
    parts.set(bucket + "ENV_AUTH", "true");
    return;
  }
  const auto from_secret = [&](const char* name, const char* key) {
    parts.env.push_back(
        {{"name", bucket + name}, {"valueFrom", {{"secretKeyRef", {{"name", store.secret}, {"key", key}}}}}});
  };
  from_secret("ACCESS_KEY_ID", "accessKeyId");
  from_secret("SECRET_ACCESS_KEY", "secretAccessKey");
}

// Cut behind lines, so that no part is too long for the kernel; without the last line's end.
void set_long(PodParts& parts, std::string_view text) {
  for (int number = 0; !text.empty(); ++number) {
    std::size_t end = text.size();
    if (end > longest_value) end = text.rfind('\n', longest_value) + 1;
    parts.set(fmt::format("LIPS_BLOCKS_{}", number), std::string(text.substr(0, end - 1)));
    text.remove_prefix(end);
  }
}

std::string block_lines(const std::vector<CarriedBlock>& blocks) {
  std::string lines;
  for (const CarriedBlock& block : blocks)
    lines += fmt::format("{}\t{}\t{}\t{}\t{}\t{}\t{}\n", block.number, block.from.path, block.from.offset,
                         block.from.size, block.from.whole ? "whole" : "part",
                         block.from.sha256.empty() ? "-" : block.from.sha256, block.to.path);
  return lines;
}

// Asks for no resources: on a node that is full of tasks it has to start all the same, because tasks wait for it.
Json container(const std::string& name, const std::string& script, const PodParts& parts,
               const WorkSettings& settings) {
  return {{"name", name},
          {"image", settings.image},
          {"imagePullPolicy", settings.pull_policy},
          {"command", {"sh", "-c", script}},
          {"env", parts.env},
          {"volumeMounts", parts.mounts},
          {"terminationMessagePolicy", "FallbackToLogsOnError"},
          {"securityContext",
           {{"allowPrivilegeEscalation", false},
            {"readOnlyRootFilesystem", true},
            {"runAsUser", 0},
            {"capabilities", {{"drop", {"ALL"}}, {"add", {"DAC_OVERRIDE"}}}},
            {"seccompProfile", {{"type", "RuntimeDefault"}}}}}};
}

// Where the pod has to run: beside a node's directory; else in the zone where bytes are cheap, if that can be.
void place(Json& spec, const DataStoreSpec& at_hand, const std::string& zone) {
  if (at_hand.kind == StoreKind::node_directory) {
    spec["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"] = {
        {{"matchFields", {{{"key", "metadata.name"}, {"operator", "In"}, {"values", {at_hand.node}}}}}}};
    spec["tolerations"] = {{{"operator", "Exists"}, {"effect", "NoSchedule"}}};
  } else if (at_hand.kind == StoreKind::bucket) {
    spec["affinity"]["nodeAffinity"]["preferredDuringSchedulingIgnoredDuringExecution"] = {
        {{"weight", 100},
         {"preference",
          {{"matchExpressions", {{{"key", "topology.kubernetes.io/zone"}, {"operator", "In"}, {"values", {zone}}}}}}}}};
  }
}

Json pod_spec(Json init_containers, Json containers, const PodParts& parts, const WorkSettings& settings) {
  Json spec = {{"containers", std::move(containers)},
               {"volumes", parts.volumes},
               {"automountServiceAccountToken", false},
               {"enableServiceLinks", false},
               {"terminationGracePeriodSeconds", 1}};
  if (!init_containers.empty()) spec["initContainers"] = std::move(init_containers);
  if (!settings.service_account.empty()) spec["serviceAccountName"] = settings.service_account;
  if (!settings.scheduler.empty()) spec["schedulerName"] = settings.scheduler;
  return spec;
}

Json metadata(const std::string& name, DataKind owner_kind, const ObjectMeta& owner, const Json& labels) {
  Json meta = {{"name", name}, {"labels", labels}};
  if (owner.name_space.empty())
    meta["ownerReferences"] = {{{"apiVersion", data_api_version},
                                {"kind", kind_name(owner_kind)},
                                {"name", owner.name},
                                {"uid", owner.uid},
                                {"controller", true},
                                {"blockOwnerDeletion", false}}};
  return meta;
}

std::string job(Json meta, Json spec, std::int64_t seconds) {
  spec["restartPolicy"] = "Never";
  Json labels = meta["labels"];
  labels["app.kubernetes.io/managed-by"] = "lips";
  meta["labels"] = labels;
  // What nobody owns goes by itself.
  const bool owned = meta.contains("ownerReferences");
  Json result{{"apiVersion", "batch/v1"},
              {"kind", "Job"},
              {"metadata", std::move(meta)},
              {"spec",
               {{"backoffLimit", 0},
                {"completions", 1},
                {"parallelism", 1},
                {"activeDeadlineSeconds", seconds},
                {"template", {{"metadata", {{"labels", std::move(labels)}}}, {"spec", std::move(spec)}}}}}};
  if (!owned) result["spec"]["ttlSecondsAfterFinished"] = 300;
  return result.dump();
}

std::string pod(Json meta, Json spec) {
  spec["restartPolicy"] = "Always";
  meta["labels"]["app.kubernetes.io/managed-by"] = "lips";
  return Json{{"apiVersion", "v1"}, {"kind", "Pod"}, {"metadata", std::move(meta)}, {"spec", std::move(spec)}}.dump();
}

std::int64_t deadline_of(const std::vector<CarriedBlock>& blocks, const WorkSettings& settings) {
  std::int64_t bytes = 0;
  for (const CarriedBlock& block : blocks) bytes += block.from.size;
  std::int64_t speed = slowest_bytes_per_second;
  if (settings.bytes_per_second > 0) speed = std::min(speed, settings.bytes_per_second / 2 + 1);
  return longest_start + 3 * bytes / speed;  // copied, hashed, read back
}

std::string temporary_folder(const DataMoveResource& move) { return "lips-copies/moving/" + move.meta.object.uid; }

std::string flags(const WorkSettings& settings) {
  std::string result = "--low-level-retries 5 --contimeout 20s --timeout 2m";
  if (settings.bytes_per_second > 0) result += fmt::format(" --bwlimit {}B", settings.bytes_per_second);
  return result;
}

Json http_ready(int port) { return {{"tcpSocket", {{"port", port}}}, {"periodSeconds", 1}}; }

Json move_labels(const DataMoveResource& move, const char* role) {
  return {{move_label, move.meta.object.uid}, {role_label, role}};
}

// Object names hold 63 characters where they become labels: a uid has 36.
std::string short_name(const std::string& uid) { return "lips-" + uid; }

}  // namespace

std::string copy_job_name(const DataMoveResource& move, std::int32_t attempt) {
  return fmt::format("{}-copy-{}", short_name(move.meta.object.uid), attempt);
}
std::string delete_job_name(const DataMoveResource& move, bool clean, std::int32_t attempt) {
  return fmt::format("{}-{}-{}", short_name(move.meta.object.uid), clean ? "clean" : "drop", attempt);
}
std::string source_pod_name(const DataMoveResource& move) { return short_name(move.meta.object.uid) + "-source"; }
std::string serve_pod_name(const DataStoreResource& store) { return short_name(store.meta.object.uid) + "-serve"; }
// Another one for each look: of this generation, after the last discovery.
std::string list_job_name(const DataSetResource& set) {
  const TimePoint last = set.status.discovered.value_or(TimePoint());
  return fmt::format("{}-list-{}-{:x}", short_name(set.meta.object.uid).substr(0, 28), set.meta.generation,
                     static_cast<std::int64_t>(to_seconds(last)));
}
std::string purge_job_name(const DataSetResource& set, const DataStoreResource& store) {
  return "lips-purge-" + set.meta.object.uid.substr(0, 18) + '-' + store.meta.object.uid.substr(0, 18);
}
std::string jobs_path(const std::string& name_space) {
  return "/apis/batch/v1/namespaces/" + percent_encoded(name_space) + "/jobs";
}
std::string pods_path_of(const std::string& name_space) {
  return "/api/v1/namespaces/" + percent_encoded(name_space) + "/pods";
}

bool needs_source_pod(const DataStoreSpec& from, const DataStoreSpec& to) {
  if (from.kind == StoreKind::bucket || to.kind == StoreKind::bucket) return false;
  return from.kind != StoreKind::node_directory || to.kind != StoreKind::node_directory || from.node != to.node;
}

std::string source_pod_json(const CopyWork& work, const WorkSettings& settings) {
  const DataStoreSpec& from = work.from->spec;
  PodParts parts = with_scratch();
  mount_store(parts, from, "store", "/serve/data", true);
  parts.mount("sums", "/serve/sums", {{"emptyDir", Json::object()}});
  add_remote(parts, from, "source", "/serve/data");
  set_long(parts, block_lines(work.blocks));
  parts.set("LIPS_SERVED", "/serve");
  parts.set("LIPS_PORT", std::to_string(serve_port));
  // Only the Job of this move knows the uid.
  parts.set("RCLONE_USER", "lips");
  parts.set("RCLONE_PASS", work.move->meta.object.uid);
  Json server = container("serve", serve_script(), parts, settings);
  server["ports"] = {{{"containerPort", serve_port}}};
  server["readinessProbe"] = http_ready(serve_port);
  Json spec = pod_spec({container("sums", sums_script(), parts, settings)}, {server}, parts, settings);
  place(spec, from, work.from->spec.zone);
  return pod(metadata(source_pod_name(*work.move), DataKind::data_move, work.move->meta.object,
                      move_labels(*work.move, "source")),
             std::move(spec));
}

std::string copy_job_json(const CopyWork& work, const WorkSettings& settings) {
  const DataStoreSpec &from = work.from->spec, &to = work.to->spec;
  PodParts parts = with_scratch();
  if (to.kind != StoreKind::bucket) mount_store(parts, to, "target", "/target", false);
  add_remote(parts, to, "target", "/target");
  if (needs_source_pod(from, to)) {
    const std::string url =
        fmt::format("http://lips:{}@{}:{}", work.move->meta.object.uid, work.source_address, serve_port);
    parts.set("RCLONE_CONFIG_SOURCE_TYPE", "http");
    parts.set("RCLONE_CONFIG_SOURCE_URL", url + "/data/");
    parts.set("RCLONE_CONFIG_SUMS_TYPE", "http");
    parts.set("RCLONE_CONFIG_SUMS_URL", url + "/sums/");
    parts.set("LIPS_SUMS", "yes");
  } else {
    if (from.kind != StoreKind::bucket) mount_store(parts, from, "source", "/source", true);
    add_remote(parts, from, "source", "/source");
  }
  set_long(parts, block_lines(work.blocks));
  parts.set("LIPS_TEMPORARY", temporary_folder(*work.move));
  parts.set("LIPS_ATTEMPT", std::to_string(work.move->status.attempt));
  parts.set("LIPS_FLAGS", flags(settings));
  Json spec = pod_spec({container("copy", copy_script(), parts, settings)},
                       {container("verify", verify_script(), parts, settings)}, parts, settings);
  place(spec, to.kind == StoreKind::bucket ? from : to, to.zone);
  return job(metadata(copy_job_name(*work.move, work.move->status.attempt), DataKind::data_move, work.move->meta.object,
                      move_labels(*work.move, "copy")),
             std::move(spec), deadline_of(work.blocks, settings));
}

std::string delete_job_json(const DeleteWork& work, const WorkSettings& settings) {
  const DataStoreSpec& store = work.store->spec;
  PodParts parts = with_scratch();
  if (store.kind != StoreKind::bucket) mount_store(parts, store, "target", "/target", false);
  add_remote(parts, store, "target", "/target");
  std::string lines;
  for (const std::string& path : work.paths) lines += path + '\n';
  set_long(parts, lines);
  if (work.clean) parts.set("LIPS_TEMPORARY", temporary_folder(*work.move));
  Json spec = pod_spec(Json::array(), {container("delete", delete_script(), parts, settings)}, parts, settings);
  place(spec, store, store.zone);
  return job(metadata(delete_job_name(*work.move, work.clean, work.move->status.drop_attempt), DataKind::data_move,
                      work.move->meta.object, move_labels(*work.move, work.clean ? "clean" : "drop")),
             std::move(spec), longest_start);
}

std::string serve_pod_json(const DataStoreResource& store, const WorkSettings& settings) {
  PodParts parts = with_scratch();
  mount_store(parts, store.spec, "store", "/store", true);
  parts.set("LIPS_SERVED", "/store");
  parts.set("LIPS_PORT", std::to_string(serve_port));
  Json server = container("serve", serve_script(), parts, settings);
  server["ports"] = {{{"containerPort", serve_port}}};
  server["readinessProbe"] = http_ready(serve_port);
  Json spec = pod_spec(Json::array(), {server}, parts, settings);
  place(spec, store.spec, store.spec.zone);
  return pod(metadata(serve_pod_name(store), DataKind::data_store, store.meta.object,
                      {{store_label, store.meta.object.uid}, {role_label, "serve"}}),
             std::move(spec));
}

std::string list_job_json(const DataSetResource& set, const DataStoreResource& store, const WorkSettings& settings) {
  PodParts parts = with_scratch();
  if (store.spec.kind != StoreKind::bucket) mount_store(parts, store.spec, "target", "/target", true);
  add_remote(parts, store.spec, "target", "/target");
  parts.set("LIPS_PATH", set.spec.discover.path);
  parts.set("LIPS_INCLUDE", set.spec.discover.include);
  Json spec = pod_spec(Json::array(), {container("list", list_script(), parts, settings)}, parts, settings);
  place(spec, store.spec, store.spec.zone);
  return job(metadata(list_job_name(set), DataKind::data_set, set.meta.object,
                      {{data_set_label, set.meta.object.uid}, {role_label, "list"}}),
             std::move(spec), longest_start);
}

std::string fetch_job_json(const DataSetResource& set, const std::string& name, const std::vector<std::string>& urls,
                           const WorkSettings& settings) {
  PodParts parts = with_scratch();
  std::string lines;
  for (const std::string& url : urls) lines += url + '\n';
  set_long(parts, lines);
  Json spec = pod_spec(Json::array(), {container("fetch", fetch_script(), parts, settings)}, parts, settings);
  return job(metadata(name, DataKind::data_set, set.meta.object,
                      {{data_set_label, set.meta.object.uid}, {role_label, "list"}}),
             std::move(spec), longest_start);
}

std::string purge_job_json(const DataSetResource& set, const DataStoreResource& store, const WorkSettings& settings) {
  PodParts parts = with_scratch();
  if (store.spec.kind != StoreKind::bucket) mount_store(parts, store.spec, "target", "/target", false);
  add_remote(parts, store.spec, "target", "/target");
  set_long(parts, copies_folder(set) + '\n');
  Json spec = pod_spec(Json::array(), {container("delete", delete_script(), parts, settings)}, parts, settings);
  place(spec, store.spec, store.spec.zone);
  return job(metadata(purge_job_name(set, store), DataKind::data_set, set.meta.object,
                      {{data_set_label, set.meta.object.uid}, {role_label, "purge"}}),
             std::move(spec), longest_start);
}

}  // namespace lips::kubernetes
