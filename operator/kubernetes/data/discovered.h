// What a listing of a store and HDFS's own answers say about a data set. Pure; asks nobody.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kubernetes/data/resources.h"

namespace lips::kubernetes {

struct Discovered {
  std::vector<DataFile> files;       // sorted by path
  std::vector<PlacedBlocks> stores;  // sorted by name
};

inline constexpr std::size_t most_discovered_files = 10'000;

// `rclone lsjson` of a folder: files below it, with paths from the store's root. Empty files are left out.
Result<Discovered> read_listing(std::string_view text, const DataSetSpec& spec);

// WebHDFS LISTSTATUS of a folder or of one file: the files in it (not below), without a slash in front.
Result<std::vector<DataFile>> read_hdfs_status(std::string_view text, const std::string& path);
std::string hdfs_status_url(const DiscoveryRequest& hdfs);
std::string hdfs_blocks_url(const DiscoveryRequest& hdfs, const DataFile& file);
// `locations`: WebHDFS GETFILEBLOCKLOCATIONS of each file in that order, a line each. Blocks have to be cut as
// spec.blockSize says; replicas on hosts that spec.discover.hdfs.hosts does not name are not used, nor what a writer
// has added since the files were listed.
Result<Discovered> read_hdfs_blocks(const std::vector<DataFile>& files, std::string_view locations,
                                    const DataSetSpec& spec);

// Whether blocks keep their numbers and contents: files were added behind, or nothing changed.
bool only_added(const std::vector<DataFile>& before, const std::vector<DataFile>& now);

}  // namespace lips::kubernetes
