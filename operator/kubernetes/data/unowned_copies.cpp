#include "kubernetes/data/unowned_copies.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "kubernetes/data/access.h"

namespace lips::kubernetes {
namespace {

constexpr std::string_view last_line = "complete";
constexpr std::size_t longest_path = 1024;  // of an example

// Takes the part behind the last tab off a line.
std::optional<std::int64_t> take_number(std::string_view& line) {
  const std::size_t tab = line.rfind('\t');
  if (tab == std::string_view::npos) return std::nullopt;
  const std::string_view digits = line.substr(tab + 1);
  line = line.substr(0, tab);
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end != digits.data() + digits.size() || number < 0) return std::nullopt;
  return number;
}

void add(std::int64_t& sum, std::int64_t more) {
  if (__builtin_add_overflow(sum, more, &sum)) sum = std::numeric_limits<std::int64_t>::max();
}

}  // namespace

Result<std::vector<CopyFolder>> read_copy_folders(std::string_view text) {
  std::vector<CopyFolder> folders;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line == last_line && text.empty()) {
      std::sort(folders.begin(), folders.end(), [](const auto& a, const auto& b) { return a.path < b.path; });
      return folders;
    }
    const std::optional<std::int64_t> bytes = take_number(line), files = take_number(line);
    if (!bytes || !files || line.empty())
      return fail(ErrorCode::invalid_input, fmt::format("a list of copies: line {} is not understood: '{}'",
                                                        folders.size() + 1, line.substr(0, 80)));
    folders.push_back({std::string(line), *files, *bytes});
  }
  return fail(ErrorCode::invalid_input,
              fmt::format("a list of copies ends after {} folders, without its last line", folders.size()));
}

bool is_owned(std::string_view path, const Owners& owners) {
  std::vector<std::string> parts;
  for (std::size_t from = 0; from <= path.size();) {
    const std::size_t end = std::min(path.find('/', from), path.size());
    parts.emplace_back(path.substr(from, end - from));
    from = end + 1;
  }
  if (parts.size() < 3) return false;
  return owners.contains(parts[2]) || (parts[0] == "moving" && owners.contains(parts[1]));
}

UnownedCopies unowned_among(const std::vector<CopyFolder>& folders, const Owners& owners,
                            const std::optional<UnownedCopies>& before, TimePoint looked) {
  UnownedCopies found;
  found.looked = looked;
  std::vector<UnownedFolder> known, fresh;
  for (const CopyFolder& folder : folders) {
    if (is_owned(folder.path, owners)) continue;
    add(found.copies, folder.files);
    add(found.bytes, folder.bytes);
    const std::string path = copies_root + ('/' + folder.path);
    if (path.size() > longest_path) continue;
    const auto same = [&](const UnownedFolder& each) { return each.path == path; };
    const UnownedFolder* seen = nullptr;
    if (before)
      if (const auto place = std::find_if(before->examples.begin(), before->examples.end(), same);
          place != before->examples.end())
        seen = &*place;
    (seen ? known : fresh).push_back({path, folder.files, folder.bytes, seen ? seen->since : looked});
  }
  std::stable_sort(known.begin(), known.end(), [](const auto& a, const auto& b) { return a.since < b.since; });
  for (const std::vector<UnownedFolder>* each : {&known, &fresh})
    for (const UnownedFolder& folder : *each)
      if (found.examples.size() < most_unowned_examples) found.examples.push_back(folder);
  return found;
}

}  // namespace lips::kubernetes
