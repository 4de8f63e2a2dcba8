#include "kubernetes/data/data_names.h"

#include <algorithm>
#include <set>
#include <string>

namespace lips::kubernetes {
namespace {

constexpr std::string_view iceberg_folder = "metadata", iceberg_file = ".metadata.json";

std::string_view below(std::string_view path, std::string_view root) {
  return root.empty() ? path : path.substr(std::min(path.size(), root.size() + 1));  // none: it is the file itself
}

std::string_view folder_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
}

std::string_view last_name(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

bool all_name_data(std::string_view path) {
  while (!path.empty()) {
    const std::size_t end = std::min(path.find('/'), path.size());
    if (!names_data(path.substr(0, end))) return false;
    path.remove_prefix(std::min(path.size(), end + 1));
  }
  return true;
}

}  // namespace

// Spark: HadoopFSUtils.shouldFilterOutPathName.
bool names_data(std::string_view name) {
  if (name.starts_with('.') || name.ends_with("._COPYING_")) return false;
  return !name.starts_with('_') || name.find('=') != std::string_view::npos;
}

void leave_only_data(std::vector<DataFile>& files, std::string_view root) {
  std::set<std::string, std::less<>> of_tables;
  for (const DataFile& file : files) {
    const std::string_view path = below(file.path, root), folder = folder_of(path);
    if (last_name(folder) == iceberg_folder && path.ends_with(iceberg_file)) of_tables.emplace(folder);
  }
  const auto is_metadata = [&](std::string_view path) {
    for (std::string_view folder = folder_of(path); !folder.empty(); folder = folder_of(folder))
      if (of_tables.contains(folder)) return true;
    return false;
  };
  std::erase_if(files, [&](const DataFile& file) {
    const std::string_view path = below(file.path, root);
    return !all_name_data(path) || is_metadata(path);
  });
}

}  // namespace lips::kubernetes
