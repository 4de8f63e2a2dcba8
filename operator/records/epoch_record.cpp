#include "records/epoch_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "config/settings_reader.h"
#include "records/digest.h"
#include "records/ended_tasks_json.h"
#include "records/live_facts_json.h"
#include "records/service_pods_json.h"
#include "records/snapshot_json.h"

namespace lips {

namespace {

using namespace json_tables;

constexpr std::string_view format = "lips-epoch";
constexpr std::string_view wanted_file = "a record of an operator's journal";

std::string text_digest(std::string_view text) {
  Digest digest;
  digest.add(text);
  return digest.text();
}

Result<void> read_settings(const std::string& file, const Json& json, PolicySettings& settings) {
  const Result<YamlValue> values = parse_yaml(file, json.dump(-1, ' ', false, Json::error_handler_t::replace));
  if (!values) return tl::unexpected(values.error());
  FileErrors errors{file, {}};
  read_policy_settings(YamlMap(*values, "settings", errors), settings);
  if (!errors.messages.empty()) return errors.as_error();
  return {};
}

nlohmann::ordered_json invoice_json(const InvoiceSoFar& invoice) {
  nlohmann::ordered_json result;
  each_field(invoice, [&](std::string_view name, Usd dollars) { result[std::string(name)] = dollars.value(); });
  return result;
}

InvoiceSoFar read_invoice(const View& json) {
  InvoiceSoFar invoice;
  each_field(invoice,
             [&](std::string_view name, Usd& dollars) { dollars = Usd(json.at(std::string(name)).value(any_real)); });
  return invoice;
}

// Everything but the snapshot and the parts that refer to it.
EpochRecord read_head(const View& head) {
  EpochRecord record;
  if (head.at("format").value(Text{}) != format)
    head.problem("/format", shown(head.at("format").json()), std::string(format));
  const std::int64_t version = head.at("formatVersion").value(Whole{1, 2});
  record.epoch = head.at("epoch").value(Natural{});
  record.version = head.at("version").value(Text{});
  record.policy = head.at("policy").value(Text{});
  record.seed = head.at("seed").value(Natural{});
  const std::string digest = head.at("planDigest").value(Text{});
  if (version > 1) record.digest = digest;
  record.assignments = head.at("assignments").value(Natural{});
  record.moves = head.at("moves").value(Natural{});
  record.dollars = head.at("dollars").value(any_real);
  if (head.has("invoice")) record.invoice = read_invoice(head.at("invoice"));
  if (head.has("ended")) record.ended = read_ended_tasks(head.at("ended"));
  if (head.has("services")) record.services = read_service_pods(head.at("services"));
  record.watched = head.has("watched") && head.at("watched").value(Flag{});
  const View reporting = head.at("reporting");
  for (std::size_t i = 0, count = reporting.list(); i < count; ++i)
    record.reporting.push_back(id<NodeId>(reporting.cell(i, index_below(static_cast<std::size_t>(most_ids)))));
  head.at("settings");
  return record;
}

}  // namespace

std::string write_epoch(const EpochRecord& record) {
  const std::string snapshot = write_snapshot(record.snapshot.cluster, record.snapshot.costs, SnapshotDetail::exact);
  nlohmann::ordered_json head = {{"format", format},
                                 {"formatVersion", 2},
                                 {"epoch", record.epoch},
                                 {"version", record.version},
                                 {"policy", record.policy},
                                 {"settings", nlohmann::ordered_json::parse(write_policy_settings(record.settings))},
                                 {"seed", record.seed},
                                 {"planDigest", record.digest},
                                 {"assignments", record.assignments},
                                 {"moves", record.moves},
                                 {"dollars", record.dollars},
                                 {"snapshotDigest", text_digest(snapshot)}};
  auto& reporting = head["reporting"] = nlohmann::ordered_json::array();
  for (const NodeId node : record.reporting) reporting.push_back(node.index());
  if (record.invoice) head["invoice"] = invoice_json(*record.invoice);
  if (record.ended) head["ended"] = ended_tasks_json(*record.ended);
  if (record.services) head["services"] = service_pods_json(*record.services);
  if (record.watched) head["watched"] = true;
  if (record.live) head["live"] = live_facts_json(*record.live);
  return head.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n" + snapshot;
}

Result<EpochRecord> read_epoch(const std::string& file, std::string_view text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const Result<Json> json = parse_json(file, text.substr(0, end), wanted_file);
  if (!json) return tl::unexpected(json.error());
  Problems problems(file + ":1");
  const View head(*json, "", problems);
  EpochRecord record = read_head(head);
  const std::string digest = head.at("snapshotDigest").value(Text{});
  if (!problems.empty()) return problems.error();
  const std::string_view snapshot = text.substr(std::min(end + 1, text.size()));
  const bool first_format = head.at("formatVersion").value(Whole{1, 2}) == 1;
  if ((first_format ? first_text_digest(snapshot) : text_digest(snapshot)) != digest) {
    problems.add("/snapshotDigest", "a snapshot that differs from the written one", std::string(wanted_file));
    return problems.error();
  }
  if (Result<void> settings = read_settings(file, head.at("settings").json(), record.settings); !settings)
    return tl::unexpected(settings.error());
  Result<SnapshotFile> read = read_snapshot(file, snapshot, SnapshotOrder::as_written);
  if (!read) return tl::unexpected(read.error());
  record.snapshot = std::move(*read);
  for (const NodeId node : record.reporting)
    if (!record.snapshot.cluster.nodes.contains(node))
      problems.add("/reporting", fmt::format("node {}", node.index()), "nodes of the snapshot");
  if (head.has("live")) record.live = read_live_facts(head.at("live"), record.snapshot.cluster);
  if (!problems.empty()) return problems.error();
  return record;
}

}  // namespace lips
