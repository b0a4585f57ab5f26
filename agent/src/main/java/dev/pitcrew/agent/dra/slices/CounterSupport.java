package dev.pitcrew.agent.dra.slices;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.agent.cluster.ApiServer;
import dev.pitcrew.agent.cluster.ObjectPath;
import dev.pitcrew.agent.cluster.Reply;
import dev.pitcrew.agent.cluster.WriteRetry;
import dev.pitcrew.agent.dra.slices.plan.SlicePlan;
import dev.pitcrew.device.dra.ResourcePool;
import dev.pitcrew.device.dra.SliceDevices;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Whether the API server keeps the counters that partitions of a GPU share (KEP-4815, feature gate
/// DRAPartitionableDevices: off by default before Kubernetes 1.36).
///
/// A server that drops them would leave devices that overlap and that the scheduler takes for
/// independent ones. So it is asked with a dry run, which stores nothing, before the first of them
/// is published.
sealed interface CounterSupport {
  /// @param separatesCounters see [ResourcePool#of]
  record Kept(boolean separatesCounters) implements CounterSupport {}

  record Dropped(String version) implements CounterSupport {}

  /// @param reply to the call that did not succeed
  record Unknown(Reply reply) implements CounterSupport {}

  /// From this minor version on, counters and devices are in separate slices.
  int SEPARATING = 35;

  Pattern MINOR = Pattern.compile("(\\d+).*");

  static CounterSupport ask(ApiServer server, String node, String nodeUid, SliceDevices devices) {
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
    return slice.at("/spec/sharedCounters").isEmpty()
        ? new Dropped(build.path("gitVersion").asText())
        : new Kept(separates);
  }

  /// @param minor such as `34` or `34+`
  static boolean separates(String minor) {
    Matcher number = MINOR.matcher(minor);
    return !number.matches() || Integer.parseInt(number.group(1)) >= SEPARATING;
  }
}
