// How LiPS treats pods of a pool that name another scheduler. It binds pods that name LiPS in every mode.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace lips {

enum class PodMode : std::uint8_t {
  watch,  // writes nothing: pods count where they are
  steer,  // plans pods behind our scheduling gate, and sends them to a zone by their selector
  bind,   // does not plan them, and takes our gate away
};
inline constexpr std::array<std::string_view, 3> pod_mode_names{"watch", "steer", "bind"};

constexpr std::string_view to_string(PodMode mode) { return pod_mode_names[static_cast<std::size_t>(mode)]; }

constexpr std::optional<PodMode> parse_pod_mode(std::string_view name) {
  for (std::size_t i = 0; i < pod_mode_names.size(); ++i)
    if (pod_mode_names[i] == name) return static_cast<PodMode>(i);
  return std::nullopt;
}

}  // namespace lips
