package dev.pitcrew.agent.dra.slices;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.agent.cluster.ApiServer;
import dev.pitcrew.agent.cluster.ObjectPath;
import dev.pitcrew.agent.cluster.Reply;
import dev.pitcrew.agent.cluster.WriteRetry;
import dev.pitcrew.agent.dra.slices.plan.SlicePlan;
import dev.pitcrew.device.dra.ResourcePool;
import dev.pitcrew.device.dra.SliceDevice;
import dev.pitcrew.device.dra.SliceDevices;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Whether the API server keeps the fields of ResourceSlices that a feature gate of it is for. A
/// gate that is off by default before Kubernetes 1.36 may be on there, and off later. So the server
/// is asked with a dry run, which stores nothing, before the first device with such fields is
/// published.
sealed interface GateSupport {
  /// @param separatesCounters see [ResourcePool#of]
  record Kept(boolean separatesCounters) implements GateSupport {}

  record Dropped(String version) implements GateSupport {}

  /// @param reply to the call that did not succeed
  record Unknown(Reply reply) implements GateSupport {}

  /// From this minor version on, counters and devices are in separate slices.
  int SEPARATING = 35;

  int UNPROCESSABLE = 422;

  Pattern MINOR = Pattern.compile("(\\d+).*");

  /// The counters that partitions of a GPU share (KEP-4815, DRAPartitionableDevices). A server that
  /// drops them would leave devices that overlap and that the scheduler takes for independent ones.
  static GateSupport forCounters(
      ApiServer server, String node, String nodeUid, SliceDevices devices) {
    return ask(server, node, nodeUid, devices, spec -> !spec.path("sharedCounters").isEmpty());
  }

  /// That several claims can hold a device (KEP-5075, DRAConsumableCapacity). A server that drops
  /// it would leave devices of one claim with amounts that no claim takes a part of.
  static GateSupport forShares(
      ApiServer server, String node, String nodeUid, SliceDevices devices) {
    var shared = devices.devices().stream().filter(it -> it.shared().isPresent()).toList();
    return ask(
        server,
        node,
        nodeUid,
        new SliceDevices(shared, devices.problems()),
        spec ->
            spec.path("devices")
                .valueStream()
                .allMatch(device -> device.path("allowMultipleAllocations").asBoolean()));
  }

  /// That a taint keeps claims from a device (KEP-5055, DRADeviceTaints). A server that drops it
  /// would have an unhealthy device as a healthy one; one before 1.35 refuses the effect None.
  ///
  /// @param device with taints
  static GateSupport forTaints(ApiServer server, String node, String nodeUid, SliceDevice device) {
    var alone =
        new SliceDevice(device.name(), device.attributes(), device.capacity(), device.taints());
    GateSupport answer =
        ask(
            server,
            node,
            nodeUid,
            new SliceDevices(List.of(alone), List.of()),
            spec -> !spec.at("/devices/0/taints").isEmpty());
    return answer instanceof Unknown(Reply.Refused refused) && refused.status() == UNPROCESSABLE
        ? new Dropped(refused.message())
        : answer;
  }

  private static GateSupport ask(
      ApiServer server,
      String node,
      String nodeUid,
      SliceDevices devices,
      Predicate<JsonNode> isKept) {
    Reply version = server.version(WriteRetry.DEADLINE);
    if (!(version instanceof Reply.Done(var build))) {
      return new Unknown(version);
    }
    boolean separates = separates(build.path("minor").asText());
    JsonNode body = SlicePlan.first(ResourcePool.of(node, devices, separates), nodeUid);
    Reply tried =
        server.tryCreate(
            ObjectPath.unnamed(SlicePlan.API_VERSION, "resourceslices"), body, WriteRetry.DEADLINE);
    if (!(tried instanceof Reply.Done(var slice))) {
      return new Unknown(tried);
    }
    return isKept.test(slice.path("spec"))
        ? new Kept(separates)
        : new Dropped(build.path("gitVersion").asText());
  }

  /// @param minor such as `34` or `34+`
  static boolean separates(String minor) {
    Matcher number = MINOR.matcher(minor);
    return !number.matches() || Integer.parseInt(number.group(1)) >= SEPARATING;
  }
}
