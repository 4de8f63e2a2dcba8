#include "kubernetes/api/missing_rights.h"

#include <algorithm>
#include <utility>

namespace lips::kubernetes {

namespace {

bool is_write(Verb verb) { return verb != Verb::get && verb != Verb::list && verb != Verb::watch; }

std::string namespace_of_path(std::string_view path) {
  constexpr std::string_view word = "/namespaces/";
  const std::size_t at = path.find(word);
  if (at == std::string_view::npos) return "";
  const std::size_t begin = at + word.size(), end = path.find('/', begin);
  return end == std::string_view::npos ? "" : std::string(path.substr(begin, end - begin));
}

}  // namespace

bool says_no_right(int code, std::string_view message) {
  return code == 403 && message.find(" cannot ") != std::string_view::npos &&
         message.find(" resource \"") != std::string_view::npos;
}

std::string right_in_words(Verb verb, std::string_view path) {
  std::string words = std::string(verb_name(verb)) + ' ' + resource_of_path(path);
  if (const std::string name_space = namespace_of_path(path); !name_space.empty()) words += " in " + name_space;
  return words;
}

MissingRights::Right MissingRights::right_of(Verb verb, std::string_view path) {
  return {verb, resource_of_path(path), namespace_of_path(path)};
}

bool MissingRights::covers(Verb verb) { return is_write(verb); }

std::optional<Error> MissingRights::refused(Verb verb, std::string_view path, Duration now) {
  if (missing_.empty() || !is_write(verb)) return std::nullopt;
  const auto found = missing_.find(right_of(verb, path));
  if (found == missing_.end() || found->second.refusals < free_refusals) return std::nullopt;
  Missing& missing = found->second;
  if (now < missing.again) return missing.error;
  missing.probing = true;
  missing.again = now + missing.pause;  // should no answer come
  return std::nullopt;
}

void MissingRights::note(Verb verb, std::string_view path, int code, const Error& error, Duration now) {
  if (!is_write(verb) || code == 0 || code == 429 || code >= 500) return;  // says nothing about a right
  if (!says_no_right(code, error.message)) {
    if (!missing_.empty()) missing_.erase(right_of(verb, path));
    return;
  }
  Missing& missing = missing_[right_of(verb, path)];
  missing.error = error;
  ++missing.refusals;
  const bool probed = std::exchange(missing.probing, false);
  if (!probed && missing.refusals != free_refusals) return;  // the others of those were under way
  if (probed) missing.pause = std::min(2 * missing.pause, longest_pause);
  missing.again = now + missing.pause;
}

}  // namespace lips::kubernetes
