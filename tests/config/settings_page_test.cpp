#include <gtest/gtest.h>

#include <regex>

#include "config/settings_reader.h"
#include "config/text_file.h"

namespace lips {
namespace {

TEST(SettingsPage, NamesEverySetting) {
  const Result<std::string> page = read_text_file(std::string(LIPS_SOURCE_DIR) + "/docs/scenarios.md");
  ASSERT_TRUE(page) << page.error().message;
  const std::size_t begin = page->find("\n## Settings\n");
  ASSERT_NE(begin, std::string::npos);
  const std::string table = page->substr(begin, page->find("\n## ", begin + 1) - begin);
  PolicySettings all;
  all.lips.waiting_price = 1;  // not written where the cluster decides, as the next
  all.lips.waiting_per_job = 0;
  const std::string settings = write_policy_settings(all);
  static const std::regex key(R"re("(\w+)":)re");
  std::size_t count = 0;
  for (std::sregex_iterator match(settings.begin(), settings.end(), key), end; match != end; ++match, ++count) {
    const std::regex named("\\| ([^|]*\\b)?" + (*match)[1].str() + "\\b[^|]*\\|");
    EXPECT_TRUE(std::regex_search(table, named)) << (*match)[1].str() << " has no row under Settings";
  }
  EXPECT_GE(count, 40u);
}

}  // namespace
}  // namespace lips
