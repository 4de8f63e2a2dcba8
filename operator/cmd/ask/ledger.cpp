#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

#include "cmd/ask/source.h"
#include "cmd/ask/table.h"
#include "cmd/cli/command.h"
#include "cmd/cli/output_format.h"
#include "cmd/cli/today.h"
#include "telemetry/page/numbers.h"

namespace lips::cmd {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view about = R"(
Dollars by use, in UTC days. predicted and counted are of the tasks that finished: when they were bound, and when they ended. spent is all
that was counted up to now, by term: also of tasks that run still, failed or were lost; data is moves and storage of copies (pool _data).
The last 31 days are kept, and of each day the 500 dearest jobs at least; `(other jobs)` are the rest of a pool.
)";

enum class LedgerRows : std::uint8_t { job, pool, day };
constexpr std::string_view to_string(LedgerRows by) {
  constexpr EnumArray<LedgerRows, std::string_view> names{"job", "pool", "day"};
  return names[by];
}

// By day, and the dearest of a day first.
std::vector<JobDay> in_rows(const std::vector<JobDay>& ledger, LedgerRows by) {
  std::map<std::tuple<std::int64_t, std::string, std::string>, JobDollars> sums;
  for (const JobDay& job : ledger)
    sums[{by == LedgerRows::pool ? 0 : job.day, by == LedgerRows::day ? "" : job.pool,
          by == LedgerRows::job ? job.job : ""}] += job.dollars;
  std::vector<JobDay> rows;
  for (const auto& [key, dollars] : sums)
    rows.push_back({std::get<0>(key), std::get<1>(key), std::get<2>(key), dollars});
  std::stable_sort(rows.begin(), rows.end(), [](const JobDay& a, const JobDay& b) {
    return a.day != b.day ? a.day < b.day : a.dollars.spent.total() > b.dollars.spent.total();
  });
  return rows;
}

std::vector<std::string> names_of(LedgerRows by, std::string day, std::string pool, std::string job) {
  std::vector<std::string> names;
  if (by != LedgerRows::pool) names.push_back(std::move(day));
  if (by != LedgerRows::day) names.push_back(std::move(pool));
  if (by == LedgerRows::job) names.push_back(std::move(job));
  return names;
}

std::vector<std::string> line(std::vector<std::string> names, const JobDollars& sum) {
  names.push_back(page::count(sum.finished));
  const Bill& spent = sum.spent;
  for (const Usd dollars : {sum.predicted.total(), sum.counted.total(), spent.total(), spent.cpu, spent.transfer,
                            spent.shuffle, spent.moves + spent.storage})
    names.push_back(page::usd(dollars.value()));
  return names;
}

std::string as_table(const std::vector<JobDay>& rows, LedgerRows by) {
  if (rows.empty()) return "nothing is spent yet\n";
  std::vector<std::string> titles = names_of(by, "day", "pool", "job");
  for (const char* title : {"finished", "predicted", "counted", "spent", "CPU", "transfer", "shuffle", "data"})
    titles.emplace_back(title);
  std::vector<std::vector<std::string>> lines{std::move(titles)};
  JobDollars all;
  for (const JobDay& row : rows) {
    lines.push_back(line(names_of(by, name_of_day(row.day), row.pool, row.job), row.dollars));
    all += row.dollars;
  }
  lines.push_back(line(by == LedgerRows::pool ? names_of(by, "", "total", "") : names_of(by, "total", "", ""), all));
  return render_table(lines) + std::string(about);
}

Json bill_json(const Bill& bill) {
  return {{"total", bill.total().value()},   {"cpu", bill.cpu.value()},     {"transfer", bill.transfer.value()},
          {"shuffle", bill.shuffle.value()}, {"moves", bill.moves.value()}, {"storage", bill.storage.value()}};
}

Json as_json(const std::vector<JobDay>& rows, LedgerRows by) {
  Json json = Json::array();
  for (const JobDay& row : rows) {
    Json each = Json::object();
    if (by != LedgerRows::pool) each["day"] = name_of_day(row.day);
    if (by != LedgerRows::day) each["pool"] = row.pool;
    if (by == LedgerRows::job) each["job"] = row.job;
    each["finished"] = row.dollars.finished;
    each["predicted"] = bill_json(row.dollars.predicted);
    each["counted"] = bill_json(row.dollars.counted);
    each["spent"] = bill_json(row.dollars.spent);
    json.push_back(std::move(each));
  }
  return json;
}

}  // namespace

int run_ledger(Words words) {
  Source source;
  LedgerRows by = LedgerRows::job;
  OutputFormat format = OutputFormat::text;
  Arguments arguments("lips ledger",
                      "Lists the dollars by use of each day, pool and job: predicted when its tasks were bound, and "
                      "counted since.");
  arguments.choice("--by", {LedgerRows::job, LedgerRows::pool, LedgerRows::day},
                   "rows: of a day's job, a pool, or a day", by);
  arguments.choice("--format", {OutputFormat::text, OutputFormat::json}, "output format (docs/json.md)", format);
  describe(source, arguments);
  arguments.example("kubectl lips ledger --by pool", "what each pool has spent");
  arguments.example("lips ledger --format json --url http://127.0.0.1:8080", "every day's jobs, for a program");
  if (auto parsed = arguments.parse(words); !parsed) return print_error(parsed.error());
  if (arguments.help_requested()) return print(arguments.help());
  const Result<LiveFacts> live = fetch_live(source);
  if (!live) return print_error(live.error());
  const std::vector<JobDay> rows = in_rows(live->ledger, by);
  if (format == OutputFormat::text) return print(as_table(rows, by));
  return print(as_json(rows, by).dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

}  // namespace lips::cmd
