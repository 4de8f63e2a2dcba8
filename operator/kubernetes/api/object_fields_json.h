// The members of ObjectDecoder, for the .cpp file that reads the fields of an object. That file specialises
// ObjectFields for the object, and makes its decoder: template class ObjectDecoder<Object>;
#pragma once

#include <simdjson.h>

#include <memory>
#include <string_view>

#include "kubernetes/api/json_fields.h"
#include "kubernetes/api/object_decoder.h"

namespace lips::kubernetes {

// static constexpr std::string_view kind;  // in errors
// static void read(std::string_view key, simdjson::ondemand::value content, Object& object);  // each field on top
template <class Object>
struct ObjectFields;

template <class Object>
struct ObjectDecoder<Object>::Working {
  json::PaddedText<simdjson::ondemand::parser> text;
};

template <class Object>
ObjectDecoder<Object>::ObjectDecoder() : working_(std::make_unique<Working>()) {}
template <class Object>
ObjectDecoder<Object>::~ObjectDecoder() = default;

template <class Object>
Result<Object> ObjectDecoder<Object>::decode(std::string_view json) {
  using Fields = ObjectFields<Object>;
  return json::decoded_object<simdjson::simdjson_error, Object>(Fields::kind, working_->text,
                                                                simdjson::SIMDJSON_PADDING, json, Fields::read);
}

}  // namespace lips::kubernetes
