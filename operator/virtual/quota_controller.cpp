#include "virtual/quota_controller.h"

#include "virtual/quota_admission.h"

namespace lips::virtual_cluster {
namespace {

constexpr Duration it_takes{1'000'000};

}  // namespace

QuotaController::QuotaController(ObjectStore& objects, kubernetes::EventLoop& loop) : objects_(objects), loop_(loop) {
  for (const char* collection : {pods_of_quotas, quotas_path})
    objects_.listen(collection, [this](const ObjectChange& change) { look_at(*change.now.json); });
}

void QuotaController::relist() {
  for (const auto& [key, stored] : objects_.all(quotas_path)) look_at(*stored.json);
}

void QuotaController::look_at(const Json& object) {
  if (objects_.all(quotas_path).empty()) return;
  const std::string name_space = text_in(look_in(object, "metadata"), "namespace");
  if (!due_.insert(name_space).second) return;
  loop_.at(loop_.now() + it_takes, [this, name_space] {
    count_quotas(objects_, name_space);
    due_.erase(name_space);  // its own writes are no news
  });
}

}  // namespace lips::virtual_cluster
