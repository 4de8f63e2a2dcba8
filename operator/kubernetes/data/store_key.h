// The key from which the passwords of served stores are made: whoever has one may read one folder of one store, and
// whoever has none reads nothing. The scripts of pods that serve (move_scripts.cpp) make the same passwords of it.
#pragma once

#include <string>

namespace lips::kubernetes {

class StoreKey {
 public:
  StoreKey() = default;
  explicit StoreKey(std::string text) : text_(std::move(text)) {}
  // 256 bits of the system's random numbers, in hex.
  static StoreKey random();

  bool known() const { return !text_.empty(); }
  const std::string& text() const { return text_; }

  // "USER:PASSWORD" with which a pod that serves the store of that uid lets a folder be read.
  std::string credentials(const std::string& store_uid, const std::string& folder) const;
  // Of what has that name; only who has the key can say it.
  std::string seal(const std::string& name) const;

 private:
  std::string text_;
};

// The folder as a user's name: letters, digits, "-", "_" and "=" alone.
std::string folder_as_user(const std::string& folder);

}  // namespace lips::kubernetes
