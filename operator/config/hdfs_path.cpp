#include "config/hdfs_path.h"

#include <algorithm>

namespace lips {
namespace {

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// With each %XX as its character; the rest stays.
std::string percent_read(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const int high = text[i] == '%' && i + 2 < text.size() ? hex_digit(text[i + 1]) : -1;
    const int low = high < 0 ? -1 : hex_digit(text[i + 2]);
    result += low < 0 ? text[i] : static_cast<char>(high * 16 + low);
    if (low >= 0) i += 2;
  }
  return result;
}

// Bytes C0 and C1 begin too long forms of ASCII characters, which some readers take for these.
bool is_plain(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x20 && byte != 0x7f && byte != 0xc0 && byte != 0xc1 && c != '/';
}

bool names_one_entry(std::string_view name) {
  const std::string_view bare = name.substr(0, name.find(';'));
  return !name.empty() && bare != "." && bare != ".." && std::all_of(name.begin(), name.end(), is_plain);
}

// However often its %XX are read.
bool names_one_entry_to_all(std::string name) {
  while (names_one_entry(name)) {
    std::string read = percent_read(name);
    if (read == name) return true;
    name = std::move(read);
  }
  return false;
}

}  // namespace

std::optional<std::vector<std::string>> hdfs_names(std::string_view path) {
  while (path.starts_with('/')) path.remove_prefix(1);
  while (path.ends_with('/')) path.remove_suffix(1);
  std::vector<std::string> names;
  while (!path.empty()) {
    const std::size_t end = std::min(path.find('/'), path.size());
    names.emplace_back(path.substr(0, end));
    if (!names_one_entry_to_all(names.back())) return std::nullopt;
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return names;
}

bool is_below(const std::vector<std::string>& path, const std::vector<std::string>& folder) {
  return path.size() >= folder.size() && std::equal(folder.begin(), folder.end(), path.begin());
}

}  // namespace lips
