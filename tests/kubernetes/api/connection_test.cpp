#include "kubernetes/api/connection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace lips::kubernetes {
namespace {

using testing::HasSubstr;

class ConnectionFiles : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::path(testing::TempDir()) / (std::string("lips-connection-") + test->name());
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
    return (folder_ / name).string();
  }
  std::filesystem::path folder_;
};

using Kubeconfig = ConnectionFiles;
using ServiceAccount = ConnectionFiles;
using CredentialReading = ConnectionFiles;

std::string config(const std::string& cluster, const std::string& user) {
  return "apiVersion: v1\nkind: Config\nclusters:\n- name: c\n  cluster:\n    server: https://127.0.0.1:6443/\n" +
         cluster + "users:\n- name: u\n  user:\n" + user +
         "contexts:\n- {name: one, context: {cluster: c, user: u, namespace: lab}}\n- {name: other, context: {cluster: "
         "none, user: u}}\n"
         "current-context: one\n";
}

TEST_F(Kubeconfig, GivesTheCurrentContextsServerTokenAndAuthority) {
  write("ca.crt", "PEM");
  const auto file = write("config", config("    certificate-authority: ca.crt\n", "    token: secret\n"));
  const auto connection = connection_from_kubeconfig(file);
  ASSERT_TRUE(connection.has_value()) << connection.error().message;
  EXPECT_EQ(connection->server, "https://127.0.0.1:6443");
  EXPECT_EQ(connection->authority.file, (folder_ / "ca.crt").string());
  EXPECT_EQ(connection->token.text, "secret");
  EXPECT_EQ(connection->name_space, "lab");
}

TEST_F(Kubeconfig, DecodesCertificatesThatAreInIt) {
  const auto file =
      write("config", config("    certificate-authority-data: Q0E=\n",
                             "    client-certificate-data: Y2VydGlmaWNhdGU=\n    client-key-data: a2V5cw==\n"));
  const auto connection = connection_from_kubeconfig(file);
  ASSERT_TRUE(connection.has_value()) << connection.error().message;
  EXPECT_EQ(connection->authority.text, "CA");
  EXPECT_EQ(connection->certificate.text, "certificate");
  EXPECT_EQ(connection->key.text, "keys");
}

TEST_F(Kubeconfig, RefusesWhatItCannotHonourWithTheLine) {
  const auto refused = [&](const std::string& cluster, const std::string& user) {
    const auto connection = connection_from_kubeconfig(write("config", config(cluster, user)));
    return connection ? "" : connection.error().message;
  };
  EXPECT_THAT(refused("    insecure-skip-tls-verify: true\n", "    token: x\n"),
              HasSubstr(":7: insecure-skip-tls-verify"));
  EXPECT_THAT(refused("", "    exec: {command: aws}\n"), HasSubstr(":10: exec: is not supported; allowed: token"));
  EXPECT_THAT(refused("", "    client-certificate: c.crt\n"), HasSubstr("found one; allowed: both or none"));
  EXPECT_THAT(refused("    certificate-authority-data: '!'\n", "    token: x\n"), HasSubstr("not base64"));
  EXPECT_EQ(refused("    insecure-skip-tls-verify: false\n", "    token: x\n"), "");
}

TEST_F(Kubeconfig, SendsNoTokenInClearButToItself) {
  const auto refused = [&](const std::string& server, const std::string& user) {
    std::string text = config("", user);
    text.replace(text.find("https://127.0.0.1:6443/"), 23, server);
    const auto connection = connection_from_kubeconfig(write("config", text));
    return connection ? "" : connection.error().message;
  };
  for (const char* server : {"http://api.example:6443", "http://10.0.0.1", "http://127.0.0.1.evil.example:80",
                             "http://localhost.evil.example", "http://localhost@evil.example", "http://[::2]:80"})
    EXPECT_THAT(refused(server, "    token: x\n"),
                HasSubstr(std::string("server: found '") + server + "' for a user with a token"));
  EXPECT_THAT(refused("http://api.example", "    tokenFile: x\n"), HasSubstr("for a user with a token"));
  for (const char* server : {"http://localhost:8001", "http://127.0.0.1:8001", "http://127.1.2.3", "http://[::1]:80"})
    EXPECT_EQ(refused(server, "    token: x\n"), "") << server;
  EXPECT_EQ(refused("http://api.example", "    {}\n"), "") << "there is nothing to read";
}

TEST_F(Kubeconfig, HasListsCompressedUnlessTheServerIsHereOrItSaysOtherwise) {
  const auto compresses = [&](const std::string& server, const std::string& cluster) {
    std::string text = config(cluster, "    token: x\n");
    text.replace(text.find("https://127.0.0.1:6443/"), 23, server);
    const auto connection = connection_from_kubeconfig(write("config", text));
    EXPECT_TRUE(connection) << connection.error().message;
    return connection && connection->compresses_lists;
  };
  EXPECT_TRUE(compresses("https://api.example:6443", ""));
  EXPECT_TRUE(compresses("https://api.example:6443", "    disable-compression: false\n"));
  EXPECT_FALSE(compresses("https://api.example:6443", "    disable-compression: true\n"));
  EXPECT_FALSE(compresses("https://127.0.0.1:6443", ""));
  EXPECT_FALSE(compresses("https://[::1]:6443", ""));
}

TEST_F(Kubeconfig, SaysWhichNameIsMissing) {
  const auto file = write("config", config("", "    token: x\n"));
  EXPECT_THAT(connection_from_kubeconfig(file, "other").error().message,
              HasSubstr("clusters: found no entry with the name 'none'"));
  EXPECT_THAT(connection_from_kubeconfig(file, "absent").error().message,
              HasSubstr("contexts: found no entry with the name 'absent'"));
  EXPECT_FALSE(connection_from_kubeconfig((folder_ / "absent").string()).has_value());
}

TEST(Base64, DecodesEveryLength) {
  EXPECT_EQ(*decode_base64(""), "");
  EXPECT_EQ(*decode_base64("Zg=="), "f");
  EXPECT_EQ(*decode_base64("Zm8="), "fo");
  EXPECT_EQ(*decode_base64("Zm9v\nYmFy"), "foobar");
  EXPECT_EQ(*decode_base64("/+8A"), std::string("\xff\xef\x00", 3));
  for (const char* text : {"Z", "Zg=a", "Z*==", "Zg==="}) EXPECT_FALSE(decode_base64(text).has_value()) << text;
}

TEST_F(ServiceAccount, IsReadFromItsFolder) {
  write("token", "t1\n");
  write("ca.crt", "PEM");
  write("namespace", "lips-system\n");
  setenv("KUBERNETES_SERVICE_HOST", "10.0.0.1", 1);
  setenv("KUBERNETES_SERVICE_PORT", "443", 1);
  const auto connection = connection_in_cluster(folder_.string());
  setenv("KUBERNETES_SERVICE_HOST", "fd00::1", 1);
  const auto v6 = connection_in_cluster(folder_.string());
  unsetenv("KUBERNETES_SERVICE_HOST");
  unsetenv("KUBERNETES_SERVICE_PORT");
  ASSERT_TRUE(connection.has_value()) << connection.error().message;
  EXPECT_EQ(connection->server, "https://10.0.0.1:443");
  EXPECT_EQ(v6->server, "https://[fd00::1]:443");
  EXPECT_EQ(connection->name_space, "lips-system");
  EXPECT_EQ(connection_in_cluster(folder_.string()).error().code, ErrorCode::not_found);
}

TEST_F(CredentialReading, FollowsATokenThatRotates) {
  Connection connection;
  connection.token.file = write("token", "first\n");
  CredentialReader reader(connection, std::chrono::seconds(60));
  const CredentialReader::SteadyTime start{};
  EXPECT_EQ((*reader.read(start))->token, "first");
  write("token", "second\n");
  EXPECT_EQ((*reader.read(start + std::chrono::seconds(59)))->token, "first");
  EXPECT_EQ((*reader.read(start + std::chrono::seconds(60)))->token, "second");
  write("token", "third\n");
  reader.forget();
  EXPECT_EQ((*reader.read(start + std::chrono::seconds(61)))->token, "third");
}

TEST_F(CredentialReading, KeepsTheLastTokenWhileTheFileCannotBeRead) {
  Connection connection;
  connection.token.file = write("token", "first\n");
  CredentialReader reader(connection, std::chrono::seconds(60));
  const CredentialReader::SteadyTime start{};
  ASSERT_TRUE(reader.read(start).has_value());
  std::filesystem::remove(connection.token.file);
  EXPECT_EQ((*reader.read(start + std::chrono::seconds(100)))->token, "first");
  CredentialReader fresh(connection);
  EXPECT_THAT(fresh.read(start).error().message, HasSubstr("token: cannot be read"));
}

}  // namespace
}  // namespace lips::kubernetes
