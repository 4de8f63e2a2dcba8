#include "advice/lips_classes.h"

namespace lips::advice {

NodeClasses lips_classes(const Question& question) {
  const LipsSettings& settings = question.settings.lips;
  TimeSlotSettings slots;
  slots.edges = settings.time_slot_edges;
  slots.billing = settings.billing;
  slots.waiting_price = settings.waiting_price;
  slots.charge_queue = settings.queue_charge && settings.billing == Billing::invoice;
  return make_classes(question.cluster, slots);
}

UsdPerCpuSecond price_of_waiting(const Question& question, const NodeClasses& classes) {
  return classes.mean_price * (question.settings.lips.waiting_price * classes.queue_charge);
}

}  // namespace lips::advice
