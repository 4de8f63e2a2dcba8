// Reads files and replicas of a data set from the listing of a store or from answers of HDFS. Pure.
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

// The files below a folder that are data (data_names.h) and not empty, sorted by path.
Result<std::vector<DataFile>> data_among(std::vector<DataFile> files, const std::string& folder);

// `rclone lsjson` of a folder: the data below it, with paths from the store's root.
Result<Discovered> read_listing(std::string_view text, const DataSetSpec& spec);

// WebHDFS LISTSTATUS of a folder or of one file: the files and folders in it (not below) whose names are those of data,
// without a leading slash. Symbolic links are left out.
struct HdfsListing {
  std::vector<DataFile> files;
  std::vector<std::string> folders;
};
Result<HdfsListing> read_hdfs_status(std::string_view text, const std::string& path);
std::string hdfs_status_url(const DiscoveryRequest& hdfs, const std::string& path);
std::string hdfs_blocks_url(const DiscoveryRequest& hdfs, const DataFile& file);
// `locations`: WebHDFS GETFILEBLOCKLOCATIONS of each file in that order, one line each. Blocks must have the size
// spec.blockSize. Ignores replicas on hosts that spec.discover.hdfs.hosts does not name, and blocks that a writer has
// added since the files were listed.
Result<Discovered> read_hdfs_blocks(const std::vector<DataFile>& files, std::string_view locations,
                                    const DataSetSpec& spec);

// Says whether blocks keep their numbers and contents: files were only appended, or nothing changed.
bool only_added(const std::vector<DataFile>& before, const std::vector<DataFile>& now);

}  // namespace lips::kubernetes
