// The key from which the passwords of served stores are derived. A password lets its holder read one folder of one
// store; without one nothing can be read. Pods have a key of one store at most. The scripts of those that serve
// (move_scripts.cpp) derive the same passwords from it.
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

  // The key of one store: its holder can make the passwords of that store, and no others.
  StoreKey of_store(const std::string& store_uid) const;
  // "USER:PASSWORD" that a serving pod of the store with that uid accepts for reading the folder.
  std::string credentials(const std::string& store_uid, const std::string& folder) const;
  // A code for that name that only a holder of the key can compute.
  std::string seal(const std::string& name) const;

 private:
  std::string text_;
};

// The folder as a user name: only letters, digits, "-", "_" and "=".
std::string folder_as_user(const std::string& folder);

}  // namespace lips::kubernetes
