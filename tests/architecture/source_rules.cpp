#include "tests/architecture/source_rules.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <functional>
#include <iterator>
#include <optional>
#include <regex>
#include <sstream>

namespace lips::architecture {
namespace {

// A table of cases is read row by row: tests may be longer.
constexpr std::size_t most_lines = 500, most_lines_of_tests = 600;

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
      {{"cctz/"}, {"operator/config/time_zone.cpp"}, Headers::forbidden, false},
      {{"openssl/"}, {"operator/kubernetes/data/store_key.cpp"}, Headers::forbidden, false},
      {{"curl/"}, {"operator/kubernetes/"}, Headers::forbidden, true},
      {{"simdjson"}, {"operator/kubernetes/"}, Headers::named_json, true},
      {{"httplib"}, {"operator/telemetry/", "operator/playground/"}, Headers::forbidden, true},
      {{"prometheus/"}, {"operator/telemetry/"}, Headers::forbidden, true},
      {{"yaml-cpp/"}, {"operator/config/"}, Headers::forbidden, true},
      {{"zstd"}, {"operator/records/text_delta.cpp"}, Headers::forbidden, false},
      {{"zlib"}, {"operator/config/", "operator/simulation/"}, Headers::forbidden, true},
      {{"nlohmann/"},
       {"operator/config/", "operator/records/", "operator/simulation/", "operator/telemetry/", "operator/kubernetes/",
        "operator/twin/", "operator/virtual/", "operator/playground/", "operator/cmd/"},
       Headers::named_json,
       true},
      {{"fmt/"},
       {"operator/model/", "operator/bounds/", "operator/policies/", "operator/controller/", "operator/config/",
        "operator/records/", "operator/simulation/", "operator/experiments/", "operator/telemetry/",
        "operator/targets/", "operator/twin/", "operator/kubernetes/", "operator/virtual/", "operator/playground/",
        "operator/cmd/"},
       Headers::forbidden,
       true},
  };
  return parties;
}

constexpr std::array clocks = {"system_clock", "steady_clock", "high_resolution_clock", "random_device",
                               "gettimeofday"};
constexpr std::array<std::string_view, 6> timeless = {"solver", "model", "bounds", "policies", "controller", "targets"};

// All state of the adapter is its loop's. These files of kubernetes/ may hold a lock.
const std::map<std::string, std::string, std::less<>>& locked_files() {
  static const std::map<std::string, std::string, std::less<>> files = {
      {"operator/kubernetes/api/http_client.cpp", "the border between the connections' thread and those who read"},
      {"operator/kubernetes/api/request_engine.h", "the border between the connections' thread and those who ask"},
      {"operator/kubernetes/api/request_engine.cpp", "the same"},
      {"operator/kubernetes/api/real_loop.h", "tasks come to the loop from any thread"},
      {"operator/kubernetes/api/real_loop.cpp", "the same"},
      {"operator/kubernetes/api/access_review.h", "threads of the operator's own server share what it knows"},
      {"operator/kubernetes/api/access_review.cpp", "the same"},
  };
  return files;
}
constexpr std::array locks = {"mutex", "lock_guard", "scoped_lock", "unique_lock", "shared_lock", "condition_variable"};

// Files of tests that may sleep or spin until something has come, each with its reason.
const std::map<std::string, std::string, std::less<>>& sleeping_files() {
  static const std::map<std::string, std::string, std::less<>> files = {
      {"tests/cmd/program.cpp",
       "a running program says how it is on pages that answer at once, and tells of no change"},
      {"tests/virtual/conformance/real_side.cpp",
       "a real API server that is busy asks for a pause before the next try"},
  };
  return files;
}
constexpr std::array naps = {"sleep_for", "sleep_until", "this_thread::yield", "usleep(", "nanosleep(", " sleep("};

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

std::string top_of(std::string_view room) { return std::string(room.substr(0, room.find('/'))); }

// The room that an include names: "model/plan.h" is below operator/, "solver/certificate.h" at the root.
std::string room_included(const Include& include) {
  if (!include.quoted) return "";
  const std::string below = room_of("operator/" + include.name);
  return below.empty() ? room_of(include.name) : below;
}

std::optional<std::string> against_an_arrow(const std::string& room, const Include& include) {
  const std::string target = room_included(include);
  if (room.empty() || target.empty() || target == room) return std::nullopt;
  if (!arrows().at(room).contains(target)) return room + "/ may not include " + target + "/";
  if (room == "controller" && target == "policies" && include.name != "policies/policy.h")
    return "controller/ may include policies/policy.h alone: it sees Policy, never a policy";
  return std::nullopt;
}

std::optional<std::string> third_party_out_of_place(std::string_view path, const Include& include) {
  for (const ThirdParty& party : third_parties()) {
    if (!starts_with_any(include.name, party.prefixes)) continue;
    if (party.free_in_tests && room_of(path).empty()) return std::nullopt;
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
  if (auto reason = against_an_arrow(room_of(path), include)) return reason;
  return third_party_out_of_place(path, include);
}

std::vector<std::string> cells_of(const std::string& row) {
  std::vector<std::string> cells;
  std::istringstream stream(row.substr(1));
  for (std::string cell; std::getline(stream, cell, '|');) cells.push_back(cell);
  return cells;
}

// The names in backquotes.
std::vector<std::string> names_in(const std::string& cell) {
  static const std::regex name("`([a-z_/.]+)`");
  std::vector<std::string> names;
  for (std::sregex_iterator match(cell.begin(), cell.end(), name), end; match != end; ++match)
    names.push_back((*match)[1].str());
  return names;
}

// "policies/..." is the room policies and all rooms below it.
void add_rooms(const Arrows& rooms, const std::string& name, std::set<std::string>& into) {
  constexpr std::string_view below = "/...";
  if (!name.ends_with(below)) {
    into.insert(name);
    return;
  }
  const std::string folder = name.substr(0, name.size() - below.size());
  for (const auto& [room, unused] : rooms)
    if (room == folder || room.starts_with(folder + "/")) into.insert(room);
}

template <class Words>
std::optional<std::string> first_of(const Words& words, std::string_view code) {
  for (const std::string_view word : words)
    if (code.find(word) != std::string_view::npos) return std::string(word);
  return std::nullopt;
}

// Things for which one waits by the wrong means.
std::optional<std::string> waiting_violation(std::string_view path, std::string_view code) {
  if (path.starts_with("operator/kubernetes/") && !locked_files().contains(path))
    if (const auto lock = first_of(locks, code)) return "the adapter's state is its loop's, without a lock: " + *lock;
  if (path.starts_with("tests/") && !path.starts_with("tests/architecture/") && !sleeping_files().contains(path))
    if (const auto nap = first_of(naps, code)) return "a test waits for an event, or in virtual time: " + *nap;
  return std::nullopt;
}

}  // namespace

Arrows read_arrows(std::string_view architecture_page) {
  Arrows rooms;
  std::map<std::string, std::vector<std::string>> written;
  std::istringstream lines{std::string(architecture_page)};
  bool inside = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("| room |")) inside = true;
    if (!line.starts_with("|")) inside = false;
    if (!inside || !line.starts_with("| `")) continue;
    const auto cells = cells_of(line);
    if (cells.size() < 3) continue;
    for (const std::string& room : names_in(cells[0])) {
      rooms[room];
      written[room] = names_in(cells[1]);
    }
  }
  for (auto& [room, targets] : rooms) {
    for (const std::string& name : written[room]) add_rooms(rooms, name, targets);
    targets.erase(room);
  }
  return rooms;
}

const Arrows& arrows() {
  static const Arrows read = read_arrows(read_text(std::filesystem::path(LIPS_SOURCE_DIR) / "ARCHITECTURE.md"));
  return read;
}

std::string room_of(std::string_view path) {
  constexpr std::string_view root = "operator/";
  if (path.starts_with(root))
    path.remove_prefix(root.size());
  else if (!path.starts_with("solver/"))
    return "";
  const auto slash = path.rfind('/');
  if (slash == std::string_view::npos) return "";
  const std::string room(path.substr(0, slash));
  return arrows().contains(room) ? room : "";
}

std::set<std::string> rooms_included(std::string_view text) {
  std::set<std::string> rooms;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);)
    if (const auto include = include_in(line))
      if (const std::string room = room_included(*include); !room.empty()) rooms.insert(room);
  return rooms;
}

std::string cycle_in(const Arrows& arrows) {
  std::set<std::string> done;
  std::vector<std::string> way;
  std::string found;
  const std::function<void(const std::string&)> walk = [&](const std::string& room) {
    if (!found.empty() || done.contains(room)) return;
    const auto before = std::find(way.begin(), way.end(), room);
    if (before != way.end()) {
      for (auto step = before; step != way.end(); ++step) found += *step + " -> ";
      found += room;
      return;
    }
    way.push_back(room);
    if (const auto out = arrows.find(room); out != arrows.end())
      for (const std::string& next : out->second) walk(next);
    way.pop_back();
    done.insert(room);
  };
  for (const auto& [room, targets] : arrows) walk(room);
  return found;
}

std::vector<std::string> circles_of_files(const std::map<std::string, std::string>& text_by_path) {
  const auto unit_of = [](std::string_view path) { return std::string(path.substr(0, path.rfind('.'))); };
  Arrows reached;  // unit to the units of its room that it includes, then to all that it reaches
  for (const auto& [path, text] : text_by_path) {
    if (room_of(path).empty()) continue;
    std::set<std::string>& out = reached[unit_of(path)];
    std::istringstream lines{text};
    for (std::string line; std::getline(lines, line);)
      if (const auto include = include_in(line); include && include->quoted)
        for (const std::string& included : {"operator/" + include->name, include->name})
          if (text_by_path.contains(included) && room_of(included) == room_of(path)) out.insert(unit_of(included));
    out.erase(unit_of(path));
  }
  for (bool grown = true; grown;) {
    grown = false;
    for (auto& [unit, out] : reached) {
      const std::size_t before = out.size();
      for (const std::string& next : std::set<std::string>(out)) out.insert(reached[next].begin(), reached[next].end());
      grown = grown || out.size() > before;
    }
  }
  std::set<std::string> circles;
  for (const auto& [unit, out] : reached) {
    if (!out.contains(unit)) continue;
    const std::size_t slash = unit.rfind('/');
    std::string circle = unit.substr(0, slash) + ":";
    for (const std::string& other : out)
      if (reached[other].contains(unit)) circle += " " + other.substr(slash + 1);
    circles.insert(circle);
  }
  return {circles.begin(), circles.end()};
}

std::vector<std::string> violations(std::string_view path, std::string_view text) {
  std::vector<std::string> found;
  const std::string room = room_of(path);
  const bool no_clock = std::find(timeless.begin(), timeless.end(), top_of(room)) != timeless.end();
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
    if (const auto reason = waiting_violation(path, code)) found.push_back(place + *reason);
    for (const std::string_view clock : clocks)
      if (no_clock && code.find(clock) != std::string::npos)
        found.push_back(place + room + "/ reads no clock and no chance of its own: " + std::string(clock));
  }
  const std::size_t most = room_of(path).empty() ? most_lines_of_tests : most_lines;
  if (number > most && !long_files().contains(path))
    found.push_back(std::string(path) + ": " + std::to_string(number) + " lines; more than " + std::to_string(most) +
                    " need a reason in tests/architecture/source_rules.cpp");
  return found;
}

std::vector<std::string> link_violations(std::string_view folder, std::string_view cmake) {
  std::set<std::string> allowed = {"options", "version"};
  for (const auto& [room, targets] : arrows())
    if (top_of(room) == folder)
      for (const std::string& target : targets) allowed.insert(top_of(target));
  std::vector<std::string> found;
  static const std::regex command(R"(target_link_libraries\(\s*(?:lips_)?([a-z]+)([^)]*)\))");
  static const std::regex library(R"(\blips_([a-z]+)\b)");
  const std::string text(cmake);
  for (std::sregex_iterator link(text.begin(), text.end(), command), end; link != end; ++link) {
    const std::string target = (*link)[1].str();
    if (target != folder && !(folder == "cmd" && target == "lips")) continue;
    const std::string libraries = (*link)[2].str();
    for (std::sregex_iterator name(libraries.begin(), libraries.end(), library); name != end; ++name)
      if (!allowed.contains((*name)[1].str())) found.push_back((*name)[1].str());
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
