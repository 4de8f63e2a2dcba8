// The files in a folder of HDFS and in the folders below it, listed level by level from answers of WebHDFS. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kubernetes/data/discovered.h"

namespace lips::kubernetes {

inline constexpr std::size_t most_hdfs_folders = 5'000;
inline constexpr int most_hdfs_levels = 12;  // of folders below the one that is named

class HdfsWalk {
 public:
  explicit HdfsWalk(const DiscoveryRequest& hdfs) : hdfs_(hdfs), to_list_{hdfs.path} {}

  bool done() const { return to_list_.empty(); }
  // The addresses of the folders to list next.
  std::vector<std::string> urls() const;
  int level() const { return level_; }
  // The answers to these, one line each.
  Result<void> take(std::string_view answers);
  // Once it is done: what is data, sorted by path.
  const std::vector<DataFile>& files() const { return files_; }

 private:
  DiscoveryRequest hdfs_;
  std::vector<std::string> to_list_;
  std::vector<DataFile> files_;
  std::size_t folders_ = 1;
  int level_ = 0;
};

}  // namespace lips::kubernetes
