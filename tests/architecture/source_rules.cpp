#include "source_rules.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <optional>
#include <regex>
#include <sstream>

namespace lips::architecture {
namespace {

constexpr std::size_t most_lines = 600;

// Files that may be longer, each with its reason.
const std::map<std::string, std::string, std::less<>>& long_files() {
  static const std::map<std::string, std::string, std::less<>> files = {};
  return files;
}

enum class Headers { allowed, forbidden, named_json };  // named_json: only headers called *_json.h

// Where a third party may be included. `places` are folders, or one file.
struct ThirdParty {
  std::vector<std::string> prefixes;
  std::vector<std::string> places;
  Headers headers;
  bool free_in_tests;
};

const std::vector<ThirdParty>& third_parties() {
  static const std::vector<ThirdParty> parties = {
      {{"Clp", "Coin", "coin/"}, {"solver/clp_backend.cpp"}, Headers::forbidden, false},
      {{"isa-l"}, {"operator/erasure/"}, Headers::forbidden, false},
      {{"curl/", "simdjson"}, {"operator/kubernetes/"}, Headers::forbidden, true},
      {{"httplib", "prometheus/"}, {"operator/telemetry/"}, Headers::forbidden, true},
      {{"yaml-cpp/"}, {"operator/config/"}, Headers::forbidden, true},
      {{"zlib"}, {"operator/config/", "operator/simulation/"}, Headers::forbidden, true},
      {{"nlohmann/"},
       {"operator/config/", "operator/records/", "operator/simulation/", "operator/telemetry/", "operator/kubernetes/",
        "operator/cmd/"},
       Headers::named_json,
       true},
      {{"fmt/"},
       {"operator/model/", "operator/bounds/", "operator/policies/", "operator/controller/", "operator/config/",
        "operator/records/", "operator/simulation/", "operator/experiments/", "operator/telemetry/",
        "operator/kubernetes/", "operator/cmd/"},
       Headers::forbidden,
       true},
  };
  return parties;
}

constexpr std::array clocks = {"system_clock", "steady_clock", "high_resolution_clock", "random_device",
                               "gettimeofday"};
constexpr std::array<std::string_view, 5> timeless = {"solver", "model", "bounds", "policies", "controller"};

struct Include {
  std::string name;
  bool quoted;
};

std::optional<Include> include_in(const std::string& line) {
  static const std::regex pattern(R"(^\s*#\s*include\s*([<"])([^>"]+)[>"])");
  std::smatch match;
  if (!std::regex_search(line, match, pattern)) return std::nullopt;
  return Include{match[2].str(), match[1].str() == "\""};
}

bool starts_with_any(std::string_view text, const std::vector<std::string>& prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [&](const std::string& prefix) { return text.starts_with(prefix); });
}

bool is_header(std::string_view path) { return path.ends_with(".h"); }

std::optional<std::string> against_an_arrow(const std::string& folder, const Include& include) {
  if (folder.empty() || !include.quoted) return std::nullopt;
  const std::string target =
      folder_of("operator/" + include.name).empty() ? folder_of(include.name) : folder_of("operator/" + include.name);
  if (target.empty() || target == folder) return std::nullopt;
  if (!arrows().at(folder).contains(target)) return folder + "/ may not include " + target + "/";
  if (folder == "controller" && target == "policies" && include.name != "policies/policy.h")
    return "controller/ may include policies/policy.h alone: it sees Policy, never a policy";
  return std::nullopt;
}

std::optional<std::string> third_party_out_of_place(std::string_view path, const Include& include) {
  for (const ThirdParty& party : third_parties()) {
    if (!starts_with_any(include.name, party.prefixes)) continue;
    if (party.free_in_tests && folder_of(path).empty()) return std::nullopt;
    if (!starts_with_any(path, party.places))
      return "has its place in " + party.places.front() + " and nowhere like here";
    if (is_header(path) && party.headers == Headers::forbidden) return "is included by .cpp files, never by a header";
    if (is_header(path) && party.headers == Headers::named_json && !path.ends_with("_json.h"))
      return "is included by .cpp files and by headers called *_json.h";
  }
  return std::nullopt;
}

std::optional<std::string> include_violation(std::string_view path, const Include& include) {
  if (include.name.ends_with(".cpp")) return "a .cpp is compiled, not included";
  if (include.name.find("..") != std::string::npos) return "say the path from the root or from operator/, not with ..";
  if (auto reason = against_an_arrow(folder_of(path), include)) return reason;
  return third_party_out_of_place(path, include);
}

}  // namespace

const Arrows& arrows() {
  static const Arrows allowed = {
      {"solver", {}},
      {"base", {}},
      {"model", {"base"}},
      {"erasure", {"base", "model"}},
      {"bounds", {"base", "model", "solver"}},
      {"policies", {"base", "model", "solver"}},
      {"controller", {"base", "model", "policies"}},
      {"config", {"base", "model", "policies"}},
      {"records", {"base", "model", "policies", "config"}},
      {"simulation", {"base", "model", "bounds", "policies", "controller", "config"}},
      {"experiments", {"solver", "base", "model", "erasure", "bounds", "policies", "simulation"}},
      {"telemetry", {"base", "model", "policies", "controller"}},
      {"kubernetes", {"base", "model", "policies", "controller", "config"}},
      {"cmd",
       {"solver", "base", "model", "erasure", "bounds", "policies", "controller", "config", "records", "simulation",
        "experiments", "telemetry", "kubernetes", "version"}},
  };
  return allowed;
}

std::string folder_of(std::string_view path) {
  if (path.starts_with("solver/")) return "solver";
  constexpr std::string_view root = "operator/";
  if (!path.starts_with(root)) return "";
  path.remove_prefix(root.size());
  const std::string folder(path.substr(0, path.find('/')));
  return folder != "solver" && arrows().contains(folder) && path.size() > folder.size() ? folder : "";
}

std::vector<std::string> violations(std::string_view path, std::string_view text) {
  std::vector<std::string> found;
  const std::string folder = folder_of(path);
  const bool no_clock = std::find(timeless.begin(), timeless.end(), folder) != timeless.end();
  std::istringstream lines{std::string(text)};
  std::size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    const std::string place = std::string(path) + ":" + std::to_string(number) + ": ";
    if (const auto include = include_in(line))
      if (const auto reason = include_violation(path, *include))
        found.push_back(place + include->name + ": " + *reason);
    const std::string code = line.substr(0, line.find("//"));
    if (is_header(path) && code.find("using namespace") != std::string::npos)
      found.push_back(place + "a header takes no namespace whole: it would do so for all who include it");
    for (const std::string_view clock : clocks)
      if (no_clock && code.find(clock) != std::string::npos)
        found.push_back(place + folder + "/ reads no clock and no chance of its own: " + std::string(clock));
  }
  if (number > most_lines && !long_files().contains(path))
    found.push_back(std::string(path) + ": " + std::to_string(number) + " lines; more than " +
                    std::to_string(most_lines) + " need a reason in tests/architecture/source_rules.cpp");
  return found;
}

std::vector<std::string> link_violations(std::string_view folder, std::string_view cmake) {
  std::vector<std::string> found;
  static const std::regex command(R"(target_link_libraries\(\s*lips_([a-z]+)([^)]*)\))");
  static const std::regex library(R"(\blips_([a-z]+)\b)");
  const std::string text(cmake);
  for (std::sregex_iterator link(text.begin(), text.end(), command), end; link != end; ++link) {
    if ((*link)[1].str() != folder) continue;
    const std::string libraries = (*link)[2].str();
    for (std::sregex_iterator name(libraries.begin(), libraries.end(), library); name != end; ++name) {
      const std::string target = (*name)[1].str();
      if (target != "options" && !arrows().at(std::string(folder)).contains(target)) found.push_back(target);
    }
  }
  return found;
}

std::vector<std::string> source_files(const std::filesystem::path& root) {
  std::vector<std::string> files;
  for (const char* top : {"solver", "operator", "tests", "bench"}) {
    if (!std::filesystem::exists(root / top)) continue;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root / top)) {
      const auto extension = entry.path().extension();
      if (extension == ".h" || extension == ".cpp")
        files.push_back(entry.path().lexically_relative(root).generic_string());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string read_text(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

}  // namespace lips::architecture
