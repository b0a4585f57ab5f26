package dev.pitcrew.agent.host;

import dev.pitcrew.agent.host.Ownership.Owner;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;

/// What a host is, and who sets up what GPUs need on it. What another program has set up, or would
/// only set up again, is left alone.
///
/// @param name that its distribution gives itself, such as `Ubuntu 24.04.3 LTS`
public record HostProfile(String name, HostKind kind, Map<HostPart, Ownership> owners) {
  public HostProfile {
    owners = Map.copyOf(owners);
  }

  public static HostProfile of(HostSigns host, NodeMarks node) {
    KnownHost known = KnownHost.of(host, node);
    var owners = new EnumMap<HostPart, Ownership>(HostPart.class);
    var rules = new OwnershipRules(host, node, known);
    for (HostPart part : HostPart.values()) {
      owners.put(part, rules.owner(part));
    }
    return new HostProfile(host.release().name().orElse("unknown"), known.kind(), owners);
  }

  /// Each part has one.
  public Ownership owner(HostPart part) {
    return owners.getOrDefault(part, new Ownership(Owner.HOST, "not known"));
  }

  /// Why the container runtime is not to be set up by us; empty where it is.
  public Optional<String> runtimeLeftAlone() {
    return Optional.of(owner(HostPart.RUNTIME))
        .filter(Ownership::isLeftAlone)
        .map(Ownership::reason);
  }
}
