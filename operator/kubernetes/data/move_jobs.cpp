#include "kubernetes/data/move_jobs.h"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "kubernetes/api/api_client.h"
#include "kubernetes/data/move_scripts.h"
#include "kubernetes/data/owner_json.h"
#include "kubernetes/data/pod_secret_item.h"
#include "model/node_labels.h"

namespace lips::kubernetes {
namespace {

using Json = nlohmann::json;

constexpr std::int64_t slowest_bytes_per_second = 1 << 20;  // below, a Job counts as stuck
constexpr std::int64_t longest_start = 600;                 // seconds until the pod of a Job must run
constexpr std::size_t longest_value = 60'000;               // of an environment variable

// ---- containers and volumes ----

struct PodParts {
  Json env = Json::array(), mounts = Json::array(), volumes = Json::array();
  bool of_a_node = false, of_a_claim = false;  // what it mounts

  void set(const std::string& name, const std::string& value) { env.push_back({{"name", name}, {"value", value}}); }
  void set_from_secret(const std::string& name, const std::string& secret, const char* key) {
    env.push_back({{"name", name}, {"valueFrom", {{"secretKeyRef", {{"name", secret}, {"key", key}}}}}});
  }
  void mount(const std::string& name, const std::string& path, Json source, bool read_only = false) {
    mounts.push_back({{"name", name}, {"mountPath", path}, {"readOnly", read_only}});
    source["name"] = name;
    volumes.push_back(std::move(source));
  }
};

constexpr std::int64_t scratch_of_lists = 512 << 20;  // listings, answers, names of blocks

Json empty_dir(std::int64_t bytes) { return {{"emptyDir", {{"sizeLimit", std::to_string(bytes)}}}}; }

// `bytes` come on top of the space for descriptions of blocks.
PodParts with_scratch(std::int64_t bytes = 0) {
  PodParts parts;
  parts.mount("scratch", "/scratch", empty_dir(scratch_of_lists + bytes));
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
  parts.of_a_node |= store.kind == StoreKind::node_directory;
  parts.of_a_claim |= store.kind == StoreKind::zonal_volume;
  parts.mount(name, path, std::move(source), read_only);
}

enum class Remote : std::uint8_t { source, target };

// An rclone remote of that name whose root is the store's.
void add_remote(PodParts& parts, const DataStoreSpec& store, Remote remote, const std::string& mounted) {
  const std::string name = remote == Remote::source ? "source" : "target";
  const std::string upper = remote == Remote::source ? "SOURCE" : "TARGET";
  const std::string prefix = "RCLONE_CONFIG_" + upper;
  parts.set(prefix + "_TYPE", "alias");
  if (!is_bucket(store.kind)) {
    parts.set(prefix + "_REMOTE", mounted);
    parts.set("LIPS_" + upper + "_ROOT", mounted);
    return;
  }
  parts.set(prefix + "_REMOTE", name + "bucket:" + store.bucket + (store.prefix.empty() ? "" : '/' + store.prefix));
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
  parts.set_from_secret(bucket + "ACCESS_KEY_ID", store.secret, "accessKeyId");
  parts.set_from_secret(bucket + "SECRET_ACCESS_KEY", store.secret, "secretAccessKey");
}

// Splits the text after lines, so that no part is too long for the kernel. Drops the last line end.
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

// A quantity in thousandths, as cores are written.
std::string thousandths(double amount) { return fmt::format("{}m", std::llround(amount * 1000)); }
std::string whole_bytes(Mebibytes size) { return std::to_string(std::llround(size.value() * bytes_per_mebibyte)); }

// Writes requests of 0 too: they would default to the limits, and quotas require them.
Json resources_json(const WorkResources& resources) {
  Json json = {
      {"requests", {{"cpu", thousandths(resources.cpu_request)}, {"memory", whole_bytes(resources.memory_request)}}}};
  if (resources.cpu_limit > 0) json["limits"]["cpu"] = thousandths(resources.cpu_limit);
  if (resources.memory_limit.value() > 0) json["limits"]["memory"] = whole_bytes(resources.memory_limit);
  return json;
}

// Files in a node directory belong to various users; only root can read and delete them all.
Json security_of(const PodParts& parts) {
  Json security = {{"allowPrivilegeEscalation", false},
                   {"readOnlyRootFilesystem", true},
                   {"capabilities", {{"drop", {"ALL"}}}},
                   {"seccompProfile", {{"type", "RuntimeDefault"}}}};
  if (parts.of_a_node) {
    security["runAsUser"] = 0;
    security["capabilities"]["add"] = {"DAC_OVERRIDE"};
  } else {
    security["runAsNonRoot"] = true;
  }
  return security;
}

Json container(const std::string& name, const std::string& script, const PodParts& parts,
               const WorkSettings& settings) {
  return {{"name", name},
          {"image", settings.image},
          {"imagePullPolicy", settings.pull_policy},
          {"command", {"sh", "-c", script}},
          {"env", parts.env},
          {"volumeMounts", parts.mounts},
          {"resources", resources_json(settings.resources)},
          {"terminationMessagePolicy", "FallbackToLogsOnError"},
          {"securityContext", security_of(parts)}};
}

// Places the pod on the node of a node directory; otherwise, if possible, in the zone where bytes are cheap.
void place(Json& spec, const DataStoreSpec& at_hand, const std::string& zone) {
  if (at_hand.kind == StoreKind::node_directory) {
    spec["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"] = {
        {{"matchFields", {{{"key", "metadata.name"}, {"operator", "In"}, {"values", {at_hand.node}}}}}}};
    spec["tolerations"] = {{{"operator", "Exists"}, {"effect", "NoSchedule"}}};
  } else if (is_bucket(at_hand.kind)) {
    spec["affinity"]["nodeAffinity"]["preferredDuringSchedulingIgnoredDuringExecution"] = {
        {{"weight", 100},
         {"preference",
          {{"matchExpressions", {{{"key", node_label::zone}, {"operator", "In"}, {"values", {zone}}}}}}}}};
  }
}

// Places a pod that copies. On the node of a directory by the node's name: it passes no scheduler, so that it needs to
// tolerate no taint. For pods that tolerate its taint Karpenter does not wait when it ends a node.
void place_copying(Json& spec, const DataStoreSpec& at_hand, const std::string& zone) {
  if (at_hand.kind == StoreKind::node_directory)
    spec["nodeName"] = at_hand.node;
  else
    place(spec, at_hand, zone);
}

// Nor is it evicted.
void keep_until_done(Json& meta) { meta["annotations"][do_not_disrupt_annotation] = "true"; }

Json pod_spec(Json init_containers, Json containers, const PodParts& parts, const WorkSettings& settings) {
  Json spec = {{"containers", std::move(containers)},
               {"volumes", parts.volumes},
               {"automountServiceAccountToken", false},
               {"enableServiceLinks", false},
               {"terminationGracePeriodSeconds", 1}};
  if (!init_containers.empty()) spec["initContainers"] = std::move(init_containers);
  if (!settings.service_account.empty()) spec["serviceAccountName"] = settings.service_account;
  if (!settings.scheduler.empty()) spec["schedulerName"] = settings.scheduler;
  if (settings.run_as_user >= 0 && !parts.of_a_node) {
    spec["securityContext"] = {{"runAsUser", settings.run_as_user}, {"runAsGroup", settings.run_as_user}};
    // Files of a volume belong to the group of the pods that mount it.
    if (parts.of_a_claim) {
      spec["securityContext"]["fsGroup"] = settings.run_as_user;
      spec["securityContext"]["fsGroupChangePolicy"] = "OnRootMismatch";
    }
  }
  return spec;
}

// Adds tolerations to those that the pod needs; all other settings override it.
void merge_pod_spec(Json& spec, const WorkSettings& settings) {
  Json more = Json::parse(settings.pod_spec, nullptr, false);
  if (!more.is_object()) return;
  if (more.contains("tolerations") && spec.contains("tolerations"))
    for (const Json& each : spec["tolerations"]) more["tolerations"].push_back(each);
  spec.merge_patch(more);
}

std::string job(Json meta, Json spec, std::int64_t seconds, const WorkSettings& settings) {
  merge_pod_spec(spec, settings);
  spec["restartPolicy"] = "Never";
  Json labels = meta["labels"];
  labels["app.kubernetes.io/managed-by"] = "lips";
  meta["labels"] = labels;
  Json of_pods = meta.value("annotations", Json());
  // A Job without an owner deletes itself.
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
  if (of_pods.is_object()) result["spec"]["template"]["metadata"]["annotations"] = std::move(of_pods);
  if (!owned) result["spec"]["ttlSecondsAfterFinished"] = 300;
  return result.dump();
}

std::string pod(Json meta, Json spec, const WorkSettings& settings) {
  merge_pod_spec(spec, settings);
  spec["restartPolicy"] = "Always";
  meta["labels"]["app.kubernetes.io/managed-by"] = "lips";
  return Json{{"apiVersion", "v1"}, {"kind", "Pod"}, {"metadata", std::move(meta)}, {"spec", std::move(spec)}}.dump();
}

std::int64_t deadline_of(const std::vector<CarriedBlock>& blocks, const WorkSettings& settings) {
  std::int64_t bytes = 0;
  for (const CarriedBlock& block : blocks) bytes += block.from.size;
  return longest_copy(bytes, settings).count();
}

// Parts of files and blocks that are read back pass through the scratch folder, one at a time.
std::int64_t scratch_of(const std::vector<CarriedBlock>& blocks) {
  std::int64_t largest = 0;
  for (const CarriedBlock& block : blocks) largest = std::max(largest, block.from.size);
  return 2 * largest;
}

std::string temporary_folder(const DataMoveResource& move) { return "lips-copies/moving/" + move.meta.object.uid; }

std::string flags(const WorkSettings& settings) {
  std::string result = "--low-level-retries 5 --contimeout 20s --timeout 2m";
  if (settings.bytes_per_second > 0) result += fmt::format(" --bwlimit {}B", settings.bytes_per_second);
  return result;
}

Json http_ready(int port) { return {{"tcpSocket", {{"port", port}}}, {"periodSeconds", 1}}; }

Json move_labels(const DataMoveResource& move, WorkRole role) {
  return {{move_label, move.meta.object.uid}, {role_label, to_string(role)}};
}

// Names that become labels may have 63 characters; a uid has 36.
std::string short_name(const std::string& uid) { return "lips-" + uid; }

}  // namespace

Result<void> check_pod_spec(const std::string& text) {
  if (text.empty() || Json::parse(text, nullptr, false).is_object()) return {};
  return fail(
      ErrorCode::invalid_input,
      fmt::format(
          "moves.podSpec: found '{}'; allowed: a JSON object, such as {{\"nodeSelector\":{{\"role\":\"data\"}}}}",
          text.substr(0, 60)));
}

std::string copy_job_name(const DataMoveResource& move, std::int32_t attempt) {
  return fmt::format("{}-copy-{}", short_name(move.meta.object.uid), attempt);
}
std::string delete_job_name(const DataMoveResource& move, bool clean, std::int32_t attempt) {
  return fmt::format("{}-{}-{}", short_name(move.meta.object.uid), clean ? "clean" : "drop", attempt);
}
std::string source_pod_name(const DataMoveResource& move) { return short_name(move.meta.object.uid) + "-source"; }
// A new name for each look: from this generation and the last discovery.
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
  if (is_bucket(from.kind) || is_bucket(to.kind)) return false;
  return from.kind != StoreKind::node_directory || to.kind != StoreKind::node_directory || from.node != to.node;
}

std::string source_pod_json(const CopyWork& work, const WorkSettings& settings) {
  const DataStoreSpec& from = work.from->spec;
  PodParts parts = with_scratch(scratch_of(work.blocks));
  mount_store(parts, from, "store", "/serve/data", true);
  parts.mount("sums", "/serve/sums", empty_dir(scratch_of_lists));
  add_remote(parts, from, Remote::source, "/serve/data");
  set_long(parts, block_lines(work.blocks));
  const Json sums = container("sums", sums_script(), parts, settings);
  parts.set("LIPS_SERVED", "/serve");
  parts.set("LIPS_PORT", std::to_string(serve_port));
  parts.set("RCLONE_USER", "lips");
  parts.set_from_secret("RCLONE_PASS", source_pod_name(*work.move), pod_secret_item);
  Json server = container("serve", serve_source_script(), parts, settings);
  server["ports"] = {{{"containerPort", serve_port}}};
  server["readinessProbe"] = http_ready(serve_port);
  Json spec = pod_spec({sums}, {server}, parts, settings);
  place_copying(spec, from, work.from->spec.zone);
  Json meta = owned_metadata(source_pod_name(*work.move), DataKind::data_move, work.move->meta.object,
                             move_labels(*work.move, WorkRole::source));
  keep_until_done(meta);
  return pod(std::move(meta), std::move(spec), settings);
}

std::string copy_job_json(const CopyWork& work, const WorkSettings& settings) {
  const DataStoreSpec &from = work.from->spec, &to = work.to->spec;
  PodParts parts = with_scratch(scratch_of(work.blocks));
  if (!is_bucket(to.kind)) mount_store(parts, to, "target", "/target", false);
  add_remote(parts, to, Remote::target, "/target");
  const bool beside = needs_source_pod(from, to);
  if (beside) {
    const bool v6 = work.source_address.find(':') != std::string::npos;
    parts.set("LIPS_SOURCE",
              fmt::format("{}:{}", v6 ? '[' + work.source_address + ']' : work.source_address, serve_port));
    parts.set("RCLONE_CONFIG_SOURCE_TYPE", "http");
    parts.set("RCLONE_CONFIG_SUMS_TYPE", "http");
    parts.set("LIPS_SUMS", "yes");
  } else {
    if (!is_bucket(from.kind)) mount_store(parts, from, "source", "/source", true);
    add_remote(parts, from, Remote::source, "/source");
  }
  set_long(parts, block_lines(work.blocks));
  parts.set("LIPS_TEMPORARY", temporary_folder(*work.move));
  parts.set("LIPS_ATTEMPT", std::to_string(work.move->status.attempt));
  parts.set("LIPS_FLAGS", flags(settings));
  const Json verify = container("verify", verify_script(), parts, settings);  // reads the target alone
  if (beside) parts.set_from_secret("LIPS_PASSWORD", source_pod_name(*work.move), pod_secret_item);
  Json spec = pod_spec({container("copy", copy_script(), parts, settings)}, {verify}, parts, settings);
  place_copying(spec, is_bucket(to.kind) ? from : to, to.zone);
  Json meta = owned_metadata(copy_job_name(*work.move, work.move->status.attempt), DataKind::data_move,
                             work.move->meta.object, move_labels(*work.move, WorkRole::copy));
  keep_until_done(meta);
  return job(std::move(meta), std::move(spec), deadline_of(work.blocks, settings), settings);
}

std::string delete_job_json(const DeleteWork& work, const WorkSettings& settings) {
  const DataStoreSpec& store = work.store->spec;
  PodParts parts = with_scratch();
  if (!is_bucket(store.kind)) mount_store(parts, store, "target", "/target", false);
  add_remote(parts, store, Remote::target, "/target");
  std::map<std::string, std::string> proofs;  // by path: a file and the number of its byte that has to be there
  std::string lines;
  for (const CarriedBlock& block : work.blocks) {
    if (!work.from || block.from.size == 0) continue;
    const std::string proof = fmt::format("\t{}\t{}", block.from.path, block.from.offset + block.from.size - 1);
    if (work.clean)
      proofs[block.to.path] = proof;
    else
      lines += '.' + proof + '\n';
  }
  for (const std::string& path : work.paths) lines += path + proofs[path] + '\n';
  set_long(parts, lines);
  if (work.clean) parts.set("LIPS_TEMPORARY", temporary_folder(*work.move));
  if (work.from) {
    if (!is_bucket(work.from->spec.kind)) mount_store(parts, work.from->spec, "source", "/source", true);
    add_remote(parts, work.from->spec, Remote::source, "/source");
  }
  Json spec = pod_spec(Json::array(), {container("delete", delete_script(), parts, settings)}, parts, settings);
  place(spec, work.from && is_bucket(store.kind) ? work.from->spec : store, store.zone);
  return job(
      owned_metadata(delete_job_name(*work.move, work.clean, work.move->status.drop_attempt), DataKind::data_move,
                     work.move->meta.object, move_labels(*work.move, work.clean ? WorkRole::clean : WorkRole::drop)),
      std::move(spec), longest_start, settings);
}

std::string serve_pod_json(const DataStoreResource& store, const std::string& name, const WorkSettings& settings) {
  PodParts parts = with_scratch();
  mount_store(parts, store.spec, "store", "/store", true);
  parts.set("LIPS_SERVED", "/store");
  parts.set("LIPS_PORT", std::to_string(serve_port));
  parts.set_from_secret("LIPS_STORE_KEY", name, pod_secret_item);
  Json server = container("serve", serve_script(), parts, settings);
  server["ports"] = {{{"containerPort", serve_port}}};
  server["readinessProbe"] = http_ready(serve_port);
  Json spec = pod_spec(Json::array(), {server}, parts, settings);
  place(spec, store.spec, store.spec.zone);
  return pod(owned_metadata(name, DataKind::data_store, store.meta.object,
                            {{store_label, store.meta.object.uid}, {role_label, to_string(WorkRole::serve)}}),
             std::move(spec), settings);
}

std::string list_job_json(const DataSetResource& set, const DataStoreResource& store, const WorkSettings& settings) {
  PodParts parts = with_scratch();
  if (!is_bucket(store.spec.kind)) mount_store(parts, store.spec, "target", "/target", true);
  add_remote(parts, store.spec, Remote::target, "/target");
  // With Dot, which is usual, rclone leaves out keys with a part "." or ".." without a word.
  if (is_bucket(store.spec.kind)) parts.set("RCLONE_CONFIG_TARGETBUCKET_ENCODING", "Slash,InvalidUtf8");
  parts.set("LIPS_PATH", set.spec.discover.path);
  parts.set("LIPS_INCLUDE", set.spec.discover.include);
  Json spec = pod_spec(Json::array(), {container("list", list_script(), parts, settings)}, parts, settings);
  place(spec, store.spec, store.spec.zone);
  return job(owned_metadata(list_job_name(set), DataKind::data_set, set.meta.object,
                            {{data_set_label, set.meta.object.uid}, {role_label, to_string(WorkRole::list)}}),
             std::move(spec), longest_start, settings);
}

std::string fetch_job_json(const DataSetResource& set, const std::string& name, const std::vector<std::string>& urls,
                           const WorkSettings& settings) {
  PodParts parts = with_scratch();
  std::string lines;
  for (const std::string& url : urls) lines += url + '\n';
  set_long(parts, lines);
  Json fetch = container("fetch", fetch_script(), parts, settings);
  fetch["terminationMessagePolicy"] = "File";  // its log holds answers of services
  Json spec = pod_spec(Json::array(), {fetch}, parts, settings);
  return job(owned_metadata(name, DataKind::data_set, set.meta.object,
                            {{data_set_label, set.meta.object.uid}, {role_label, to_string(WorkRole::list)}}),
             std::move(spec), longest_start, settings);
}

std::string look_job_json(const DataStoreResource& store, const std::string& name, const WorkSettings& settings) {
  PodParts parts = with_scratch();
  if (!is_bucket(store.spec.kind)) mount_store(parts, store.spec, "target", "/target", true);
  add_remote(parts, store.spec, Remote::target, "/target");
  Json spec = pod_spec(Json::array(), {container("look", look_script(), parts, settings)}, parts, settings);
  place(spec, store.spec, store.spec.zone);
  return job(owned_metadata(name, DataKind::data_store, store.meta.object,
                            {{store_label, store.meta.object.uid}, {role_label, to_string(WorkRole::look)}}),
             std::move(spec), longest_start, settings);
}

std::string purge_job_json(const DataSetResource& set, const DataStoreResource& store, const WorkSettings& settings) {
  PodParts parts = with_scratch();
  if (!is_bucket(store.spec.kind)) mount_store(parts, store.spec, "target", "/target", false);
  add_remote(parts, store.spec, Remote::target, "/target");
  set_long(parts, copies_folder(set) + '\n');
  parts.set("LIPS_FOLDERS", "yes");
  Json spec = pod_spec(Json::array(), {container("delete", delete_script(), parts, settings)}, parts, settings);
  place(spec, store.spec, store.spec.zone);
  return job(owned_metadata(purge_job_name(set, store), DataKind::data_set, set.meta.object,
                            {{data_set_label, set.meta.object.uid}, {role_label, to_string(WorkRole::purge)}}),
             std::move(spec), longest_start, settings);
}

// A copy, its hash, and what is read back.
std::chrono::seconds longest_copy(std::int64_t bytes, const WorkSettings& settings) {
  std::int64_t speed = slowest_bytes_per_second;
  if (settings.bytes_per_second > 0) speed = std::min(speed, settings.bytes_per_second / 2 + 1);
  return std::chrono::seconds(longest_start + 3 * (bytes / speed));
}

}  // namespace lips::kubernetes
