// Keeps what policies and targets remember of all pools together, and the traffic of applications, in a ConfigMap,
// where a restarted operator or the next leader finds it. Does not interpret it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/units.h"
#include "kubernetes/adapter/memory_text.h"
#include "kubernetes/api/api_client.h"

namespace lips::kubernetes {

class KeptShares {
 public:
  struct Place {
    std::string name_space, name;  // without a name it stays in this process
  };
  struct Surroundings {
    ApiClient& client;
    std::function<bool()> may_act;
    std::function<void()> wake;                 // an answer has come
    std::function<void(const Error&)> refused;  // the ConfigMap cannot be read
  };
  KeptShares(Surroundings surroundings, Place place);

  // Reads the ConfigMap. A replica that begins to lead must do so: another one may have written it since.
  void read();
  // Says whether the content of the ConfigMap is known.
  bool known() const { return known_; }
  const std::optional<StoredShares>& of() const { return shares_; }
  void remember(StoredShares shares);
  std::vector<TargetDebt> debts() const { return read_debts(texts_.debts); }
  void remember(const std::vector<TargetDebt>& debts) { texts_.debts = debts_text(debts); }
  const std::string& traffic() const { return texts_.traffic; }
  void remember_traffic(std::string text) { texts_.traffic = std::move(text); }
  // How often the ConfigMap has been read.
  std::uint64_t reads() const { return reads_; }
  // Writes changes, as often as the rate allows.
  void flush(TimePoint now);

 private:
  struct Texts {
    std::string shares, debts, traffic;
    friend bool operator==(const Texts&, const Texts&) = default;
  };
  static Texts texts_in(const std::string& body);
  void ask();
  void answered(const Answer& answer);
  void write(const Texts& texts, Verb verb);
  void written(const Texts& texts, Verb verb, const Answer& answer);

  const Surroundings around_;
  const Place place_;
  std::optional<StoredShares> shares_;
  Texts texts_, kept_;  // as they should be, and as the cluster has them
  bool known_ = false, ask_again_ = false, under_way_ = false;
  std::uint64_t reads_ = 0;
  TimePoint written_at_{};
};

}  // namespace lips::kubernetes
