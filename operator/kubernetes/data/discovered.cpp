#include "kubernetes/data/discovered.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "kubernetes/api/api_client.h"
#include "kubernetes/data/data_names.h"

namespace lips::kubernetes {
namespace {

using Json = nlohmann::json;

// Never quotes the answer of a service: readers of events may lack the right to query it.
tl::unexpected<Error> malformed(std::string_view what, std::string_view found) {
  return fail(ErrorCode::invalid_input, fmt::format("{}: not understood, {} bytes", what, found.size()));
}

// Our words for the names of HDFS exceptions.
std::string_view hdfs_refusal(std::string_view exception) {
  if (exception == "FileNotFoundException") return "there is no such file or folder";
  if (exception == "AccessControlException" || exception == "SecurityException") return "access is denied";
  if (exception == "StandbyException") return "this name node stands by";
  return "";
}

// The value at that path of names; null when there is none.
const Json& at(const Json& json, std::initializer_list<const char*> names) {
  static const Json none;
  const Json* place = &json;
  for (const char* name : names) {
    if (!place->is_object() || !place->contains(name)) return none;
    place = &(*place)[name];
  }
  return *place;
}

std::string joined(std::string folder, const std::string& name) {
  while (folder.ends_with('/')) folder.pop_back();
  while (folder.starts_with('/')) folder.erase(0, 1);
  if (folder.empty() || name.empty()) return folder + name;
  return folder + '/' + name;
}

std::uint32_t blocks_of(const DataFile& file, std::int64_t block_size) {
  return block_size > 0 ? static_cast<std::uint32_t>((file.size + block_size - 1) / block_size) : 1;
}

// rclone writes other characters for those that no file system has in a name: pictures of control characters, a mark
// before bytes that are no character, and a wide full stop where a part of the path is "." or "..".
bool is_renamed(std::string_view path) {
  for (std::string_view first : {"\xE2\x90", "\xE2\x91", "\xE2\x80\x9B"})
    if (path.find(first) != std::string_view::npos) return true;
  const std::string framed = '/' + std::string(path) + '/';
  return framed.find("/\xEF\xBC\x8E/") != std::string::npos ||
         framed.find("/\xEF\xBC\x8E\xEF\xBC\x8E/") != std::string::npos;
}

std::string hdfs_url(const DiscoveryRequest& hdfs, const std::string& path, const char* operation) {
  std::string encoded;
  for (std::size_t from = 0; from < path.size();) {
    const std::size_t end = std::min(path.find('/', from), path.size());
    if (end > from) encoded += '/' + percent_encoded(path.substr(from, end - from));
    from = end + 1;
  }
  std::string url = hdfs.url;
  while (url.ends_with('/')) url.pop_back();
  return fmt::format("{}/webhdfs/v1{}?op={}{}", url, encoded, operation,
                     hdfs.user.empty() ? "" : "&user.name=" + percent_encoded(hdfs.user));
}

}  // namespace

Result<std::vector<DataFile>> data_among(std::vector<DataFile> files, const std::string& folder) {
  leave_only_data(files, joined(folder, ""));
  std::erase_if(files, [](const DataFile& file) { return file.size <= 0; });
  std::sort(files.begin(), files.end(), [](const DataFile& a, const DataFile& b) { return a.path < b.path; });
  if (files.size() > most_discovered_files)
    return fail(ErrorCode::invalid_input,
                fmt::format("found {} files; allowed: {}", files.size(), most_discovered_files));
  return files;
}

Result<Discovered> read_listing(std::string_view text, const DataSetSpec& spec) {
  const Json list = Json::parse(text, nullptr, false);
  if (!list.is_array()) return malformed("the listing", text);
  std::vector<DataFile> listed;
  for (const Json& entry : list) {
    const Json &path = at(entry, {"Path"}), &size = at(entry, {"Size"});
    if (!path.is_string() || !size.is_number_integer()) return malformed("the listing", entry.dump());
    const std::string name = path.get<std::string>();
    if (is_renamed(name))
      return fail(ErrorCode::invalid_input,
                  fmt::format("found an object listed as '{}', with another character in its name than it has; "
                              "allowed: names without control characters and without parts '.' and '..'",
                              name));
    listed.push_back({joined(spec.discover.path, name), size.get<std::int64_t>(), ""});
  }
  Result<std::vector<DataFile>> files = data_among(std::move(listed), spec.discover.path);
  if (!files) return tl::unexpected(files.error());
  Discovered found{*std::move(files), {}};
  std::uint32_t blocks = 0;
  for (const DataFile& file : found.files) blocks += blocks_of(file, spec.block_size);
  found.stores.push_back({spec.discover.store, BlockRanges::all(blocks)});
  return found;
}

Result<HdfsListing> read_hdfs_status(std::string_view text, const std::string& path) {
  const Json answer = Json::parse(text, nullptr, false);
  const Json& statuses = at(answer, {"FileStatuses", "FileStatus"});
  if (!statuses.is_array()) {
    const Json& exception = at(answer, {"RemoteException", "exception"});
    const std::string_view why = hdfs_refusal(exception.is_string() ? exception.get<std::string>() : std::string());
    if (!why.empty()) return fail(ErrorCode::invalid_input, fmt::format("HDFS LISTSTATUS of {}: {}", path, why));
    return malformed("HDFS LISTSTATUS", text);
  }
  HdfsListing listing;
  for (const Json& status : statuses) {
    const Json &type = at(status, {"type"}), &name = at(status, {"pathSuffix"}), &length = at(status, {"length"});
    if (!type.is_string() || !name.is_string() || !length.is_number_integer())
      return malformed("HDFS LISTSTATUS", status.dump());
    const std::string file = name.get<std::string>();
    if (!file.empty() && !names_data(file)) continue;
    if (type == "DIRECTORY" && !file.empty()) listing.folders.push_back(joined(path, file));
    if (type != "FILE") continue;
    if (at(status, {"ecBit"}) == true)
      return fail(
          ErrorCode::invalid_input,
          fmt::format("/{} is erasure-coded in HDFS: no data node holds a whole block of it", joined(path, file)));
    listing.files.push_back({joined(path, file), length.get<std::int64_t>(), ""});
  }
  return listing;
}

std::string hdfs_status_url(const DiscoveryRequest& hdfs, const std::string& path) {
  return hdfs_url(hdfs, path, "LISTSTATUS");
}
std::string hdfs_blocks_url(const DiscoveryRequest& hdfs, const DataFile& file) {
  return hdfs_url(hdfs, file.path, "GETFILEBLOCKLOCATIONS");
}

Result<Discovered> read_hdfs_blocks(const std::vector<DataFile>& files, std::string_view locations,
                                    const DataSetSpec& spec) {
  std::map<std::string, std::string> store_of;
  for (const HostStore& host : spec.discover.hosts) store_of[host.host] = host.store;
  std::map<std::string, BlockRanges> held;
  std::uint32_t first = 0;
  for (const DataFile& file : files) {
    const std::string_view line = locations.substr(0, locations.find('\n'));
    locations.remove_prefix(std::min(line.size() + 1, locations.size()));
    const Json answer = Json::parse(line, nullptr, false);
    const Json& blocks = at(answer, {"BlockLocations", "BlockLocation"});
    if (!blocks.is_array()) return malformed("HDFS GETFILEBLOCKLOCATIONS of " + file.path, line);
    for (const Json& block : blocks) {
      const Json &offset = at(block, {"offset"}), &length = at(block, {"length"}), &hosts = at(block, {"hosts"});
      if (!offset.is_number_integer() || !length.is_number_integer() || !hosts.is_array())
        return malformed("HDFS GETFILEBLOCKLOCATIONS of " + file.path, block.dump());
      const std::int64_t from = offset, size = length;
      const std::int64_t cut = spec.block_size > 0 ? spec.block_size : file.size;
      // The file is being written: this block began after the listing, and the last one may have grown.
      if (from >= file.size) continue;
      const std::int64_t listed = std::min(cut, file.size - from);
      const bool last = from + listed == file.size;
      if (from % cut != 0 || size < listed || (size > listed && !last))
        return fail(ErrorCode::invalid_input,
                    fmt::format("spec.blockSize: {} bytes do not fit a block of {} bytes at {} of /{} in HDFS", cut,
                                size, from, file.path));
      if (at(block, {"corrupt"}) == true) continue;
      for (const Json& host : hosts) {
        const auto store = host.is_string() ? store_of.find(host.get<std::string>()) : store_of.end();
        if (store != store_of.end()) held[store->second].add(first + static_cast<std::uint32_t>(from / cut));
      }
    }
    first += blocks_of(file, spec.block_size);
  }
  Discovered found{files, {}};
  for (auto& [store, ranges] : held) found.stores.push_back({store, std::move(ranges)});
  return found;
}

bool only_added(const std::vector<DataFile>& before, const std::vector<DataFile>& now) {
  return before.size() <= now.size() && std::equal(before.begin(), before.end(), now.begin());
}

}  // namespace lips::kubernetes
