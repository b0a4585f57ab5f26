package dev.pitcrew.hardware.linux;

import dev.pitcrew.hardware.HostRoot;
import java.util.Map;
import java.util.OptionalInt;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/// The major numbers of the kernel's character devices, as `/proc/devices` lists them (proc(5)).
/// Most are chosen when a module is loaded, so they may change with each load.
///
/// @param majors by the name that the driver registered, such as `nvidia-uvm`
public record CharacterDevices(Map<String, Integer> majors) {
  private static final String FILE = "/proc/devices";
  private static final String BLOCK = "Block devices:";
  private static final Pattern LINE = Pattern.compile("\\s*(?<major>\\d{1,6})\\s+(?<name>\\S+)");

  public CharacterDevices {
    majors = Map.copyOf(majors);
  }

  /// What the kernel lists now; nothing where the file cannot be read.
  public static CharacterDevices read(HostRoot host) {
    return parse(host.text(FILE).orElse(""));
  }

  /// Where a name is listed twice the first one counts.
  static CharacterDevices parse(String text) {
    return new CharacterDevices(
        text.lines()
            .takeWhile(line -> !line.startsWith(BLOCK))
            .map(LINE::matcher)
            .filter(line -> line.matches())
            .collect(
                Collectors.toMap(
                    line -> line.group("name"),
                    line -> Integer.valueOf(line.group("major")),
                    (first, _) -> first)));
  }

  public OptionalInt major(String name) {
    Integer major = majors.get(name);
    return major == null ? OptionalInt.empty() : OptionalInt.of(major);
  }
}
