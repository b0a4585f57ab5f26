package dev.pitcrew.agent.dra.slices;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.agent.cluster.ApiServer;
import dev.pitcrew.agent.cluster.NodeSlices;
import dev.pitcrew.agent.cluster.ObjectPath;
import dev.pitcrew.agent.cluster.Reply;
import dev.pitcrew.agent.cluster.WriteRetry;
import dev.pitcrew.agent.control.Controller;
import dev.pitcrew.agent.control.ProblemLog;
import dev.pitcrew.agent.dra.slices.plan.Kept;
import dev.pitcrew.agent.dra.slices.plan.KeptSpecs;
import dev.pitcrew.agent.dra.slices.plan.SlicePlan;
import dev.pitcrew.agent.dra.slices.plan.SliceWrite;
import dev.pitcrew.device.dra.ResourcePool;
import dev.pitcrew.device.dra.SliceDevice;
import dev.pitcrew.device.dra.SliceDevices;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Keeps the ResourceSlices of the node as its devices are. It writes only where they differ: an
/// agent that restarts adopts the slices that are there. A foreign edit is repaired at once, and
/// further ones not more often than every 30 seconds, so that two writers do not load the API
/// server.
///
/// The slices are outputs. Without an inventory there is no input, so nothing is published before
/// NVML has answered, and while the driver is unloaded the slices stay as they are: allocated
/// claims name their devices, the node of a driver upgrade is cordoned, and to withdraw and publish
/// them again would raise the generation of the pool at each reload. The end of the agent leaves
/// them, too: kubelet deletes them 30 seconds after the socket of the DRA driver has gone.
public final class SliceController implements Controller<SliceController.Input>, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(SliceController.class);
  private static final Duration BETWEEN_REPAIRS = Duration.ofSeconds(30);
  private static final String RESOURCE = "resourceslices";

  private final ApiServer server;
  private final Supplier<NodeSlices> follow;
  private Optional<NodeSlices> followed = Optional.empty();
  private final InstantSource clock;
  private final Consumer<Published> published;
  private final ProblemLog problems = new ProblemLog(LOG);
  private final WriteRetry writes = new WriteRetry(LOG, "the ResourceSlices of the node");
  private final SupportedDevices supported;
  private KeptSpecs kept = KeptSpecs.NONE;
  private Optional<Input> settled = Optional.empty();
  private Instant nextRepair = Instant.EPOCH;

  /// @param node the name of the node
  /// @param nodeUid of the Node, which owns the slices
  /// @param devices to be published, with their taints and shares
  /// @param withoutCounters those to be published by an API server that does not keep counters
  public record Input(
      String node, String nodeUid, SliceDevices devices, SliceDevices withoutCounters) {
    /// Devices that share no counters.
    public Input(String node, String nodeUid, SliceDevices devices) {
      this(node, nodeUid, devices, devices);
    }
  }

  /// The slices are as they should be.
  ///
  /// @param generation of the pool
  /// @param slices how many there are
  /// @param devices the names of those that they list
  /// @param kept what the server keeps of them, as far as it has replied to writes of this agent
  /// @param withoutCounters why partitions of GPUs are not among them although they should be
  /// @param withoutShares why claims cannot share them although they should
  public record Published(
      long generation,
      int slices,
      Set<String> devices,
      Kept kept,
      Optional<String> withoutCounters,
      Optional<String> withoutShares) {
    public Published {
      devices = Set.copyOf(devices);
    }

    public Published(long generation, int slices, Set<String> devices, Kept kept) {
      this(generation, slices, devices, kept, Optional.empty(), Optional.empty());
    }
  }

  /// @param follow starts to watch those of the driver on the node, once there is something to
  ///   publish; a change of it must wake the loop of this controller
  /// @param published called after each reconcile that leaves nothing to write
  public SliceController(
      ApiServer server,
      Supplier<NodeSlices> follow,
      InstantSource clock,
      Consumer<Published> published) {
    this.server = server;
    this.follow = follow;
    this.clock = clock;
    this.published = published;
    supported = new SupportedDevices(server, clock);
  }

  @Override
  public Duration reconcile(Input input) {
    return switch (slices().now()) {
      case NodeSlices.View.Unknown() -> RESYNC; // the first list wakes it
      case NodeSlices.View.Unserved() -> {
        problems.lines(
            List.of(
                "the API server does not serve %s: Dynamic Resource Allocation needs Kubernetes 1.34"
                    .formatted(SlicePlan.API_VERSION)));
        yield RESYNC;
      }
      case NodeSlices.View.Listed(var live) -> reconcile(input, live);
    };
  }

  private NodeSlices slices() {
    NodeSlices slices = followed.orElseGet(follow);
    followed = Optional.of(slices);
    return slices;
  }

  private Duration reconcile(Input input, List<JsonNode> live) {
    return switch (supported.of(input)) {
      case SupportedDevices.Found.Devices found -> reconcile(input, found, live);
      case SupportedDevices.Found.Unknown(var reply) -> {
        var _ = writes.written(reply);
        yield writes.pause();
      }
    };
  }

  private Duration reconcile(
      Input input, SupportedDevices.Found.Devices found, List<JsonNode> live) {
    ResourcePool pool = found.pool();
    var plan = SlicePlan.of(pool, input.nodeUid(), live, kept);
    if (!plan.writes().isEmpty()) {
      boolean isRepair = settled.equals(Optional.of(input));
      Duration wait = Duration.between(clock.instant(), nextRepair);
      if (isRepair && wait.isPositive()) {
        return wait;
      }
      if (!plan.writes().stream().allMatch(this::write)) {
        return writes.pause(); // the next plan begins with what is there then
      }
      nextRepair = isRepair ? clock.instant().plus(BETWEEN_REPAIRS) : nextRepair;
      LOG.atInfo()
          .addKeyValue("generation", plan.generation())
          .addKeyValue("devices", found.devices().devices().size())
          .log("ResourceSlices published with {} calls", plan.writes().size());
    }
    settled = Optional.of(input);
    report(found, plan);
    return RESYNC;
  }

  private void report(SupportedDevices.Found.Devices found, SlicePlan plan) {
    ResourcePool pool = found.pool();
    kept = kept.retaining(pool);
    Kept now = kept.of(pool);
    problems.lines(problems(found, now));
    published.accept(
        new Published(
            plan.generation(),
            pool.slices().size(),
            found.devices().devices().stream()
                .map(SliceDevice::name)
                .collect(Collectors.toUnmodifiableSet()),
            now,
            found.withoutCounters(),
            found.withoutShares()));
  }

  /// @return whether the call has succeeded
  private boolean write(SliceWrite write) {
    Reply reply = call(write);
    return switch (write) {
      case SliceWrite.Create(var body) -> isWritten(body, reply);
      case SliceWrite.Update(_, var body) -> isWritten(body, reply);
      case SliceWrite.Delete(_, var uid, _) -> {
        boolean isDeleted = isGone(reply) || writes.written(reply).isPresent();
        if (isDeleted) {
          slices().deleted(uid);
        }
        yield isDeleted;
      }
    };
  }

  private boolean isWritten(JsonNode sent, Reply reply) {
    Optional<JsonNode> written = writes.written(reply);
    written.ifPresent(slice -> {
      slices().written(slice);
      kept = kept.with(sent, slice);
    });
    return written.isPresent();
  }

  private static boolean isGone(Reply reply) {
    return reply instanceof Reply.Refused refused
        && refused.status() == HttpURLConnection.HTTP_NOT_FOUND;
  }

  private Reply call(SliceWrite write) {
    return switch (write) {
      case SliceWrite.Create(var body) ->
          server.create(
              ObjectPath.unnamed(SlicePlan.API_VERSION, RESOURCE), body, WriteRetry.DEADLINE);
      case SliceWrite.Update(var name, var body) ->
          server.update(path(name), body, WriteRetry.DEADLINE);
      case SliceWrite.Delete(var name, var uid, var version) ->
          server.delete(path(name), uid, version, WriteRetry.DEADLINE);
    };
  }

  private static ObjectPath path(String name) {
    return ObjectPath.of(SlicePlan.API_VERSION, RESOURCE, name);
  }

  private static List<String> problems(SupportedDevices.Found.Devices found, Kept now) {
    var lines = new ArrayList<>(found.devices().problems());
    found.withoutCounters().ifPresent(lines::add);
    found.withoutShares().ifPresent(lines::add);
    if (now instanceof Kept.Part(var dropped, var changed)) {
      dropped.forEach(field ->
          lines.add(
              "the API server does not keep %s of ResourceSlices: its feature gate is off"
                  .formatted(field)));
      changed.forEach(
          field -> lines.add("the API server changed %s of a ResourceSlice".formatted(field)));
    }
    return lines;
  }

  @Override
  public void close() {
    followed.ifPresent(NodeSlices::close);
  }
}
