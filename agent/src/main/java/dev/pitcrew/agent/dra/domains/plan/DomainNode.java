package dev.pitcrew.agent.dra.domains.plan;

import dev.pitcrew.device.inventory.Fabric;
import dev.pitcrew.device.inventory.Gpu;
import dev.pitcrew.device.inventory.Inventory;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Pattern;

/// What a node offers to claims for ComputeDomains.
///
/// Source: the checks of NVIDIA's DRA driver at its start, which exits where one of them fails.
///
/// @param node its name, which is the name of the pool
/// @param clique the NVLink clique of its GPUs, see [Fabric.Attached#id]; empty where the GPUs are
///   in no NVLink fabric: then claims are prepared and give containers nothing
/// @param channels the major number of IMEX channels
/// @param management the capability that IMEX daemons need
public record DomainNode(
    String node, Optional<String> clique, int channels, Optional<Capability> management) {
  /// Daemons of a domain find each other by names from this version on.
  private static final String OLDEST_DRIVER = "570.158.01";

  private static final Pattern VERSION = Pattern.compile("[0-9]{1,9}(\\.[0-9]{1,9}){0,3}");

  /// A file below `/dev/nvidia-caps`.
  public record Capability(int major, int minor) {}

  /// The numbers of device files, as the kernel has them at present.
  ///
  /// @param channels the major of `nvidia-caps-imex-channels` in `/proc/devices`
  /// @param capabilities the major of `nvidia-caps` there
  /// @param management the minor of the capability `fabric-imex-mgmt`
  public record Numbers(OptionalInt channels, OptionalInt capabilities, OptionalInt management) {}

  public sealed interface Suitability {
    record Suitable(DomainNode node) implements Suitability {}

    /// @param reason what the node lacks, and what to do
    record Unsuitable(String reason) implements Suitability {}
  }

  public static Suitability of(String node, Inventory inventory, Numbers numbers) {
    String driver = inventory.driver().driver();
    if (isOlder(driver)) {
      return unsuitable(
          "the NVIDIA driver is %s; ComputeDomains need %s or newer"
              .formatted(driver, OLDEST_DRIVER));
    }
    if (numbers.channels().isEmpty()) {
      return unsuitable(
          "the kernel lists no nvidia-caps-imex-channels in /proc/devices; load a driver that supports IMEX");
    }
    Optional<String> outside = outsideFabric(inventory);
    if (outside.isPresent()) {
      return new Suitability.Unsuitable(outside.get());
    }
    List<String> cliques = cliques(inventory);
    if (cliques.size() > 1) {
      return unsuitable(
          "the GPUs are in several NVLink cliques (%s); ComputeDomains need one: check the fabric manager"
              .formatted(String.join(", ", cliques)));
    }
    Optional<String> clique = cliques.stream().findFirst();
    Optional<Capability> management =
        numbers.capabilities().isPresent() && numbers.management().isPresent()
            ? Optional.of(
                new Capability(numbers.capabilities().getAsInt(), numbers.management().getAsInt()))
            : Optional.empty();
    return clique.isPresent() && management.isEmpty()
        ? unsuitable(
            "the driver has no capability fabric-imex-mgmt in /proc/driver/nvidia/capabilities; load a driver that supports IMEX")
        : new Suitability.Suitable(
            new DomainNode(node, clique, numbers.channels().getAsInt(), management));
  }

  /// A GPU that joins the fabric later would change what daemons have been started with.
  private static Optional<String> outsideFabric(Inventory inventory) {
    for (Gpu gpu : inventory.gpus()) {
      if (gpu.fabric() instanceof Fabric.Pending(var progress)) {
        return Optional.of(
            "GPU %s has not joined the NVLink fabric (%s); check the fabric manager"
                .formatted(gpu.uuid(), progress));
      }
    }
    boolean isPart =
        inventory.gpus().stream().anyMatch(gpu -> gpu.fabric() instanceof Fabric.NotAttached)
            && !cliques(inventory).isEmpty();
    return isPart
        ? Optional.of(
            "only some GPUs are in an NVLink fabric; ComputeDomains need all or none: check the fabric manager")
        : Optional.empty();
  }

  private static List<String> cliques(Inventory inventory) {
    return inventory.gpus().stream()
        .map(Gpu::fabric)
        .filter(Fabric.Attached.class::isInstance)
        .map(Fabric.Attached.class::cast)
        .map(Fabric.Attached::id)
        .distinct()
        .toList();
  }

  /// One that is no version is not taken for an old one.
  private static boolean isOlder(String driver) {
    return VERSION.matcher(driver).matches()
        && Arrays.compare(numbers(driver), numbers(OLDEST_DRIVER)) < 0;
  }

  private static int[] numbers(String version) {
    return Arrays.stream(version.split("\\.")).mapToInt(Integer::parseInt).toArray();
  }

  private static Suitability unsuitable(String reason) {
    return new Suitability.Unsuitable(reason);
  }
}
