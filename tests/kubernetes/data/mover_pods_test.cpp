// The rights of the mover's pods, and the words that they are told. Without rclone: MoveJobs runs their scripts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <map>

#include "config/operator_config.h"
#include "kubernetes/data/data_set_codec.h"
#include "kubernetes/data/move_jobs.h"
#include "kubernetes/data/move_scripts.h"
#include "kubernetes/data/mover_options.h"
#include "kubernetes/data/resource_codec.h"
#include "kubernetes/data/store_key.h"
#include "tests/kubernetes/data/job_runner.h"

namespace lips::kubernetes {
namespace {

using Json = nlohmann::json;
using testing::HasSubstr;
using testing::Pair;
using testing::UnorderedElementsAre;

class MoverPods : public testing::Test {
 protected:
  static DataStoreResource store(const std::string& kind) {
    return *decode_data_store(R"({"metadata":{"name":"s","uid":"store"},"spec":{"zone":"z",)" + kind + "}}");
  }
  const DataStoreResource node_ = store(R"("nodeDirectory":{"node":"n","path":"/srv"})");
  const DataStoreResource volume_ = store(R"("volume":{"claimName":"c"})");
  const DataStoreResource bucket_ = store(R"("bucket":{"name":"b"})");
  DataMoveResource move_ = *decode_data_move(R"({"metadata":{"name":"m","uid":"moved"},"spec":{}})");
  DataSetResource set_ = *decode_data_set(R"({"metadata":{"namespace":"etl","name":"books","uid":"set"},"spec":{}})");
  WorkSettings settings_{"lips", "image@sha256:0", "Always", "", "", 0, 1234, {0, 0.5, Mebibytes(64), Mebibytes(256)},
                         ""};

  std::vector<Json> pods() const {
    CopyWork to_node{&move_, &bucket_, &node_, {{0, {"a", 0, 10 << 20, true, ""}, {}}}, ""};
    CopyWork to_bucket{&move_, &volume_, &bucket_, {}, ""}, to_volume{&move_, &node_, &volume_, {}, "10.0.0.1"};
    CopyWork buckets{&move_, &bucket_, &bucket_, {}, ""};
    std::vector<Json> result;
    for (const CopyWork& work : {to_node, to_bucket, to_volume, buckets})
      result.push_back(Json::parse(copy_job_json(work, settings_)));
    for (const DataStoreResource* at : {&node_, &volume_, &bucket_}) {
      result.push_back(Json::parse(delete_job_json({&move_, at, false, {"x"}}, settings_)));
      result.push_back(Json::parse(list_job_json(set_, *at, settings_)));
      result.push_back(Json::parse(purge_job_json(set_, *at, settings_)));
      result.push_back(Json::parse(look_job_json(*at, "look", settings_)));
    }
    result.push_back(Json::parse(fetch_job_json(set_, "f", {"http://x"}, settings_)));
    result.push_back(Json::parse(serve_pod_json(node_, "serving-node", settings_)));
    result.push_back(Json::parse(serve_pod_json(volume_, "serving-volume", settings_)));
    result.push_back(Json::parse(source_pod_json(to_volume, settings_)));
    return result;
  }
  static Json spec_of(const Json& object) {
    return object["kind"] == "Pod" ? object["spec"] : object["spec"]["template"]["spec"];
  }
};

TEST_F(MoverPods, AreRootWhereTheyMountANodesDirectoryAlone) {
  int roots = 0;
  for (const Json& object : pods()) {
    const Json spec = spec_of(object);
    const bool of_a_node = spec["volumes"].dump().find("hostPath") != std::string::npos;
    const bool of_a_claim = spec["volumes"].dump().find("persistentVolumeClaim") != std::string::npos;
    roots += of_a_node;
    SCOPED_TRACE(object["metadata"]["name"].dump());
    EXPECT_EQ(spec.contains("securityContext"), !of_a_node);
    if (!of_a_node) {
      EXPECT_EQ(spec["securityContext"]["runAsUser"], 1234);
      EXPECT_EQ(spec["securityContext"].contains("fsGroup"), of_a_claim);
    }
    for (const char* kind : {"initContainers", "containers"})
      for (const Json& container : spec.value(kind, Json::array())) {
        const Json security = container["securityContext"];
        EXPECT_EQ(security["allowPrivilegeEscalation"], false);
        EXPECT_EQ(security["readOnlyRootFilesystem"], true);
        EXPECT_EQ(security["capabilities"]["drop"], Json({"ALL"}));
        EXPECT_EQ(security["seccompProfile"]["type"], "RuntimeDefault");
        EXPECT_EQ(security.value("runAsNonRoot", false), !of_a_node);
        EXPECT_EQ(security["capabilities"].contains("add"), of_a_node);
      }
    EXPECT_EQ(spec["automountServiceAccountToken"], false);
  }
  EXPECT_EQ(roots, 7);
}

TEST_F(MoverPods, HaveLimitsOfCpuMemoryAndScratch) {
  for (const Json& object : pods()) {
    const Json spec = spec_of(object);
    for (const char* kind : {"initContainers", "containers"})
      for (const Json& container : spec.value(kind, Json::array()))
        EXPECT_EQ(container["resources"],
                  Json::parse(
                      R"({"requests":{"cpu":"0m","memory":"67108864"},"limits":{"cpu":"500m","memory":"268435456"}})"));
    for (const Json& volume : spec["volumes"])
      if (volume.contains("emptyDir")) {
        EXPECT_GE(std::stoll(volume["emptyDir"]["sizeLimit"].get<std::string>()), 1 << 20);
      }
  }
  const Json copy = spec_of(pods()[0]);
  EXPECT_EQ(copy["volumes"][0]["emptyDir"]["sizeLimit"], std::to_string((512 << 20) + 2 * (10 << 20)))
      << "twice the largest block";
}

// PodSecretsTest.GiveNoPodTheKeyOfAllPasswords looks at the words in these Secrets.
TEST_F(MoverPods, HaveAPasswordFromASecretWhereTheyNeedOneAndNowhereElse) {
  std::map<std::string, std::string> found;  // role and container, the variables with their Secrets
  for (const Json& object : pods()) {
    const Json meta = object["kind"] == "Pod" ? object["metadata"] : object["spec"]["template"]["metadata"];
    const Json spec = spec_of(object);
    for (const Json& volume : spec["volumes"]) {
      EXPECT_FALSE(volume.contains("secret") || volume.contains("projected")) << volume;
    }
    for (const char* kind : {"initContainers", "containers"})
      for (const Json& container : spec.value(kind, Json::array()))
        for (const Json& variable : container["env"]) {
          const std::string name = variable["name"];
          const bool of_password = name == "RCLONE_PASS" || name.find("PASSWORD") != std::string::npos ||
                                   name.find("KEY") != std::string::npos;
          EXPECT_EQ(variable.contains("valueFrom"), of_password) << name << " of " << meta;
          if (variable.contains("valueFrom"))
            found[std::string(meta["labels"]["lips.dev/role"]) + ' ' + std::string(container["name"])] +=
                name + '=' + std::string(variable["valueFrom"]["secretKeyRef"]["name"]) + ' ';
        }
    EXPECT_FALSE(spec.contains("envFrom"));
  }
  EXPECT_THAT(found,
              UnorderedElementsAre(Pair("copy copy", "LIPS_PASSWORD=lips-moved-source "),
                                   Pair("source serve", "RCLONE_PASS=lips-moved-source "),
                                   Pair("serve serve", "LIPS_STORE_KEY=serving-node LIPS_STORE_KEY=serving-volume ")));
}

TEST_F(MoverPods, TakeWhatTheSettingsAddToTheirSpec) {
  settings_.pod_spec =
      R"({"nodeSelector":{"role":"data"},"imagePullSecrets":[{"name":"pull"}],"tolerations":[{"key":"data"}]})";
  for (const Json& object : pods()) {
    const Json spec = spec_of(object);
    EXPECT_EQ(spec["nodeSelector"]["role"], "data");
    EXPECT_EQ(spec["imagePullSecrets"][0]["name"], "pull");
    EXPECT_EQ(spec["tolerations"][0]["key"], "data");
    const bool of_a_node = spec["volumes"].dump().find("hostPath") != std::string::npos;
    const bool needs_some = of_a_node && !spec.contains("nodeName");
    EXPECT_EQ(spec["tolerations"].size(), needs_some ? 2u : 1u) << "beside a node's directory also what it needs";
    EXPECT_FALSE(spec["containers"].empty());
  }
  EXPECT_TRUE(check_pod_spec(""));
  EXPECT_TRUE(check_pod_spec(settings_.pod_spec));
  for (const char* bad : {"[]", "{", "nodeSelector: {}", "1"}) EXPECT_FALSE(check_pod_spec(bad)) << bad;
}

TEST_F(MoverPods, AreWhereAndWhatTheConfigurationSays) {
  const Result<OperatorConfig> config = parse_operator_config("test", R"(
apiVersion: config.lips.dev/v1alpha1
kind: OperatorConfig
moves: {namespace: movers, image: "registry.example/rclone:9", imagePullPolicy: Never, serviceAccount: carrier,
        bandwidth: 80MiB/s, perZonePair: 4}
)");
  ASSERT_TRUE(config) << config.error().message;
  settings_ = mover_options(config->moves).work;
  EXPECT_EQ(settings_.name_space, "movers");
  for (const Json& object : pods()) {
    const Json spec = spec_of(object);
    EXPECT_EQ(spec.value("serviceAccountName", ""), "carrier") << object["metadata"]["name"];
    for (const char* kind : {"initContainers", "containers"})
      for (const Json& container : spec.value(kind, Json::array())) {
        EXPECT_EQ(container.value("image", ""), "registry.example/rclone:9");
        EXPECT_EQ(container.value("imagePullPolicy", ""), "Never");
      }
  }
  EXPECT_THAT(pods()[0].dump(), HasSubstr("--bwlimit 20971520B")) << "four moves between two zones share the limit";
}

// Karpenter waits for pods that do not tolerate its taint, and evicts none with the annotation.
TEST_F(MoverPods, ThatCopyKeepTheirNodeUntilTheyAreDone) {
  int kept = 0;
  for (const Json& object : pods()) {
    const Json meta = object["kind"] == "Pod" ? object["metadata"] : object["spec"]["template"]["metadata"];
    const std::string role = meta["labels"]["lips.dev/role"];
    const Json spec = spec_of(object);
    SCOPED_TRACE(role);
    const bool copies = role == "copy" || role == "source";
    const bool of_a_node = spec["volumes"].dump().find("hostPath") != std::string::npos;
    EXPECT_EQ(meta.value("annotations", Json::object()).value("karpenter.sh/do-not-disrupt", ""), copies ? "true" : "");
    EXPECT_EQ(spec.value("nodeName", ""), copies && of_a_node ? node_.spec.node : "");
    EXPECT_EQ(spec.contains("tolerations"), of_a_node && !copies);
    kept += copies && of_a_node;
  }
  EXPECT_EQ(kept, 2) << "the pod that serves the source, and the one that writes to a node";
}

// The shell of the pods and the operator make the same passwords.
TEST_F(MoverPods, AdmitWhomTheOperatorGaveAPassword) {
  const StoreKey key("0123456789abcdef0123456789abcdef");
  const std::string folder = testing::TempDir() + "lips-admit-" + std::to_string(getpid());
  write_file(folder + "/admit", admit_script());
  const auto admitted = [&](const std::string& user, const std::string& password) {
    write_file(folder + "/request", Json{{"user", user}, {"pass", password}, {"client_ip", "10.0.0.1"}}.dump(1, '\t'));
    const std::string command = "LIPS_STORE_KEY=" + key.of_store("uid").text() + " LIPS_SERVED=/store sh " + folder +
                                "/admit < " + folder + "/request > " + folder + "/answer";
    const bool good = std::system(command.c_str()) == 0;
    return good ? Json::parse(read_file(folder + "/answer"))["_root"].get<std::string>() : "";
  };
  const auto with = [&](const std::string& sealed) {
    const std::size_t colon = sealed.find(':');
    return admitted(sealed.substr(0, colon), sealed.substr(colon + 1));
  };
  for (const char* path :
       {"", "etl", "etl/books", "a b/c\"d\\e", "lips-copies/etl/books/u1", "grün/%20+?&", "~~~?>?>?"})
    EXPECT_EQ(with(key.credentials("uid", path)), std::string("/store/") + path);
  EXPECT_EQ(with(key.credentials("other", "etl")), "");
  EXPECT_EQ(with(StoreKey("x").credentials("uid", "etl")), "");
  EXPECT_EQ(admitted("", ""), "");
  EXPECT_EQ(admitted("lips", key.of_store("uid").seal("lips")), "") << "no folder";
  EXPECT_EQ(admitted("folder-$(touch /tmp/x)", "x"), "");
  const std::string sealed = key.credentials("uid", "etl");
  EXPECT_EQ(admitted(folder_as_user("hr"), sealed.substr(sealed.find(':') + 1)), "") << "of another folder";
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace lips::kubernetes
