#include "config/text_file.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <type_traits>

#include "config/gzip.h"

namespace lips {

namespace {

constexpr std::size_t chunk = 1 << 20;

struct CloseGz {
  void operator()(gzFile file) const { gzclose(file); }
};
using GzHandle = std::unique_ptr<std::remove_pointer_t<gzFile>, CloseGz>;

Result<void> write_compressed(const std::string& path, std::string_view text) {
  gzFile file = gzopen(path.c_str(), "wb1");
  if (!file) return fail(ErrorCode::unavailable, fmt::format("{}: cannot be written: {}", path, std::strerror(errno)));
  while (!text.empty()) {
    const std::string_view part = text.substr(0, chunk);
    if (gzwrite(file, part.data(), static_cast<unsigned>(part.size())) != static_cast<int>(part.size())) {
      gzclose(file);
      return fail(ErrorCode::unavailable, fmt::format("{}: writing stopped: {}", path, std::strerror(errno)));
    }
    text.remove_prefix(part.size());
  }
  if (gzclose(file) != Z_OK) return fail(ErrorCode::unavailable, fmt::format("{}: writing stopped", path));
  return {};
}

Result<void> write_plain(const std::string& path, std::string_view text) {
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (!file) return fail(ErrorCode::unavailable, fmt::format("{}: cannot be written: {}", path, std::strerror(errno)));
  const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  const bool closed = std::fclose(file) == 0;
  if (!written || !closed) return fail(ErrorCode::unavailable, fmt::format("{}: writing stopped", path));
  return {};
}

}  // namespace

Result<std::string> read_text_file(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    return fail(ErrorCode::invalid_input, fmt::format("{}: expected a file, found a folder", path));
  errno = 0;
  const GzHandle file(gzopen(path.c_str(), "rb"));
  if (!file) return fail(ErrorCode::not_found, fmt::format("{}: cannot be read: {}", path, std::strerror(errno)));
  gzbuffer(file.get(), chunk);
  std::string text;
  for (;;) {
    const std::size_t before = text.size();
    if (before > most_unpacked)
      return fail(ErrorCode::invalid_input, fmt::format("{}: holds more than 1 GiB of text", path));
    text.resize(before + chunk);
    const int count = gzread(file.get(), text.data() + before, chunk);
    text.resize(before + static_cast<std::size_t>(std::max(count, 0)));
    if (count < static_cast<int>(chunk)) break;
  }
  int code = Z_OK;
  const char* reason = gzerror(file.get(), &code);
  if (code != Z_OK && code != Z_STREAM_END)
    return fail(ErrorCode::invalid_input, fmt::format("{}: damaged or cut off: {}", path, reason));
  return text;
}

Result<void> write_text_file(const std::string& path, std::string_view text) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    return fail(ErrorCode::unavailable, fmt::format("{}: cannot be written: it is a folder", path));
  const std::string unfinished = path + ".unfinished";
  Result<void> written = path.ends_with(".gz") ? write_compressed(unfinished, text) : write_plain(unfinished, text);
  if (!written) {
    std::remove(unfinished.c_str());
    return written;
  }
  if (std::rename(unfinished.c_str(), path.c_str()) == 0) return {};
  const int reason = errno;
  std::remove(unfinished.c_str());
  return fail(ErrorCode::unavailable, fmt::format("{}: cannot be written: {}", path, std::strerror(reason)));
}

}  // namespace lips
