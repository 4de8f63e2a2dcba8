// The scripts that run in the containers of moves. They need rclone and a POSIX shell with sha256sum and awk, and may
// be killed and restarted at any point.
#pragma once

#include <string>

namespace lips::kubernetes {

std::string copy_script();          // blocks to temporary names, and their checksums to a file
std::string verify_script();        // reads them back, compares, renames
std::string sums_script();          // checksums beside the source
std::string serve_script();         // a store, to whom admit_script() admits
std::string admit_script();         // part of it
std::string serve_source_script();  // to the Job of the same move   // a folder by HTTP
std::string delete_script();        // files and folders
std::string list_script();          // files, as JSON
std::string look_script();          // folders of copies with number and size of their files
std::string fetch_script();         // what URLs answer

}  // namespace lips::kubernetes
