// A path as Spark and Hadoop write it: s3a://bucket/folder, hdfs://namenode:8020/folder. Knows no stores.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace lips::kubernetes {

struct DataPath {
  enum class Service : std::uint8_t { s3, google, hdfs };
  Service service = Service::s3;
  // The bucket, or the host of the name node without its port; empty: the file system that Hadoop is configured with.
  std::string authority;
  std::string path;  // without slashes at its ends; nothing in it is an escape or a pattern
  friend bool operator==(const DataPath&, const DataPath&) = default;
};

// Says whether that value of lips.dev/dataset is a path, good or bad; else it is the name of a DataSet.
inline bool is_data_path(std::string_view text) { return text.find("://") != std::string_view::npos; }
// The error has the value found, unless that holds a password, and the allowed ones.
Result<DataPath> read_data_path(const std::string& text);
// The host in lower case, without its port; empty: there is none.
std::string host_of(std::string_view url);

// The beginning of what people wrote, for messages: whole characters of UTF-8.
std::string beginning_of(const std::string& text);

}  // namespace lips::kubernetes
