package dev.pitcrew.testbed.gpu;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/// The major numbers of the driver's character devices. The kernel gives the driver one fixed
/// number and others that are free when it is loaded, which change with each load here: between two
/// loads of a real one another driver may take them. A simulated one must not be that of another
/// driver of this machine, whose device a container would be given.
///
/// @param gpus the number that Linux keeps for NVIDIA
/// @param uvm of unified memory
/// @param capabilities of the files that stand for MIG instances
record DeviceNumbers(int gpus, int uvm, int capabilities) {
  private static final String NOTHING = "Character devices:\n  1 mem\n\nBlock devices:\n  8 sd\n";
  private static final Path DEVICES = Path.of("/proc/devices");
  private static final Pattern LINE = Pattern.compile(" *(?<major>\\d+) +(?<driver>\\S+)");
  private static final int OF_NVIDIA = 195;
  private static final int USUAL_UVM = 510;
  private static final int USUAL_CAPABILITIES = 237;
  // Documentation/admin-guide/devices.txt: the majors for drivers that ask for any, downwards.
  private static final int LOWEST_UVM = 384;
  private static final int LOWEST_CAPABILITIES = 234;

  private static final int ONE_NAME_A_DEVICE = 515;
  private static final int IMEX = 550;
  private static final String CHANNELS = "nvidia-caps-imex-channels";

  // A report of a real H100 with driver 580.159.04 has them; no node of a GPU has their numbers.
  private static final List<String> NAMES_OF_NO_NODE =
      List.of("nvidia-nvswitch", "nvidia-nvlink", CHANNELS);

  /// What `/proc/devices` of this machine says of others.
  static String ofThisMachine() {
    try {
      return Files.exists(DEVICES) ? withoutDriver(Files.readString(DEVICES)) : NOTHING;
    } catch (IOException e) {
      throw new UncheckedIOException("read " + DEVICES, e);
    }
  }

  private static String withoutDriver(String devices) {
    return devices
        .lines()
        .filter(line -> !line.matches(" *\\d+ +nvidia.*"))
        .collect(Collectors.joining("\n", "", "\n"));
  }

  /// Numbers that no other driver has.
  ///
  /// @param devices what `/proc/devices` says of others
  /// @param load how often the driver was loaded before
  static DeviceNumbers free(String devices, int load) {
    var taken = taken(devices);
    return new DeviceNumbers(
        OF_NVIDIA,
        downFrom(USUAL_UVM, LOWEST_UVM, taken, load % 2),
        downFrom(USUAL_CAPABILITIES, LOWEST_CAPABILITIES, taken, load % 2));
  }

  private static Set<Integer> taken(String devices) {
    return devices
        .lines()
        .takeWhile(line -> !line.startsWith("Block"))
        .map(LINE::matcher)
        .filter(Matcher::matches)
        .map(line -> Integer.valueOf(line.group("major")))
        .collect(Collectors.toCollection(HashSet::new));
  }

  private static int downFrom(int usual, int lowest, Set<Integer> taken, int skipped) {
    return IntStream.iterate(usual, major -> major >= lowest, major -> major - 1)
        .filter(major -> !taken.contains(major))
        .skip(skipped)
        .findFirst()
        .orElse(usual);
  }

  /// `/proc/devices` while the driver is loaded, in the order of the numbers.
  ///
  /// @param branch of the driver, such as 580. Drivers before R515 register one name for all that
  ///   has the number of GPUs. IMEX channels are known to nvidia-modprobe since R550.
  String with(String others, int branch) {
    var head = others.lines().findFirst().orElseThrow();
    var character = others.lines().skip(1).takeWhile(LINE.asMatchPredicate()).toList();
    var driver =
        new ArrayList<>(
            branch < ONE_NAME_A_DEVICE
                ? List.of(gpus + " nvidia-frontend")
                : List.of(gpus + " nvidia", gpus + " nvidiactl", gpus + " nvidia-modeset"));
    driver.add(uvm + " nvidia-uvm");
    driver.add(capabilities + " nvidia-caps");
    var taken = taken(String.join("\n", driver) + "\n" + others);
    for (var name : NAMES_OF_NO_NODE) {
      if (branch >= IMEX || !name.equals(CHANNELS)) {
        int major =
            downFrom(USUAL_CAPABILITIES, LOWEST_CAPABILITIES - NAMES_OF_NO_NODE.size(), taken, 0);
        taken.add(major);
        driver.add(major + " " + name);
      }
    }
    return Stream.of(
            Stream.of(head),
            Stream.concat(character.stream(), driver.stream())
                .sorted(Comparator.comparingInt(DeviceNumbers::major)),
            others.lines().skip(1 + character.size()))
        .flatMap(lines -> lines)
        .collect(Collectors.joining("\n", "", "\n"));
  }

  private static int major(String line) {
    return Integer.parseInt(line.strip().split(" ", 2)[0]);
  }
}
