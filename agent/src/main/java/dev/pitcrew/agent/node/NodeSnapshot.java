package dev.pitcrew.agent.node;

import dev.pitcrew.agent.health.KnownGpus;
import dev.pitcrew.agent.health.LogNotes;
import dev.pitcrew.agent.health.UnhealthyDevices;
import dev.pitcrew.device.allocatable.Health;
import dev.pitcrew.device.inventory.Gpu;
import dev.pitcrew.device.inventory.Inventory;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/// What was known of the node at one moment.
public sealed interface NodeSnapshot {

  /// NVML cannot be opened or the driver does not answer.
  ///
  /// @param before the GPUs as they were known last, which are all out of use now; empty where none
  ///   were ever seen
  record WithoutDriver(String reason, Optional<Inventory> before) implements NodeSnapshot {}

  /// The driver is loaded.
  ///
  /// @param silent the GPUs, by UUID, that are late with an answer while all else answers: they are
  ///   withheld, before it is decided whether they are unhealthy
  /// @param log what is known from the kernel's log
  record WithDriver(KnownGpus gpus, UnhealthyDevices unhealthy, Set<String> silent, LogNotes log)
      implements NodeSnapshot {
    private static final String LATE = "does not answer at the moment";
    private static final String OUTSIDE_FABRIC = "has not joined the NVLink fabric: ";

    public WithDriver {
      silent = Set.copyOf(silent);
    }

    public WithDriver(KnownGpus gpus, UnhealthyDevices unhealthy) {
      this(gpus, unhealthy, Set.of(), LogNotes.NONE);
    }

    /// For a watch that begins only now, and passes over what the log has already.
    public WithDriver fromNowOn(UnhealthyDevices unhealthyNow) {
      return new WithDriver(gpus, unhealthyNow, Set.of(), log.fromNowOn());
    }

    private Health offered() {
      var why = silent.stream().collect(Collectors.toMap(it -> it, _ -> LATE));
      gpus.inventory()
          .outsideFabric()
          .forEach((uuid, progress) -> why.putIfAbsent(uuid, OUTSIDE_FABRIC + progress));
      return unhealthy.withholding(why).health();
    }
  }

  /// The GPUs that count, whether they can be used or not.
  default Optional<Inventory> inventory() {
    return switch (this) {
      case WithoutDriver(_, var before) -> before;
      case WithDriver(var gpus, _, _, _) -> Optional.of(gpus.inventory());
    };
  }

  /// As it is offered while some GPUs are withheld.
  ///
  /// @param why by their UUIDs
  default NodeSnapshot withholding(Map<String, String> why) {
    return this instanceof WithDriver(var gpus, var unhealthy, var silent, var log)
            && !why.isEmpty()
        ? new WithDriver(gpus, unhealthy.withholding(why), silent, log)
        : this;
  }

  /// As it is offered where evidence does not count.
  default NodeSnapshot withoutEvidence() {
    return this instanceof WithDriver(var gpus, var unhealthy, var silent, var log)
        ? new WithDriver(gpus, unhealthy.withoutEvidence(), silent, log)
        : this;
  }

  /// As it is offered while all GPUs are withheld, for one reason.
  default NodeSnapshot withholdingAll(String why) {
    return withholding(
        inventory().stream()
            .flatMap(it -> it.gpus().stream())
            .collect(Collectors.toMap(Gpu::uuid, _ -> why)));
  }

  /// The driver in a few words, such as `driver 580.95.05 answers`.
  default String driver() {
    return switch (this) {
      case WithoutDriver(var reason, _) -> "no driver can be used: " + reason;
      case WithDriver(var gpus, _, _, _) ->
          "driver %s answers".formatted(gpus.inventory().driver().driver());
    };
  }

  /// Which of them must not be used.
  default Health health() {
    return switch (this) {
      case WithoutDriver(var reason, var before) ->
          before.map(known -> UnhealthyDevices.all(known, reason)).orElse(Health.ALL_WELL);
      case WithDriver loaded -> loaded.offered();
    };
  }
}
