#include "telemetry/metrics/recent_trouble.h"

#include <utility>

namespace lips {

void RecentTrouble::write(LogLevel level, std::string_view message, std::initializer_list<LogField> fields) {
  to_.write(level, message, fields);
  if (level < LogLevel::warning) return;
  Trouble trouble{now_(), level, std::string(message)};
  for (const LogField& field : fields) trouble.text += ' ' + std::string(field.key) + '=' + field.value;
  const std::lock_guard lock(mutex_);
  kept_.push_front(std::move(trouble));
  if (kept_.size() > most_kept) kept_.pop_back();
}

std::vector<Trouble> RecentTrouble::latest() const {
  const std::lock_guard lock(mutex_);
  return {kept_.begin(), kept_.end()};
}

}  // namespace lips
