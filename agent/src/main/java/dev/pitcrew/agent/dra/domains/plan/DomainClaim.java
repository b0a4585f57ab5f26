package dev.pitcrew.agent.dra.domains.plan;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pitcrew.agent.dra.claims.plan.ClaimAllocation;
import dev.pitcrew.agent.dra.claims.plan.ClaimObject;
import dev.pitcrew.agent.dra.claims.plan.PreparedClaim;
import dev.pitcrew.agent.dra.domains.plan.DomainPlan.Assigned;
import dev.pitcrew.device.dra.DomainDevice;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/// A claim for ComputeDomains in the checkpoint, with the trees of NVIDIA's DRA driver. Unlike one
/// for GPUs it keeps name and namespace when it is completed.
public final class DomainClaim {
  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
  private static final String DEVICES = "devices";
  private static final String DEVICE = "device";
  private static final String STATE = "configState";
  private static final String TYPE = "Type";
  private static final String DOMAIN = "ComputeDomain";

  private DomainClaim() {}

  public static PreparedClaim completed(ClaimObject claim, DomainPlan plan, DomainNode node) {
    ArrayNode groups = NODES.arrayNode();
    for (Assigned assigned : plan.devices()) {
      ObjectNode answer = NODES.objectNode();
      answer.putArray("Requests").add(assigned.result().request());
      answer
          .put("PoolName", assigned.result().pool())
          .put("DeviceName", assigned.result().device());
      ArrayNode ids = answer.putArray("CDIDeviceIDs");
      DomainSpecification.ids(claim.uid(), assigned, node).forEach(ids::add);
      groups.add(group(assigned.device(), answer, assigned.domain()));
    }
    return PreparedClaim.started(claim).completedWith(groups);
  }

  private static ObjectNode group(DomainDevice device, JsonNode answer, String domain) {
    ObjectNode group = NODES.objectNode();
    ObjectNode one = group.putArray(DEVICES).addObject();
    for (DomainDevice each : DomainDevice.values()) {
      one.putNull(each.type());
    }
    ObjectNode entry = one.putObject(device.type());
    entry.putObject("info").put("id", 0);
    entry.set(DEVICE, answer);
    group.putObject(STATE).put(TYPE, device.type()).put(DOMAIN, domain);
    return group;
  }

  /// From the CDI file of the claim, which does not say the domain.
  public static PreparedClaim rebuilt(String uid, String node, List<String> devices) {
    ObjectNode status = NODES.objectNode();
    ArrayNode results = status.putObject("allocation").putObject(DEVICES).putArray("results");
    ArrayNode groups = NODES.arrayNode();
    for (String device : devices) {
      DomainDevice.named(device)
          .ifPresent(known -> {
            results
                .addObject()
                .put("request", "")
                .put("driver", DomainDevice.DRIVER)
                .put("pool", node)
                .put(DEVICE, device);
            ObjectNode answer = NODES.objectNode();
            answer.putArray("Requests");
            answer.put("PoolName", node).put("DeviceName", device);
            answer.putArray("CDIDeviceIDs").add(DomainSpecification.id(uid, known));
            groups.add(group(known, answer, ""));
          });
    }
    return new PreparedClaim(true, status, groups, "", "");
  }

  /// The domain for which a claim has, or may have, labelled the Node. An empty text where it is a
  /// domain, and not known which.
  public static Optional<String> labelled(String uid, PreparedClaim claim) {
    return claim.isCompleted()
        ? claim
            .groups()
            .valueStream()
            .map(group -> group.path(STATE))
            .filter(state -> state.path(TYPE).asText().equals(DomainDevice.CHANNEL.type()))
            .map(state -> state.path(DOMAIN).asText())
            .findFirst()
        : planned(uid, claim).filter(DomainPlan::hasChannel).map(DomainPlan::domain);
  }

  /// The domain whose folder a claim has in its containers.
  public static Stream<String> folder(String uid, PreparedClaim claim) {
    return claim.isCompleted()
        ? claim
            .groups()
            .valueStream()
            .map(group -> group.path(STATE))
            .filter(state -> state.path(TYPE).asText().equals(DomainDevice.DAEMON.type()))
            .map(state -> state.path(DOMAIN).asText())
        : planned(uid, claim).filter(DomainPlan::hasDaemon).map(DomainPlan::domain).stream();
  }

  /// A claim whose settings were refused has changed nothing.
  private static Optional<DomainPlan> planned(String uid, PreparedClaim claim) {
    var object = new ClaimObject(claim.namespace(), claim.name(), uid, claim.status());
    List<ClaimAllocation.Result> results =
        ClaimAllocation.results(claim.status(), DomainDevice.DRIVER);
    return !results.isEmpty()
            && ClaimAllocation.of(object, DomainDevice.DRIVER, results.getFirst().pool())
                instanceof ClaimAllocation.Reading.Allocated(var allocation)
            && DomainPlan.of(object, allocation) instanceof DomainPlan.Planned.Ready(var plan)
        ? Optional.of(plan)
        : Optional.empty();
  }

  /// Whether another claim holds a device of this one. Admin access does not count, and neither do
  /// claims of which only a CDI file is left, since the scheduler has allocated the device again.
  ///
  /// @param claims of the checkpoint, by UID
  /// @return why the claim is refused
  public static Optional<String> overlap(
      ClaimObject claim, ClaimAllocation allocation, Map<String, PreparedClaim> claims) {
    return claims.entrySet().stream()
        .filter(other -> !other.getKey().equals(claim.uid()))
        .filter(other -> other.getValue().isCompleted() && !other.getValue().isRebuilt())
        .flatMap(other ->
            ClaimAllocation.results(other.getValue().status(), DomainDevice.DRIVER).stream()
                .filter(held -> !held.adminAccess())
                .flatMap(held ->
                    allocation.results().stream()
                        .filter(own -> !own.adminAccess() && own.device().equals(held.device()))
                        .map(own ->
                            "claim %s, request %s: device %s is in use by another claim, %s; delete the pods of that claim, or wait until they end"
                                .formatted(
                                    claim.text(), own.request(), own.device(), other.getKey()))))
        .findFirst();
  }
}
