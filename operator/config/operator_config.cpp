#include "config/operator_config.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <functional>
#include <span>

#include "config/commitments.h"
#include "config/operator_keys.h"
#include "config/quantities.h"
#include "config/settings_reader.h"
#include "config/text_file.h"
#include "config/yaml_text.h"
#include "policies/registry/registry.h"

namespace lips {
namespace {

constexpr std::string_view api_version = "config.lips.dev/v1alpha1", kind = "OperatorConfig";

Result<void> known_policy(const std::string& name) {
  for (const PolicyEntry& entry : policy_registry())
    if (entry.name == name) return {};
  std::vector<std::string_view> names;
  for (const PolicyEntry& entry : policy_registry()) names.push_back(entry.name);
  return fail(ErrorCode::not_found, fmt::format("{}", fmt::join(names, ", ")));
}

class Reading {
 public:
  explicit Reading(YamlMap& fields) : fields_(fields) {}

  template <class Each>
  void section(std::string_view key, std::string_view, Each each) {
    std::optional<YamlMap> inner = fields_.map(key);
    if (!inner) return;
    Reading reading(*inner);
    each(reading);
    inner->finish();
  }
  void text(std::string_view key, std::string& value, const KeyWords&) { value = fields_.text(key, value); }
  void policy(std::string_view key, std::string& value, const KeyWords&) {
    value = fields_.text(key, value);
    if (const Result<void> known = known_policy(value); !known)
      fields_.error(key, "'" + value + "'", known.error().message);
  }
  void policies(std::string_view key, std::vector<std::string>& value, const KeyWords&) {
    if (!fields_.has(key)) return;
    value = fields_.texts(key);
    for (const std::string& name : value)
      if (const Result<void> known = known_policy(name); !known)
        fields_.error(key, "'" + name + "'", known.error().message);
  }
  void texts(std::string_view key, std::vector<std::string>& value, const KeyWords&) {
    if (fields_.has(key)) value = fields_.texts(key);
  }
  void frameworks(std::string_view key, Frameworks& value, const KeyWords&) {
    if (!fields_.has(key)) return;
    value.clear();
    for (YamlMap& one : fields_.maps(key)) {
      value.push_back(framework(one));
      one.finish();
    }
  }
  void name_nodes(std::string_view key, std::vector<NameNode>& value, const KeyWords&) {
    if (fields_.has(key)) value = read_name_nodes(fields_, key);
  }
  template <class Commitment>
  void commitment(std::string_view key, Commitment& value, const KeyWords&) {
    read_commitment(fields_, key, value);
  }
  template <class Whole>
  void whole(std::string_view key, Whole& value, std::int64_t least, const KeyWords&) {
    value = static_cast<Whole>(fields_.integer(key, value, least, INT32_MAX));
  }
  void number(std::string_view key, double& value, const KeyWords&) {
    value = fields_.number(key, value, not_negative);
  }
  void share(std::string_view key, double& value, const KeyWords&) { value = fields_.number(key, value, share_range); }
  void amount(std::string_view key, double& value, std::string_view unit, const KeyWords&) {
    value = fields_.amount(key, value, unit);
  }
  void number_map(std::string_view key, std::vector<std::pair<std::string, double>>& value, const KeyWords&) {
    if (fields_.has(key)) value = fields_.number_map(key, price_range);
  }
  void flag(std::string_view key, bool& value, const KeyWords&) { value = fields_.flag(key, value); }
  void duration(std::string_view key, Duration& value, const KeyWords&) { value = fields_.duration(key, value); }
  void size(std::string_view key, Mebibytes& value, const KeyWords&) { value = fields_.size(key, value); }
  void bandwidth(std::string_view key, MebibytesPerSecond& value, const KeyWords&) {
    value = fields_.bandwidth(key, value);
  }
  template <class Choice>
  void choice(std::string_view key, Choice& value, std::span<const std::string_view> names, const KeyWords&) {
    value = static_cast<Choice>(fields_.choice(key, names, static_cast<std::size_t>(value)));
  }
  void settings(std::string_view key, PolicySettings& value, const KeyWords&) {
    if (std::optional<YamlMap> inner = fields_.map(key)) read_policy_settings(*inner, value);
  }

 private:
  static Framework framework(YamlMap& fields) {
    Framework result;
    for (const char* key : {"name", "group"}) fields.require(key);
    result.name = fields.text("name");
    result.group = fields.text("group");
    result.driver = fields.text("driver");
    result.only = fields.text("only");
    result.pods = fields.text("pods");
    result.exchanges = fields.flag("exchanges", true);
    result.same = fields.text("same");
    result.workers_first = fields.flag("workersFirst", false);
    if (result.workers_first && result.driver.empty())
      fields.error("workersFirst", "true without a driver", "true where `driver` names one");
    for (const auto& [key, text] : {std::pair("driver", &result.driver), std::pair("only", &result.only)})
      if (!text->empty() && text->find('=') == std::string::npos)
        fields.error(key, "'" + *text + "'", "label=value, such as spark-role=driver");
    return result;
  }
  YamlMap& fields_;
};

std::string duration_text(Duration value) {
  const std::int64_t count = value.count();
  if (count == 0) return "0s";
  if (count % 1'000 != 0) return fmt::format("{}.{:03}ms", count / 1'000, count % 1'000);
  if (count % 1'000'000 != 0) return fmt::format("{}ms", count / 1'000);
  if (count % 60'000'000 != 0 || count == 60'000'000) return fmt::format("{}s", count / 1'000'000);
  if (count % 3'600'000'000 != 0) return fmt::format("{}m", count / 60'000'000);
  return fmt::format("{}h", count / 3'600'000'000);
}

// Sections and keys with their values in YAML, to print or compare them.
class Listing {
 public:
  using Section = std::function<void(std::string_view key, std::string_view meaning)>;
  using Key = std::function<void(const ConfigKey&)>;
  Listing(std::string prefix, const Section& section, const Key& key)
      : prefix_(std::move(prefix)), section_(section), key_(key) {}

  template <class Each>
  void section(std::string_view key, std::string_view meaning, Each each) {
    section_(key, meaning);
    Listing inner(fmt::format("{}{}.", prefix_, key), section_, key_);
    each(inner);
  }
  void text(std::string_view key, const std::string& value, KeyWords about) { say(key, quoted(value), about); }
  void policy(std::string_view key, const std::string& value, KeyWords about) { say(key, value, about); }
  void policies(std::string_view key, const std::vector<std::string>& value, KeyWords about) {
    say(key, fmt::format("[{}]", fmt::join(value, ", ")), about);
  }
  void texts(std::string_view key, const std::vector<std::string>& value, KeyWords about) {
    std::string list;
    for (const std::string& text : value) list += (list.empty() ? "" : ", ") + quoted(text);
    say(key, "[" + list + "]", about);
  }
  void frameworks(std::string_view key, const Frameworks& value, KeyWords about) {
    std::string list;
    for (const Framework& one : value) {
      list += fmt::format("{}{{name: {}, group: {}", list.empty() ? "" : ", ", quoted(one.name), quoted(one.group));
      if (!one.driver.empty()) list += ", driver: " + quoted(one.driver);
      if (!one.only.empty()) list += ", only: " + quoted(one.only);
      if (!one.pods.empty()) list += ", pods: " + quoted(one.pods);
      if (!one.exchanges) list += ", exchanges: false";
      if (!one.same.empty()) list += ", same: " + quoted(one.same);
      if (one.workers_first) list += ", workersFirst: true";
      list += "}";
    }
    say(key, "[" + list + "]", about);
  }
  void name_nodes(std::string_view key, const std::vector<NameNode>& value, KeyWords about) {
    say(key, name_nodes_text(value), about);
  }
  template <class Commitment>
  void commitment(std::string_view key, const Commitment& value, KeyWords about) {
    say(key, commitment_text(value), about);
  }
  template <class Whole>
  void whole(std::string_view key, Whole value, std::int64_t, KeyWords about) {
    say(key, fmt::format("{}", value), about);
  }
  void number(std::string_view key, double value, KeyWords about) { say(key, fmt::format("{}", value), about); }
  void share(std::string_view key, double value, KeyWords about) { number(key, value, about); }
  void amount(std::string_view key, double value, std::string_view, KeyWords about) { number(key, value, about); }
  void number_map(std::string_view key, const std::vector<std::pair<std::string, double>>& value, KeyWords about) {
    std::string list;
    for (const auto& [name, number] : value)
      list += fmt::format("{}{}: {}", list.empty() ? "" : ", ", quoted(name), number);
    say(key, "{" + list + "}", about);
  }
  void flag(std::string_view key, bool value, KeyWords about) { say(key, value ? "true" : "false", about); }
  void duration(std::string_view key, Duration value, KeyWords about) { say(key, duration_text(value), about); }
  void size(std::string_view key, Mebibytes value, KeyWords about) {
    say(key, fmt::format("{}Mi", value.value()), about);
  }
  void bandwidth(std::string_view key, MebibytesPerSecond value, KeyWords about) {
    say(key, value.value() == 0 ? "0" : fmt::format("{}MiB/s", value.value()), about);
  }
  template <class Choice>
  void choice(std::string_view key, Choice value, std::span<const std::string_view> names, KeyWords about) {
    say(key, std::string(names[static_cast<std::size_t>(value)]), about);
  }
  void settings(std::string_view key, const PolicySettings& value, KeyWords about) {
    std::string text = write_policy_settings(value);
    if (text == write_policy_settings({})) text = "{}";
    say(key, std::move(text), about);
  }

 private:
  void say(std::string_view key, std::string value, KeyWords about) {
    key_({fmt::format("{}{}", prefix_, key), std::move(value), std::string(about.unit), std::string(about.meaning),
          about.live});
  }
  std::string prefix_;
  const Section& section_;
  const Key& key_;
};

void list_keys(const OperatorConfig& config, const Listing::Section& section, const Listing::Key& key) {
  OperatorConfig copy = config;
  Listing listing("", section, key);
  each_key(listing, copy);
}

void check(YamlMap& root, const OperatorConfig& config) {
  const auto& election = config.leader_election;
  if (const std::string& url = config.prices.metrics;
      !url.empty() && !url.starts_with("http://") && !url.starts_with("https://"))
    root.error("prices", "metrics: " + quoted(url), "http://HOST:PORT/metrics, or https");
  for (const std::string& type : config.fleet.capacity_types)
    if (type != "spot" && type != "on-demand")
      root.error("fleet", "capacityTypes with " + quoted(type), "spot, on-demand");
  if (config.fleet.from_node_pools && !config.fleet.instance_types.empty())
    root.error("fleet", "fromNodePools beside instanceTypes",
               "one of them: NodePools or a list says what may be launched");
  if (!config.fleet.instance_types.empty() && (config.fleet.zones.empty() || config.fleet.capacity_types.empty()))
    root.error("fleet", "instanceTypes without zones or capacityTypes", "some of each");
  if (election.renew_deadline >= election.lease)
    root.error("leaderElection", "a renewDeadline that is not shorter than leaseDuration",
               "retryPeriod < renewDeadline < leaseDuration");
  if (election.retry >= election.renew_deadline || election.retry <= Duration(0))
    root.error("leaderElection", "a retryPeriod that is not between 0 and renewDeadline",
               "retryPeriod < renewDeadline < leaseDuration");
  if (config.policy.epoch != Duration(0) && config.policy.epoch < std::chrono::milliseconds(1))
    root.error("policy", fmt::format("an epoch of {} s", to_seconds(config.policy.epoch)), "0, or 1ms or more");
  if (config.scheduler_name.empty() || config.scheduler_name == "default-scheduler")
    root.error("schedulerName", "'" + config.scheduler_name + "'",
               "a name of its own: 'default-scheduler' is Kubernetes' own");
  for (const auto& [key, address] :
       {std::pair("listen", &config.server.listen), std::pair("health", &config.server.health)})
    if (!address->empty() && address->rfind(':') == std::string::npos)
      root.error("server", fmt::format("'{}' as {}", *address, key), "address:port, such as 0.0.0.0:8080, or nothing");
  if (config.applications.driver_port > 65535)
    root.error("applications", fmt::format("a driverPort of {}", config.applications.driver_port), "1 to 65535");
  if (config.server.authorize && config.server.health.empty() && !config.server.listen.empty())
    root.error("server", "authorize without health",
               "health on a port of its own, which a kubelet asks without a token");
}

}  // namespace

PolicySettings OperatorConfig::PolicyChoice::effective() const {
  PolicySettings result = settings;
  if (epoch > Duration(0)) result.replan_every = result.paper.epoch = epoch;
  return result;
}

std::vector<ConfigKey> keys_of(const OperatorConfig& config) {
  std::vector<ConfigKey> keys;
  list_keys(
      config, [](std::string_view, std::string_view) {}, [&](const ConfigKey& key) { keys.push_back(key); });
  return keys;
}

std::vector<ConfigKey> changed_keys(const OperatorConfig& before, const OperatorConfig& now) {
  const std::vector<ConfigKey> old = keys_of(before);
  std::vector<ConfigKey> changed = keys_of(now);
  std::size_t at = 0;
  std::erase_if(changed, [&](const ConfigKey& key) { return key.value == old[at++].value; });
  return changed;
}

Result<OperatorConfig> parse_operator_config(const std::string& file, const std::string& text,
                                             const ConfigOverrides& set) {
  Result<YamlValue> root = parse_yaml(file, text);
  if (!root) return tl::unexpected(root.error());
  if (root->kind == YamlValue::Kind::nothing) root->kind = YamlValue::Kind::map;
  for (const auto& [path, value] : set)
    if (Result<void> done = override_yaml(*root, path, value); !done) return tl::unexpected(done.error());
  FileErrors errors{file, {}};
  OperatorConfig config;
  YamlMap fields(*root, "", errors);
  for (const auto& [key, wanted] : {std::pair("apiVersion", api_version), std::pair("kind", kind)})
    if (fields.require(key))
      if (const std::string found = fields.text(key, std::string(wanted)); found != wanted)
        fields.error(key, "'" + found + "'", wanted);
  Reading reading(fields);
  each_key(reading, config);
  check(fields, config);
  fields.finish();
  if (!errors.messages.empty()) return errors.as_error();
  return config;
}

Result<OperatorConfig> read_operator_config(const std::string& file, const ConfigOverrides& set) {
  if (file.empty())
    return parse_operator_config("configuration", fmt::format("apiVersion: {}\nkind: {}\n", api_version, kind), set);
  const Result<std::string> text = read_text_file(file);
  if (!text) return tl::unexpected(text.error());
  return parse_operator_config(file, *text, set);
}

namespace {
std::string text_with(std::string_view headline, const OperatorConfig& config) {
  std::string out = fmt::format(
      "# {}\n"
      "# [live]: takes effect at run time when the file changes; all other keys need a restart.\n"
      "apiVersion: {}\nkind: {}\n",
      headline, api_version, kind);
  std::string_view indent;
  list_keys(
      config,
      [&](std::string_view key, std::string_view meaning) {
        out += fmt::format("\n# {}\n{}:\n", meaning, key), indent = "  ";
      },
      [&](const ConfigKey& key) {
        const std::string name = key.path.substr(key.path.rfind('.') + 1);
        out += fmt::format("{}# {}{}{}\n{}{}: {}\n", indent, key.meaning, key.unit.empty() ? "" : " (" + key.unit + ")",
                           key.live ? " [live]" : "", indent, name, key.value);
      });
  return out;
}

}  // namespace

std::string config_text(const OperatorConfig& config) {
  return text_with(
      "The operator's configuration with every key. A file needs only the keys that differ from the default.", config);
}

std::string default_config_text() {
  return text_with(
      "The operator's configuration with every key at its default. A file needs only the keys that differ.", {});
}

}  // namespace lips
