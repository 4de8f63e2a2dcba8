// The operator lends nobody its network or another's name when it looks at HDFS.
#include "kubernetes/data/hdfs_access.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "base/random.h"
#include "kubernetes/data/access.h"
#include "kubernetes/data/data_set_codec.h"
#include "tests/kubernetes/data/books.h"

namespace lips::kubernetes {
namespace {

using testing::HasSubstr;
using Names = std::vector<std::string>;

DiscoveryRequest asked(const std::string& path, const std::string& user = "",
                       const std::string& url = "http://nn:9870") {
  DiscoveryRequest request;
  request.source = DiscoveryRequest::Source::hdfs;
  request.url = url, request.path = path, request.user = user;
  return request;
}
NameNode plain(const std::string& url) { return {url, {}, {}, ""}; }

TEST(HdfsAccess, AsksListedAddressesAndNoOthers) {
  TenantRules rules;
  const auto why = [&](const std::string& url) {
    return foreign_discovery(
        set_of(R"({"discover":{"hdfs":{"url":")" + url + R"(","path":"/user/etl/in","hosts":[]}}})"), {}, rules);
  };
  EXPECT_THAT(why("http://nn:9870"), HasSubstr("data.discoverFrom")) << "by default none";
  rules.discover_from = {plain("http://nn:9870"), plain("https://gateway/hdfs")};
  for (const char* good : {"http://nn:9870", "http://nn:9870/", "http://nn:9870//", "https://gateway/hdfs"})
    EXPECT_EQ(why(good), "") << good;
  for (const char* bad : {"http://nn:98701", "http://nn:9870@169.254.169.254", "http://nn", "https://gateway/hdfsx",
                          "https://gateway/", "https://gateway/hdfs/a", "http://nn:9870/webhdfs/v1/hr",
                          "http://nn:9870/?op=LISTSTATUS&x=", "http://nn:9870/#", "http://169.254.169.254/latest",
                          "HTTP://nn:9870", "http://nn:9870/\\nhttp://169.254.169.254", "", "http://nn:9870/\\\",x\\\"",
                          "http://nn:9870/a b", "http://nn:9870/\\u007f"})
    EXPECT_THAT(why(bad), HasSubstr("spec.discover.hdfs.url: found '")) << bad;
}

TEST(HdfsAccess, APlainAddressAllowsEachNamespaceItsHomeAsNobody) {
  const std::vector<NameNode> nodes{plain("http://nn:9870")};
  for (const char* own : {"/user/etl", "/user/etl/", "/user/etl/in/day=1", "//user/etl/a+b%20;&?"})
    EXPECT_EQ(foreign_hdfs(asked(own), "etl", nodes), "") << own;
  for (const char* foreign : {"/", "", "/user", "/user/hr", "/user/etlx", "/user/et", "/etl", "/data", "user/ETL"})
    EXPECT_THAT(foreign_hdfs(asked(foreign), "etl", nodes),
                HasSubstr("in namespace etl; allowed there under data.discoverFrom of the operator's configuration: "
                          "/user/etl and what is below"))
        << foreign;
  for (const char* user : {"hdfs", "etl"})
    EXPECT_THAT(foreign_hdfs(asked("/user/etl", user), "etl", nodes),
                HasSubstr("spec.discover.hdfs.user: found '" + std::string(user) + "' in namespace etl; allowed"));
}

TEST(HdfsAccess, AnEntryAllowsItsNamespacesFoldersAndUserTogether) {
  const std::string url = "http://nn:9870";
  const std::vector<NameNode> nodes{{url, {"etl"}, {"/warehouse", "/logs/"}, "spark"},
                                    {url, {"hr", "pay"}, {"/people"}, "hr"},
                                    {url, {"admin"}, {}, "hdfs"},
                                    {url, {"*"}, {"/public"}, ""},
                                    {"http://other:9870", {"*"}, {}, ""}};
  const auto may = [&](const char* name_space, const char* path, const char* user) {
    return foreign_hdfs(asked(path, user), name_space, nodes).empty();
  };
  EXPECT_TRUE(may("etl", "/warehouse/events", "spark"));
  EXPECT_TRUE(may("etl", "/logs", ""));
  EXPECT_TRUE(may("etl", "/public/maps", ""));
  EXPECT_FALSE(may("etl", "/public/maps", "spark")) << "another entry";
  EXPECT_FALSE(may("etl", "/warehouse", "hr"));
  EXPECT_FALSE(may("etl", "/warehouses", "spark"));
  EXPECT_FALSE(may("etl", "/people", ""));
  EXPECT_FALSE(may("etl", "/user/etl", "")) << "no entry is plain";
  EXPECT_TRUE(may("pay", "/people/salaries", "hr"));
  EXPECT_FALSE(may("pay", "/people/salaries", "spark"));
  EXPECT_TRUE(may("admin", "/", "hdfs"));
  EXPECT_TRUE(may("admin", "/people", "hdfs"));
  EXPECT_FALSE(may("anybody", "/people", ""));
  EXPECT_EQ(foreign_hdfs(asked("/people", "", "http://other:9870"), "anybody", nodes), "");
  EXPECT_THAT(foreign_hdfs(asked("/x"), "etl", {nodes[1]}),
              HasSubstr("in namespace etl; allowed: the namespaces that"));
  EXPECT_THAT(foreign_hdfs(asked("/warehouse", "hdfs"), "etl", nodes), HasSubstr("found 'hdfs' in namespace etl"));
  EXPECT_THAT(foreign_hdfs(asked("/warehouse", "hdfs"), "etl", nodes), HasSubstr("none or 'spark'"));
}

TEST(HdfsAccess, RefusesPathsThatSomeReaderTakesForOthers) {
  const std::vector<NameNode> nodes{{"http://nn:9870", {"etl"}, {"/data"}, ""}};
  for (const char* path : {"/data/..",
                           "/data/../hr",
                           "/data/a/../../hr",
                           "/data/./a",
                           "/data/.",
                           "/..",
                           "/data//a",
                           "/data/a//..",
                           "/data/%2e%2e/hr",
                           "/data/%2E./hr",
                           "/data/.%2e",
                           "/data/%252e%252e/hr",
                           "/data/%25252E%25252e/hr",
                           "/data/%2f",
                           "/data/a%2F..%2fb",
                           "/data/..;x/hr",
                           "/data/..%3bx=1/hr",
                           "/data/.%3B/hr",
                           "/data/%c0%ae%c0%ae/hr",
                           "/data/%C1%9c",
                           "/data/\n/x",
                           "/data/%0a/x",
                           "/data/%00",
                           "/data/\x7f",
                           "%2fdata",
                           "/data%2f..",
                           "/%64ata/../.."})
    EXPECT_THAT(foreign_hdfs(asked(path), "etl", nodes), HasSubstr("spec.discover.hdfs.path: found '")) << path;
  for (const char* path : {"/database", "/data%2e", "/%64ata", "/Data", "/dat", "/data%20", "/data;x/a", "/hr/data"})
    EXPECT_NE(foreign_hdfs(asked(path), "etl", nodes), "") << path;
  for (const char* path : {"/data", "/data/", "//data", "/data/...", "/data/.hidden", "/data/a..b",
                           "/data/ts=1 00%3A00", "/data/100%", "/data/a;b", "/data/%zz", "/data/gr\xC3\xBCn"})
    EXPECT_EQ(foreign_hdfs(asked(path), "etl", nodes), "") << path;
}

// ---- an independent reading: where servers between the operator and HDFS may end up ----

std::string read_once(const std::string& text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::string digits = text.substr(std::min(i + 1, text.size()), 2);
    const bool code =
        text[i] == '%' && digits.size() == 2 && digits.find_first_not_of("0123456789abcdefABCDEF") == std::string::npos;
    result += code ? static_cast<char>(std::stoi(digits, nullptr, 16)) : text[i];
    i += code ? 2 : 0;
  }
  return result;
}

struct Reader {
  int times = 0;            // that %XX are read
  bool parameters = false;  // it leaves out what stands behind ";"
  bool overlong = false;    // it takes C0 AE for a full stop and C0 AF for a slash
};

// The folder or file at which a reader arrives, as on a file system.
Names arrival(std::string path, const Reader& reader) {
  for (int i = 0; i < reader.times; ++i) path = read_once(path);
  if (reader.overlong)
    for (const auto& [from, to] : {std::pair("\xC0\xAE", "."), std::pair("\xC0\xAF", "/")})
      for (std::size_t at = path.find(from); at != std::string::npos; at = path.find(from)) path.replace(at, 2, to);
  Names place;
  std::string name;
  for (const char c : path + '/') {
    if (c != '/') {
      name += c;
      continue;
    }
    if (reader.parameters) name = name.substr(0, name.find(';'));
    if (name == ".." && !place.empty()) place.pop_back();
    if (name != ".." && name != "." && !name.empty()) place.push_back(name);
    name.clear();
  }
  return place;
}

TEST(HdfsAccess, LetsNobodyOutOfTheAllowedFoldersHoweverAPathIsRead) {
  constexpr std::uint64_t seed = 44;
  SCOPED_TRACE("seed " + std::to_string(seed));
  Random random(seed);
  const auto one_of = [&](const Names& all) { return all[static_cast<std::size_t>(random.below(all.size()))]; };
  const Names pieces{"/",    "/",  "/",   "//",    ".",   "..",  "%2e", "%2E", "%2f",   "%252e",   "%252F",  "%25",
                     "data", "da", "ta",  "base",  "%64", "hr",  "a b", ";x",  "%3b",   "%c0%ae",  "%C0%AF", "%",
                     "2e",   "2f", "etl", "user/", "x",   "...", "%41", "\t",  "data/", "data%2f", "..;a/",  "/../"};
  const Names clean{"a", "data", "a b", "100%", "x%3Ay", "a;b", "...", ".hidden", "a%20b", "%zz", "day=1"};
  const Names folders{"/data", "/data/etl", "/", "/a b", "/data base/", "/x%3Ay", "/hr/data"};
  std::vector<Reader> readers;
  for (int times = 0; times <= 3; ++times)
    for (const bool parameters : {false, true})
      for (const bool overlong : {false, true}) readers.push_back({times, parameters, overlong});
  int allowed = 0, refused = 0;
  for (int i = 0; i < 40'000; ++i) {
    NameNode node{"http://nn:9870", {"etl"}, {one_of(folders)}, ""};
    if (random.below(2) == 0) node.paths.push_back(one_of(folders));
    if (random.below(5) == 0) node.name_spaces.clear(), node.paths.clear();
    const Names own = node.paths.empty() ? Names{"/user/etl"} : node.paths;
    const bool honest = random.below(4) == 0;
    std::string path = random.below(3) == 0 ? "/" : one_of(own);
    if (honest) {
      path = one_of(own);
      while (path.ends_with('/')) path.pop_back();
      for (auto left = random.below(4); left > 0; --left) path += '/' + one_of(clean);
      if (path.empty()) path = "/";
    } else {
      for (auto left = random.below(8); left > 0; --left) path += one_of(pieces);
    }
    const std::string why = foreign_hdfs(asked(path), "etl", {node});
    if (honest) {
      EXPECT_EQ(why, "") << path;
    }
    if (!why.empty()) {
      ++refused;
      continue;
    }
    ++allowed;
    for (const Reader& reader : readers) {
      const Names place = arrival(path, reader);
      const bool inside = std::any_of(own.begin(), own.end(), [&](const std::string& folder) {
        const Names root = arrival(folder, reader);
        return place.size() >= root.size() && std::equal(root.begin(), root.end(), place.begin());
      });
      ASSERT_TRUE(inside) << path << " of " << own[0] << ", read " << reader.times << " times, is outside";
    }
  }
  EXPECT_GT(allowed, 5'000);
  EXPECT_GT(refused, 5'000);
}

}  // namespace
}  // namespace lips::kubernetes
