#include "advice/lips_classes.h"

#include "policies/lips/waiting_weights.h"

namespace lips::advice {

namespace {

double waiting_price(const Question& question) {
  const LipsSettings& settings = question.settings.lips;
  return price_of_wait(question.cluster, settings, waiting_weights(question.cluster, settings.billing));
}

}  // namespace

NodeClasses lips_classes(const Question& question) {
  const LipsSettings& settings = question.settings.lips;
  TimeSlotSettings slots;
  slots.edges = settings.time_slot_edges;
  slots.billing = settings.billing;
  slots.waiting_price = waiting_price(question);
  slots.charge_queue = settings.queue_charge && settings.billing == Billing::invoice;
  return make_classes(question.cluster, slots);
}

UsdPerCpuSecond price_of_waiting(const Question& question, const NodeClasses& classes) {
  return classes.mean_price * (waiting_price(question) * classes.queue_charge);
}

}  // namespace lips::advice
