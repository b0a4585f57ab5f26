package dev.pitcrew.device.allocatable;

/// Something that is not offered as it was asked for. It never takes anything else along.
///
/// @param subject the UUID of a device, the NVML index of a GPU or the name of a resource
/// @param reason in words
/// @param refusesStart whether the device plugin that this one stands in for ends with exit status
///   1; a command that takes its place does so too
public record Problem(String subject, String reason, boolean refusesStart) {

  static Problem refusal(String subject, String reason) {
    return new Problem(subject, reason, true);
  }

  static Problem warning(String subject, String reason) {
    return new Problem(subject, reason, false);
  }
}
