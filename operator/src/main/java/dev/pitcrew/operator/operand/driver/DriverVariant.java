package dev.pitcrew.operator.operand.driver;

import dev.pitcrew.operator.cluster.OsRelease;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/// One DaemonSet of drivers: the nodes it is for and what its image must match there.
///
/// @param suffix appended to the DaemonSet's name, empty or starting with `-`
/// @param nodeSelector further labels that its nodes carry
/// @param kernel set for drivers with ready-made kernel modules
/// @param coreOsRelease set where OpenShift's driver toolkit builds the modules
public record DriverVariant(
    String suffix,
    Map<String, String> nodeSelector,
    OsRelease os,
    Optional<String> kernel,
    Optional<String> coreOsRelease) {
  private static final Pattern ARCHITECTURE = Pattern.compile("(x86_64|aarch64)(_64k)?");
  private static final Pattern NOT_IN_NAMES = Pattern.compile("[^a-z0-9.-]");

  /// A kernel version as it stands in the labels of an NVIDIADriver's pods: without the
  /// architecture, lower-case.
  static String labelOf(String kernel) {
    String plain = ARCHITECTURE.matcher(kernel).replaceAll("").replace('_', '.');
    String ended = plain.endsWith(".") ? plain.substring(0, plain.length() - 1) : plain;
    return ended.toLowerCase(Locale.ROOT);
  }

  /// A kernel version as it may stand in an object's name: without the architecture, lower-case.
  static String nameOf(String kernel) {
    return NOT_IN_NAMES.matcher(labelOf(kernel)).replaceAll("-").replaceFirst("[.-]+$", "");
  }
}
