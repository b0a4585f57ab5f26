package dev.pitcrew.agent.dra.slices;

import dev.pitcrew.agent.cluster.ApiServer;
import dev.pitcrew.agent.cluster.Reply;
import dev.pitcrew.device.dra.ResourcePool;
import dev.pitcrew.device.dra.SliceDevices;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.function.Supplier;

/// What the API server can keep of the devices of the node: where it drops counters, GPUs are
/// offered without partitions; where it drops shares, a device is offered to one claim; where it
/// drops taints, an unhealthy device is not offered. The server is asked once, and again after an
/// hour: it may be updated, or get the feature gate.
final class SupportedDevices {
  private static final Duration UNTIL_ASKED_AGAIN = Duration.ofHours(1);

  private final ApiServer server;
  private final Answer counters;
  private final Answer shares;
  private final Answer taints;

  sealed interface Found {
    /// @param withoutCounters why partitions of GPUs are not among them although they should be
    /// @param withoutShares why claims cannot share them although they should
    record Devices(
        ResourcePool pool,
        SliceDevices devices,
        Optional<String> withoutCounters,
        Optional<String> withoutShares)
        implements Found {}

    /// @param reply of a server that did not answer
    record Unknown(Reply reply) implements Found {}
  }

  /// The last answer of the server about one gate.
  private static final class Answer {
    private final InstantSource clock;
    private Optional<GateSupport> last = Optional.empty();
    private Instant asksAgain = Instant.EPOCH;

    Answer(InstantSource clock) {
      this.clock = clock;
    }

    GateSupport get(Supplier<GateSupport> ask) {
      if (last.isEmpty() || !clock.instant().isBefore(asksAgain)) {
        GateSupport found = ask.get();
        asksAgain = clock.instant().plus(UNTIL_ASKED_AGAIN);
        last = Optional.of(found).filter(it -> !(it instanceof GateSupport.Unknown));
        return found;
      }
      return last.get();
    }
  }

  SupportedDevices(ApiServer server, InstantSource clock) {
    this.server = server;
    counters = new Answer(clock);
    shares = new Answer(clock);
    taints = new Answer(clock);
  }

  Found of(SliceController.Input input) {
    if (!input.devices().haveCounters()) {
      return of(input, input.devices(), true, Optional.empty());
    }
    return switch (counters.get(
        () -> GateSupport.forCounters(server, input.node(), input.nodeUid(), input.devices()))) {
      case GateSupport.Kept(boolean separates) ->
          of(input, input.devices(), separates, Optional.empty());
      case GateSupport.Dropped(var version) ->
          of(
              input,
              input.withoutCounters(),
              true,
              Optional.of(
                  "the API server (%s) does not keep spec.sharedCounters of ResourceSlices: claims get whole GPUs and the MIG devices that are there. Turn on its feature gate DRAPartitionableDevices, or use Kubernetes 1.36"
                      .formatted(version)));
      case GateSupport.Unknown(var reply) -> new Found.Unknown(reply);
    };
  }

  private Found of(
      SliceController.Input input,
      SliceDevices devices,
      boolean separates,
      Optional<String> withoutCounters) {
    if (!devices.haveShares()) {
      return found(input, devices, separates, withoutCounters, Optional.empty());
    }
    return switch (shares.get(
        () -> GateSupport.forShares(server, input.node(), input.nodeUid(), devices))) {
      case GateSupport.Kept _ ->
          found(input, devices, separates, withoutCounters, Optional.empty());
      case GateSupport.Dropped(var version) ->
          found(
              input,
              devices.withoutShares(),
              separates,
              withoutCounters,
              Optional.of(
                  "the API server (%s) does not keep allowMultipleAllocations of ResourceSlices: each device is for one claim. Turn on the feature gate DRAConsumableCapacity of the API server and the scheduler, use Kubernetes 1.36, or remove FleetPolicy spec.dra.consumableShares"
                      .formatted(version)));
      case GateSupport.Unknown(var reply) -> new Found.Unknown(reply);
    };
  }

  private Found found(
      SliceController.Input input,
      SliceDevices devices,
      boolean separates,
      Optional<String> withoutCounters,
      Optional<String> withoutShares) {
    GateSupport support =
        devices
            .tainted()
            .map(device ->
                taints.get(
                    () -> GateSupport.forTaints(server, input.node(), input.nodeUid(), device)))
            .orElseGet(() -> new GateSupport.Kept(separates));
    if (support instanceof GateSupport.Unknown(var reply)) {
      return new Found.Unknown(reply);
    }
    SliceDevices taken = support instanceof GateSupport.Dropped ? devices.withoutTaints() : devices;
    return new Found.Devices(
        ResourcePool.of(input.node(), taken, separates), taken, withoutCounters, withoutShares);
  }
}
