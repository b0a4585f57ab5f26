package dev.pitcrew.agent.config;

import dev.pitcrew.device.sharing.Sharing.DeviceSelection;
import java.math.BigInteger;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/// The key `devices` of a shared resource: `all`, a count, or a list of indexes and UUIDs.
final class DeviceSelector {
  static final String VALID =
      "give all, a count above 0, or a list of indexes (0), MIG indexes (0:1) and UUIDs (GPU-…,"
          + " MIG-…)";
  private static final String UUID_FORMS =
      "(?:(?:urn:uuid:)?[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
          + "|\\{[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\\}|[0-9a-fA-F]{32})";
  private static final Pattern REFERENCE =
      Pattern.compile(
          "[0-9]+(?::[0-9]+)?|GPU-%1$s|MIG-%1$s|MIG-GPU-%1$s/[0-9]+/[0-9]+".formatted(UUID_FORMS));

  private DeviceSelector() {}

  static Optional<DeviceSelection> parse(Object value) {
    return switch (value) {
      case String text ->
          text.equals("all") ? Optional.of(new DeviceSelection.All()) : Optional.empty();
      case Integer count ->
          count > 0 ? Optional.of(new DeviceSelection.First(count)) : Optional.empty();
      case List<?> list -> listed(list);
      default -> Optional.empty();
    };
  }

  private static Optional<DeviceSelection> listed(List<?> list) {
    boolean valid = !list.isEmpty() && list.stream().allMatch(DeviceSelector::isReference);
    return valid
        ? Optional.of(new DeviceSelection.Listed(list.stream().map(String::valueOf).toList()))
        : Optional.empty();
  }

  private static boolean isReference(Object item) {
    boolean scalar =
        item instanceof String || item instanceof Integer || item instanceof BigInteger;
    return scalar && REFERENCE.matcher(String.valueOf(item)).matches();
  }
}
