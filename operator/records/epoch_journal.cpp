#include "records/epoch_journal.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>

#include "config/settings_reader.h"
#include "config/text_file.h"

namespace lips {

namespace fs = std::filesystem;

namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view prefix = "epoch-", suffix = ".json.gz", format = "lips-epoch";

// FNV-1a with 64 bits, twice with different starts.
class Digest {
 public:
  void add(std::uint64_t value) {
    for (int byte = 0; byte < 8; ++byte) {
      const std::uint64_t bits = (value >> (8 * byte)) & 0xff;
      first_ = (first_ ^ bits) * prime;
      second_ = (second_ ^ (bits + 0x9e)) * prime;
    }
  }
  void add(double value) { add(std::bit_cast<std::uint64_t>(value)); }
  void add(std::string_view text) {
    add(text.size());
    for (const char c : text) add(static_cast<std::uint64_t>(static_cast<unsigned char>(c)));
  }
  template <class IdType>
    requires requires(IdType id) { id.index(); }
  void add(IdType id) {
    add(static_cast<std::uint64_t>(id.index()));
  }
  void add(Usd dollars) { add(dollars.value()); }
  template <class Value>
  void add(const std::optional<Value>& value) {
    add(static_cast<std::uint64_t>(value.has_value()));
    if (value) add(*value);
  }
  void add(Duration span) { add(static_cast<std::uint64_t>(span.count())); }
  std::string text() const { return fmt::format("{:016x}{:016x}", first_, second_); }

 private:
  static constexpr std::uint64_t prime = 0x100000001b3;
  std::uint64_t first_ = 0xcbf29ce484222325, second_ = 0x84222325cbf29ce4;
};

void add_account(Digest& digest, const PlanAccount& account) {
  for (const Usd dollars : {account.cpu, account.transfer, account.shuffle, account.copies, account.storage,
                            account.waiting, account.locality, account.fairness})
    digest.add(dollars);
  digest.add(account.objective);
  digest.add(account.lower_bound);
  digest.add(account.gap);
  for (const std::uint64_t value :
       {static_cast<std::uint64_t>(account.form), std::uint64_t{account.fell_back}, std::uint64_t{account.groups},
        std::uint64_t{account.classes}, static_cast<std::uint64_t>(account.rows),
        static_cast<std::uint64_t>(account.columns)})
    digest.add(value);
  digest.add(account.home_gap);
  digest.add(account.node_local_share);
  digest.add(account.node_local_bound);
  for (const ShadowPrice& price : account.shadow_prices) {
    digest.add(price.of);
    digest.add(price.usd_per_unit);
    digest.add(price.unit);
  }
}

void add_memory(Digest& digest, const Remembered& remembered) {
  digest.add(remembered.job);
  digest.add(remembered.memory.home);
  digest.add(std::uint64_t{remembered.memory.home_decided});
  digest.add(static_cast<std::uint64_t>(remembered.memory.last_locality));
  const auto& since = remembered.memory.passed_over_since;
  digest.add(since ? std::optional(since->time_since_epoch()) : std::nullopt);
  const JobMemory& memory = remembered.memory;
  digest.add(memory.refused_at ? std::optional(memory.refused_at->time_since_epoch()) : std::nullopt);
  digest.add(memory.priority ? std::optional(static_cast<std::uint64_t>(*memory.priority + 2)) : std::nullopt);
  for (const Duration span : {memory.refused_for, memory.node_waits.sum, memory.rack_waits.sum}) digest.add(span);
  for (const std::uint64_t count : {std::uint64_t{memory.launched}, std::uint64_t{memory.node_waits.count},
                                    std::uint64_t{memory.rack_waits.count}, std::uint64_t{memory.opportunities}})
    digest.add(count);
}

void add_shares(Digest& digest, const std::optional<ShareMemory>& shares) {
  digest.add(std::uint64_t{shares.has_value()});
  if (!shares) return;
  digest.add(shares->at.time_since_epoch());
  digest.add(std::uint64_t{shares->least_job});
  digest.add(std::uint64_t{shares->small_pool});
  for (const double slots : shares->slots) digest.add(slots);
}

std::string file_name(std::uint64_t epoch) { return fmt::format("{}{:010}{}", prefix, epoch, suffix); }

std::optional<std::uint64_t> epoch_of(std::string_view name) {
  if (!name.starts_with(prefix) || !name.ends_with(suffix)) return std::nullopt;
  const std::string_view digits = name.substr(prefix.size(), name.size() - prefix.size() - suffix.size());
  std::uint64_t epoch = 0;
  const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), epoch);
  return code == std::errc() && end == digits.data() + digits.size() && !digits.empty() ? std::optional(epoch)
                                                                                        : std::nullopt;
}

tl::unexpected<Error> no_record(const std::string& file, std::string_view found) {
  return fail(ErrorCode::invalid_input,
              fmt::format("{}:1: found {}; allowed: a record of an operator's journal", file, found));
}

}  // namespace

std::string plan_digest(const Plan& plan) {
  Digest digest;
  for (const DataMove& move : plan.moves) {
    digest.add(move.block), digest.add(move.from), digest.add(move.to);
    digest.add(std::uint64_t{move.drop_source});
  }
  digest.add(std::uint64_t{plan.moves.size()});
  for (const ReplicaDrop& drop : plan.drops) digest.add(drop.block), digest.add(drop.store);
  digest.add(std::uint64_t{plan.drops.size()});
  for (const Assignment& assignment : plan.assignments) {
    digest.add(assignment.task), digest.add(assignment.node);
    digest.add(assignment.read_from), digest.add(assignment.keep_in);
  }
  digest.add(std::uint64_t{plan.assignments.size()});
  for (const Deferral& deferral : plan.deferrals)
    digest.add(deferral.task), digest.add(static_cast<std::uint64_t>(deferral.reason));
  digest.add(static_cast<std::uint64_t>(plan.rest));
  for (const Remembered& remembered : plan.remember) add_memory(digest, remembered);
  add_shares(digest, plan.remember_shares);
  digest.add(std::uint64_t{plan.copies_reviewed});
  digest.add(plan.replan_after);
  add_account(digest, plan.account);
  return digest.text();
}

std::string write_epoch(const EpochRecord& record) {
  const std::string snapshot = write_snapshot(record.snapshot.cluster, record.snapshot.costs, SnapshotDetail::exact);
  Digest check;
  check.add(std::string_view(snapshot));
  Json head = {{"format", format},
               {"formatVersion", 1},
               {"epoch", record.epoch},
               {"version", record.version},
               {"policy", record.policy},
               {"settings", Json::parse(write_policy_settings(record.settings))},
               {"seed", record.seed},
               {"planDigest", record.digest},
               {"assignments", record.assignments},
               {"moves", record.moves},
               {"dollars", record.dollars},
               {"snapshotDigest", check.text()}};
  Json& reporting = head["reporting"] = Json::array();
  for (const NodeId node : record.reporting) reporting.push_back(node.index());
  return head.dump() + "\n" + snapshot;
}

Result<EpochRecord> read_epoch(const std::string& file, const std::string& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  EpochRecord record;
  std::string settings, wanted;
  try {
    const Json head = Json::parse(text.substr(0, end));
    if (head.at("format") != format || head.at("formatVersion") != 1)
      return no_record(file, fmt::format("format {} {}", head.at("format").dump(), head.at("formatVersion").dump()));
    record.epoch = head.at("epoch").get<std::uint64_t>();
    record.version = head.at("version").get<std::string>();
    record.policy = head.at("policy").get<std::string>();
    record.seed = head.at("seed").get<std::uint64_t>();
    record.digest = head.at("planDigest").get<std::string>();
    record.assignments = head.at("assignments").get<std::uint64_t>();
    record.moves = head.at("moves").get<std::uint64_t>();
    record.dollars = head.at("dollars").get<double>();
    for (const Json& node : head.at("reporting")) record.reporting.emplace_back(node.get<std::uint32_t>());
    settings = head.at("settings").dump();
    wanted = head.at("snapshotDigest").get<std::string>();
  } catch (const Json::exception& error) {
    return no_record(file, error.what());
  }
  const std::string snapshot = text.substr(std::min(end + 1, text.size()));
  Digest check;
  check.add(std::string_view(snapshot));
  if (check.text() != wanted) return no_record(file, "a snapshot that is not the one that was written");
  const Result<YamlValue> values = parse_yaml(file, settings);
  if (!values) return tl::unexpected(values.error());
  YamlErrors errors{file, {}};
  read_policy_settings(YamlMap(*values, "settings", errors), record.settings);
  if (!errors.messages.empty()) return errors.as_error();
  Result<SnapshotFile> read = read_snapshot(file, snapshot, SnapshotOrder::as_written);
  if (!read) return tl::unexpected(read.error());
  record.snapshot = std::move(*read);
  for (const NodeId node : record.reporting)
    if (!record.snapshot.cluster.nodes.contains(node)) return no_record(file, "a reporting node that is not there");
  return record;
}

Result<std::vector<JournalEntry>> list_journal(const std::string& directory) {
  std::error_code problem;
  std::vector<JournalEntry> entries;
  for (fs::directory_iterator it(directory, problem), end; !problem && it != end; it.increment(problem))
    if (const auto epoch = epoch_of(it->path().filename().string())) entries.push_back({*epoch, it->path().string()});
  if (problem) return fail(ErrorCode::not_found, fmt::format("{}: cannot be read: {}", directory, problem.message()));
  std::sort(entries.begin(), entries.end(),
            [](const JournalEntry& a, const JournalEntry& b) { return a.epoch < b.epoch; });
  return entries;
}

Result<EpochJournal> EpochJournal::open(const std::string& directory, Mebibytes size) {
  std::error_code problem;
  fs::create_directories(directory, problem);
  if (problem)
    return fail(ErrorCode::unavailable, fmt::format("journal.directory: {}: {}", directory, problem.message()));
  const Result<std::vector<JournalEntry>> known = list_journal(directory);
  if (!known) return tl::unexpected(known.error());
  EpochJournal journal;
  journal.directory_ = directory;
  journal.size_ = size;
  for (const JournalEntry& entry : *known) {
    const auto bytes = fs::file_size(entry.file, problem);
    if (problem) continue;
    journal.entries_.push_back({entry.epoch, bytes});
    journal.bytes_ += bytes;
    journal.next_ = entry.epoch + 1;
  }
  // What a crash left half written.
  for (fs::directory_iterator it(directory, problem), end; !problem && it != end; it.increment(problem))
    if (it->path().extension() == ".unfinished") fs::remove(it->path(), problem);
  journal.drop_oldest();
  return journal;
}

Result<void> EpochJournal::add(const std::string& text) {
  const fs::path file = fs::path(directory_) / file_name(next_);
  if (Result<void> written = write_text_file(file.string(), text); !written) return written;
  std::error_code problem;
  const auto bytes = fs::file_size(file, problem);
  if (problem) return fail(ErrorCode::unavailable, fmt::format("{}: {}", file.string(), problem.message()));
  entries_.push_back({next_++, bytes});
  bytes_ += bytes;
  drop_oldest();
  return {};
}

void EpochJournal::drop_oldest() {
  const double most = size_.value() * bytes_per_mebibyte;
  std::size_t gone = 0;
  for (; gone < entries_.size() && static_cast<double>(bytes_) > most; ++gone) {
    std::error_code ignored;
    fs::remove(fs::path(directory_) / file_name(entries_[gone].epoch), ignored);
    bytes_ -= entries_[gone].bytes;
  }
  entries_.erase(entries_.begin(), entries_.begin() + static_cast<std::ptrdiff_t>(gone));
}

}  // namespace lips
