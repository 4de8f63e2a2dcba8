#include "cmd/ask/source.h"

#include <fmt/format.h>

#include "config/gzip.h"
#include "config/settings_reader.h"
#include "config/text_file.h"
#include "records/journal_reader.h"
#include "records/snapshot_file.h"

namespace lips::cmd {

namespace {

// A record of an operator begins with its head; a snapshot alone is planned by lips with its default settings.
Result<EpochRecord> read_state(const std::string& name, std::string_view text) {
  if (text.substr(0, text.find('\n')).find("\"lips-epoch\"") != std::string_view::npos) return read_epoch(name, text);
  Result<SnapshotFile> snapshot = read_snapshot(name, text);
  if (!snapshot) return tl::unexpected(snapshot.error());
  EpochRecord record;
  record.policy = "lips";
  record.snapshot = *std::move(snapshot);
  return record;
}

Result<EpochRecord> read_file(const std::string& path, std::optional<std::uint64_t> epoch) {
  if (epoch || is_journal(path)) {
    Result<JournalReader> journal = JournalReader::open(path);
    if (!journal) return tl::unexpected(journal.error());
    return journal->find(epoch.value_or(journal->last_epoch()));
  }
  const Result<std::string> text = read_text_file(path);
  if (!text) return tl::unexpected(text.error());
  return read_state(path, *text);
}

Result<EpochRecord> unpacked(const std::string& name, const std::string& bytes) {
  if (!is_gzipped(bytes)) return read_state(name, bytes);
  const Result<std::string> text = gunzipped(name, bytes);
  if (!text) return tl::unexpected(text.error());
  return read_state(name, *text);
}

// An error where options contradict each other.
Result<void> one_place(const Source& source) {
  if (!source.from.empty() + !source.url.empty() + !source.service.empty() > 1)
    return fail(ErrorCode::invalid_input, "--from, --url and --service: expected one of them, found several");
  if (!source.token_file.empty() && source.url.empty())
    return fail(ErrorCode::invalid_input, "--token-file: expected with --url only");
  if (source.epoch && source.from.empty()) return fail(ErrorCode::invalid_input, "--epoch: expected with --from only");
  return {};
}

}  // namespace

void describe(Source& source, Arguments& arguments) {
  arguments.heading("Cluster");
  arguments.text("--kubeconfig", "FILE", "how to reach the API server (default: $KUBECONFIG, else ~/.kube/config)",
                 source.kubeconfig);
  arguments.text("--context", "NAME", "context of the kubeconfig (default: its current one)", source.context);
  arguments.text("--service", "NAMESPACE/NAME",
                 "Service of the operator (default: $LIPS_SERVICE, else the one with the label "
                 "app.kubernetes.io/name=lips, else lips-system/lips)",
                 source.service);
  arguments.text("--url", "URL", "address of an operator, instead of an API server", source.url);
  arguments.text("--token-file", "FILE",
                 "with --url: the token to show to an operator that checks them (server.authorize)", source.token_file);
  arguments.text("--from", "FILE",
                 "a file instead of a running operator: what it served at /state, its journal (a folder or a file), or "
                 "a snapshot (docs/snapshot-file.md)",
                 source.from);
  arguments.seed("--epoch", "with --from: the plan of a journal to ask about (default: the last)", source.epoch);
}

Result<FetchedBytes> fetch_bytes(const Source& source, const std::string& path) {
  if (const Result<void> place = one_place(source); !place) return tl::unexpected(place.error());
  if (source.from.empty() && source.url.empty())
    return fetch_through_api({source.kubeconfig, source.context, source.service}, path);
  Result<std::string> bytes =
      source.from.empty() ? fetch_from_url(source.url, source.token_file, path) : read_text_file(source.from);
  if (!bytes) return tl::unexpected(bytes.error());
  return FetchedBytes{*std::move(bytes), "default"};
}

Result<FetchedState> fetch(const Source& source) {
  if (const Result<void> place = one_place(source); !place) return tl::unexpected(place.error());
  if (!source.from.empty()) {
    Result<EpochRecord> record = read_file(source.from, source.epoch);
    if (!record) return tl::unexpected(record.error());
    return FetchedState{*std::move(record), "default"};
  }
  const Result<FetchedBytes> fetched = fetch_bytes(source, "state");
  if (!fetched) return tl::unexpected(fetched.error());
  Result<EpochRecord> record = unpacked("the operator's answer", fetched->bytes);
  if (!record) return tl::unexpected(record.error());
  return FetchedState{*std::move(record), fetched->name_space};
}

Result<const LiveFacts*> live_facts(const EpochRecord& record) {
  if (record.live) return &*record.live;
  return fail(ErrorCode::invalid_input, "--from: expected the state of a running operator, found a record without it");
}

Result<LiveFacts> fetch_live(const Source& source) {
  Result<FetchedState> state = fetch(source);
  if (!state) return tl::unexpected(state.error());
  if (const auto live = live_facts(state->record); !live) return tl::unexpected(live.error());
  return *std::move(state->record.live);
}

Result<advice::Question> question_of(EpochRecord record, const Overrides& set) {
  advice::Question question;
  question.policy = record.policy, question.settings = record.settings, question.seed = record.seed;
  question.cluster = std::move(record.snapshot.cluster), question.costs = std::move(record.snapshot.costs);
  YamlValue root;
  root.kind = YamlValue::Kind::map;
  for (auto [key, value] : set) {
    if (key.starts_with("settings.")) key = key.substr(9);
    if (Result<void> done = override_yaml(root, key, value); !done) return tl::unexpected(done.error());
  }
  FileErrors errors{"--set", {}};
  read_policy_settings(YamlMap(root, "", errors), question.settings);
  if (!errors.messages.empty()) return errors.as_error();
  return question;
}

}  // namespace lips::cmd
