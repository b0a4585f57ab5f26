package dev.pitcrew.agent.validation;

import dev.pitcrew.agent.validation.ValidationFacts.Cdi;
import dev.pitcrew.agent.validation.ValidationFacts.Cuda;
import dev.pitcrew.agent.validation.ValidationFacts.Plugin;
import dev.pitcrew.agent.validation.plan.Wanted;
import dev.pitcrew.hardware.HostRoot;
import dev.pitcrew.hardware.driver.DriverRoot;
import dev.pitcrew.hardware.linux.FolderEvents.Names;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/// Gathers what a validation is made of: all that can be read from the host.
public final class HostReader {
  private static final int MELLANOX = 0x15b3;
  private static final int NETWORK = 0x02;
  private static final String MOFED_FOLDER = "/run/mellanox/drivers";
  private static final String MOFED_READY = ".driver-ready";

  /// The fabric manager writes its pid here, and systemd takes the file away when it ends for
  /// whatever reason (PIDFile= in nvidia-fabricmanager.service, systemd.service(5)). A driver
  /// container has the folder below its own root. What the boards say of the fabric, which counts
  /// since Hopper, is announced by nothing: NVML has no event for it.
  private static final String FABRIC_MANAGER_FOLDER = "/run/nvidia-fabricmanager";

  private static final String FABRIC_MANAGER_FILE = "nv-fabricmanager";

  private final HostRoot host;
  private final DriverReader driver;
  private final SpecificationReader specifications;

  /// @param cdiFolder such as `/var/run/cdi`, as this process sees it
  public HostReader(HostRoot host, Path cdiFolder) {
    this.host = host;
    driver = new DriverReader(host);
    specifications = new SpecificationReader(cdiFolder, host);
  }

  /// What comes and goes in folders and is a reason to look again.
  public static List<Names> signs(HostRoot host) {
    return Stream.concat(
            Stream.of(
                new Sign(StatusFiles.ON_HOST, ".driver-"),
                new Sign(MOFED_FOLDER, MOFED_READY),
                new Sign(FABRIC_MANAGER_FOLDER, FABRIC_MANAGER_FILE),
                new Sign("/run/nvidia/driver" + FABRIC_MANAGER_FOLDER, FABRIC_MANAGER_FILE)),
            RuntimeHandlers.folders(host).stream().map(folder -> new Sign(folder, "")))
        .flatMap(sign -> sign.in(host).stream())
        .toList();
  }

  private record Sign(String folder, String prefix) {
    /// Nothing comes or goes where links lead in a circle.
    Optional<Names> in(HostRoot host) {
      try {
        return Optional.of(new Names(host.resolve(folder), prefix));
      } catch (IOException _) {
        return Optional.empty();
      }
    }
  }

  public DriverFacts driver(DriverRoot root, DriverReader.Context context) {
    return driver.read(root, context);
  }

  /// @param context has all functions on the bus
  public ValidationFacts all(DriverRoot root, DriverReader.Context context, Expected expected) {
    Wanted wanted = expected.wanted();
    boolean hasNetworkCard =
        context.functions().stream()
            .anyMatch(it -> it.identity().vendor() == MELLANOX && it.pciClass() >>> 16 == NETWORK);
    return new ValidationFacts(
        driver(root, context),
        wanted,
        hasNetworkCard,
        host.exists(MOFED_FOLDER + "/" + MOFED_READY),
        RuntimeHandlers.in(host, wanted.handler()),
        new Cdi(expected.usesCdi(), specifications.read()),
        expected.cuda(),
        expected.plugin());
  }

  /// What the host does not show.
  ///
  /// @param usesCdi whether pods get GPUs by CDI
  public record Expected(Wanted wanted, boolean usesCdi, Cuda cuda, Plugin plugin) {}
}
