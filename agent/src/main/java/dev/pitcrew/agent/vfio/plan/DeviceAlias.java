package dev.pitcrew.agent.vfio.plan;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/// What the kernel calls a PCI device (`modalias`), or a set of them (`modules.alias`): vendor,
/// device, both of the subsystem, class, subclass and interface, each a number or `*`.
///
/// @param fields seven, in that order
public record DeviceAlias(List<String> fields) {
  private static final Pattern FORM =
      Pattern.compile(
          "v([0-9A-F]{8}|\\*)d([0-9A-F]{8}|\\*)sv([0-9A-F]{8}|\\*)sd([0-9A-F]{8}|\\*)bc([0-9A-F]{2}|\\*)sc([0-9A-F]{2}|\\*)i([0-9A-F]{2}|\\*)");
  private static final String ANY = "*";

  public DeviceAlias {
    fields = List.copyOf(fields);
  }

  /// @param prefix the bus and a colon, such as `pci:`
  /// @return empty for anything else
  public static Optional<DeviceAlias> parse(String prefix, String text) {
    if (!text.startsWith(prefix)) {
      return Optional.empty();
    }
    var parts = FORM.matcher(text.substring(prefix.length()));
    if (!parts.matches()) {
      return Optional.empty();
    }
    var fields = new ArrayList<String>();
    IntStream.rangeClosed(1, parts.groupCount()).forEach(i -> fields.add(parts.group(i)));
    return Optional.of(new DeviceAlias(fields));
  }

  /// Whether a device is one of these.
  boolean covers(DeviceAlias device) {
    return IntStream.range(0, fields.size())
        .allMatch(i -> fields.get(i).equals(ANY) || fields.get(i).equals(device.fields.get(i)));
  }

  long wildcards() {
    return fields.stream().filter(ANY::equals).count();
  }
}
