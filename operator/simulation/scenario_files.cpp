#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>
#include <filesystem>

#include "config/text_file.h"
#include "simulation/scenario_draft.h"

namespace lips::simulation {

namespace {

namespace fs = std::filesystem;

std::vector<std::string> places_of(const std::string& name, std::string_view kind, const ScenarioDraft& draft) {
  if (fs::path(name).is_absolute()) return {name};
  std::vector<std::string> places;
  places.push_back((fs::path(draft.errors.file).parent_path() / name).string());
  places.push_back(draft.config_folder + "/traces/" + name);
  const char* environment = std::getenv("LIPS_DATA");
  const std::string data = !draft.options.data_folder.empty() ? draft.options.data_folder
                           : environment                      ? environment
                                                              : "";
  if (!data.empty()) {
    places.push_back(fmt::format("{}/traces/{}/{}", data, kind, name));
    places.push_back(data + "/" + name);
  }
  return places;
}

}  // namespace

std::optional<std::string> read_data_file(YamlMap& fields, std::string_view key, std::string_view kind,
                                          std::string_view source, ScenarioDraft& draft) {
  const std::string name = fields.text(key);
  const std::vector<std::string> places = places_of(name, kind, draft);
  for (const std::string& place : places) {
    std::error_code ignored;
    if (!fs::is_regular_file(place, ignored)) continue;
    Result<std::string> text = read_text_file(place);
    if (text) return std::move(*text);
    draft.errors.messages.push_back(text.error().message);
    return std::nullopt;
  }
  fields.error(
      key, fmt::format("no file '{}' (looked at {})", name, fmt::join(places, ", ")),
      fmt::format("a trace that is there; {}, LIPS_DATA names the folder that has them under traces/{}", source, kind));
  return std::nullopt;
}

}  // namespace lips::simulation
