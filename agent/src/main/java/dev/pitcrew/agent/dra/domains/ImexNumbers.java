package dev.pitcrew.agent.dra.domains;

import dev.pitcrew.agent.dra.domains.plan.DomainNode.Numbers;
import dev.pitcrew.hardware.HostRoot;
import dev.pitcrew.hardware.linux.CharacterDevices;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Reads the numbers of device files from the kernel. They may change with each load of the driver.
public final class ImexNumbers {
  private static final String CHANNELS = "nvidia-caps-imex-channels";
  private static final String CAPABILITIES = "nvidia-caps";
  private static final String MANAGEMENT = "/proc/driver/nvidia/capabilities/fabric-imex-mgmt";
  private static final Pattern MINOR = Pattern.compile("(?m)^DeviceFileMinor: (\\d{1,7})$");

  private ImexNumbers() {}

  public static Numbers read(HostRoot host) {
    CharacterDevices devices = CharacterDevices.read(host);
    Matcher minor = MINOR.matcher(host.text(MANAGEMENT).orElse(""));
    return new Numbers(
        devices.major(CHANNELS),
        devices.major(CAPABILITIES),
        minor.find() ? OptionalInt.of(Integer.parseInt(minor.group(1))) : OptionalInt.empty());
  }
}
