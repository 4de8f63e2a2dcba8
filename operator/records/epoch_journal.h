// The last decisions of an operator in a folder of bounded size, as logs: each record is what differs from the one
// before it, and each file begins with a whole one, so the oldest file can go. Knows no policy and no clock.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "records/journal_files.h"

namespace lips {

// Adds to the end of a file, which it creates. When it fails, the file is as before.
std::error_code append_to_file(const std::string& path, std::string_view bytes);

class EpochJournal {
 public:
  using Append = std::function<std::error_code(const std::string& path, std::string_view bytes)>;

  // Creates a missing folder, or continues after the epochs that are in it; cuts off the end of the newest file behind
  // its last whole record.
  static Result<EpochJournal> open(const std::string& directory, Mebibytes size, Append append = append_to_file);

  void set_size(Mebibytes size) { size_ = size; }
  // Looks at the folder: another replica that shares it may have led, and written, meanwhile.
  std::uint64_t next_epoch();
  // Adds a text of write_epoch with the number next_epoch(). Deletes the oldest files before that, until the rest fits
  // the size and the disk.
  Result<void> add(std::string text);
  std::uint64_t bytes() const { return bytes_; }

 private:
  struct File {
    std::string path;
    std::uint64_t bytes = 0;
  };
  bool newest_is_over() const;
  void go_on_after(const std::vector<JournalFile>& files);
  void begin_file();
  Result<void> write(const std::string& bytes);
  void drop_oldest();
  double most_bytes() const { return size_.value() * bytes_per_mebibyte; }

  std::string directory_;
  Mebibytes size_;
  Append append_;
  std::vector<File> files_;  // oldest first
  std::uint64_t bytes_ = 0, next_ = 1;
  // The newest file, while records are added to it: records, bytes of the first one, the text of the last one.
  std::uint64_t records_ = 0, checkpoint_ = 0;
  std::string last_;
};

}  // namespace lips
