// A running operator whose journal cannot be written for a while.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/cmd/program.h"

namespace lips::cmd_test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

class Page {
 public:
  explicit Page(const std::string& shown) : client_("127.0.0.1", port_of(shown)) {}
  std::string body(const char* path) {
    const auto answer = client_.Get(path);
    return answer && answer->status == 200 ? answer->body : "";
  }
  // The sum over the labels.
  double metric(const std::string& name) {
    const std::string text = '\n' + body("/metrics");
    double sum = 0;
    for (std::size_t at = text.find('\n' + name); at != std::string::npos; at = text.find('\n' + name, at + 1))
      sum += std::stod(text.substr(text.find(' ', at)));
    return sum;
  }

 private:
  httplib::Client client_;
};

TEST(FullDisk, DecisionsGoOnTheStateSaysItAndTheJournalGoesOnAfterwards) {
  const Folder own;
  const fs::path folder = own.file("journal"), away = own.file("away");
  bool failed = false, went_on = false, ready = false, well = false, wrote = false;
  const Said said = lips_interrupted(
      {"operator", "--cluster", "virtual:quickstart", "--speed", "60", "--api", "127.0.0.1:0", "--set",
       "server.listen=127.0.0.1:0", "journal.timeShare=1", "journal.directory=" + folder.string()},
      "msg=\"a virtual cluster\"", [&](const std::string& shown) {
        Page page(shown);
        const auto written = [&] { return page.metric("lips_journal_records_total{outcome=\"written\"}"); };
        ASSERT_TRUE(until([&] { return written() >= 1; }));
        fs::rename(folder, away);
        std::ofstream(folder.string()) << "no folder";
        failed = until([&] { return page.body("/readyz").find("degraded: journal: ") != std::string::npos; });
        const double plans = page.metric("lips_epochs_total");
        went_on = until([&] { return page.metric("lips_epochs_total") >= plans + 3; });
        ready = page.body("/readyz").starts_with("decides");
        fs::remove(folder);
        fs::rename(away, folder);
        well = until([&] { return page.body("/readyz").find("journal") == std::string::npos; });
        const double before = written();
        wrote = until([&] { return written() > before; });
      });
  EXPECT_TRUE(failed) << said.err;
  EXPECT_TRUE(went_on);
  EXPECT_TRUE(ready);
  EXPECT_TRUE(well);
  EXPECT_TRUE(wrote);
  EXPECT_EQ(said.status, 0) << said.err;
  const Said replayed = lips({"replay", folder.string()});
  EXPECT_EQ(replayed.status, 0) << replayed.err;
  EXPECT_GE(std::count(replayed.out.begin(), replayed.out.end(), '\n'), 3) << replayed.out;
}

}  // namespace
}  // namespace lips::cmd_test
