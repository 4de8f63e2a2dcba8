#include "advice/lips_classes.h"

#include "policies/lips/waiting_weights.h"

namespace lips::advice {

namespace {

WaitingWeights weights(const Question& question) { return waiting_weights(question.cluster, question.settings.lips); }

double waiting_price(const Question& question) {
  return price_of_wait(question.cluster, question.settings.lips, weights(question));
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

UsdPerCpuSecond price_of_waiting(const Question& question, const NodeClasses& classes, JobId job) {
  return price_of_waiting(question, classes) * weights(question).of(job);
}

}  // namespace lips::advice
