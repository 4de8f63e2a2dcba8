#include "advice/lips_classes.h"

namespace lips::advice {

LipsClasses lips_classes(const Question& question) {
  const LipsSettings& settings = question.settings.lips;
  LipsClasses result;
  result.weights = job_weights(question.cluster, settings);
  TimeSlotSettings slots;
  slots.edges = settings.time_slot_edges;
  slots.billing = settings.billing;
  slots.waiting_price = price_of_wait(question.cluster, settings, result.weights.in_price);
  slots.charge_queue = settings.queue_charge && settings.billing == Billing::invoice;
  result.classes = make_classes(question.cluster, slots);
  result.wait = result.classes.mean_price * (slots.waiting_price * result.classes.queue_charge);
  return result;
}

}  // namespace lips::advice
