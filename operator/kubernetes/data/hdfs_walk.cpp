#include "kubernetes/data/hdfs_walk.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "kubernetes/data/data_names.h"

namespace lips::kubernetes {

std::vector<std::string> HdfsWalk::urls() const {
  std::vector<std::string> urls;
  for (const std::string& folder : to_list_) urls.push_back(hdfs_status_url(hdfs_, folder));
  return urls;
}

Result<void> HdfsWalk::take(std::string_view answers) {
  const auto too_many = [this](std::string_view what, auto found, auto allowed) {
    return fail(ErrorCode::invalid_input,
                fmt::format("found {} {} below {}; allowed: {}", found, what, hdfs_.path, allowed));
  };
  std::vector<std::string> next;
  for (const std::string& folder : std::exchange(to_list_, {})) {
    const std::string_view line = answers.substr(0, answers.find('\n'));
    answers.remove_prefix(std::min(line.size() + 1, answers.size()));
    Result<HdfsListing> found = read_hdfs_status(line, folder);
    if (!found) return tl::unexpected(found.error());
    files_.insert(files_.end(), found->files.begin(), found->files.end());
    next.insert(next.end(), found->folders.begin(), found->folders.end());
    // The metadata of tables is among them, and left out in the end.
    if (files_.size() > 2 * most_discovered_files) return too_many("files", files_.size(), most_discovered_files);
  }
  folders_ += next.size();
  if (folders_ > most_hdfs_folders) return too_many("folders", folders_, most_hdfs_folders);
  if (!next.empty() && ++level_ > most_hdfs_levels) return too_many("levels of folders", level_, most_hdfs_levels);
  to_list_ = std::move(next);
  if (!done()) return {};
  Result<std::vector<DataFile>> data = data_among(std::move(files_), hdfs_.path);
  if (!data) return tl::unexpected(data.error());
  files_ = *std::move(data);
  return {};
}

}  // namespace lips::kubernetes
