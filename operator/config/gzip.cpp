#include "config/gzip.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <new>

namespace lips {

namespace {

constexpr std::size_t part_size = 1 << 20;
constexpr int gzip_window = 15 + 16;  // zlib's largest window, with gzip's header

Bytef* bytes_of(const char* text) { return reinterpret_cast<Bytef*>(const_cast<char*>(text)); }

}  // namespace

std::string gzipped(std::string_view text) {
  z_stream stream{};
  if (deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, gzip_window, 8, Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::bad_alloc();
  std::string out;
  do {
    const std::size_t part = std::min(text.size(), part_size), before = out.size();
    stream.next_in = bytes_of(text.data()), stream.avail_in = static_cast<uInt>(part);
    out.resize(before + deflateBound(&stream, part));
    stream.next_out = bytes_of(out.data()) + before, stream.avail_out = static_cast<uInt>(out.size() - before);
    deflate(&stream, part == text.size() ? Z_FINISH : Z_NO_FLUSH);
    out.erase(out.size() - stream.avail_out);
    text.remove_prefix(part);
  } while (!text.empty());
  deflateEnd(&stream);
  return out;
}

bool is_gzipped(std::string_view bytes) { return bytes.starts_with("\x1f\x8b"); }

Result<std::string> gunzipped(const std::string& name, std::string_view bytes) {
  z_stream stream{};
  if (inflateInit2(&stream, gzip_window) != Z_OK) throw std::bad_alloc();
  stream.next_in = bytes_of(bytes.data()), stream.avail_in = static_cast<uInt>(std::min(bytes.size(), most_unpacked));
  std::string out;
  int code = Z_OK;
  while (code == Z_OK && out.size() <= most_unpacked) {
    const std::size_t before = out.size();
    out.resize(before + part_size);
    stream.next_out = bytes_of(out.data()) + before, stream.avail_out = part_size;
    code = inflate(&stream, Z_NO_FLUSH);
    out.erase(out.size() - stream.avail_out);
  }
  inflateEnd(&stream);
  if (out.size() > most_unpacked)
    return fail(ErrorCode::invalid_input, fmt::format("{}: holds more than 1 GiB of text", name));
  if (code != Z_STREAM_END) return fail(ErrorCode::invalid_input, fmt::format("{}: damaged or cut off", name));
  return out;
}

}  // namespace lips
