package dev.pitcrew.agent.status.plan;

import dev.pitcrew.agent.cluster.SchemaLimits;
import dev.pitcrew.agent.host.HostPart;
import dev.pitcrew.agent.host.HostProfile;
import dev.pitcrew.agent.host.Ownership;
import dev.pitcrew.agent.status.plan.NodeFacts.DriverFacts;
import dev.pitcrew.api.node.DriverOwner;
import dev.pitcrew.api.node.HostOwner;
import dev.pitcrew.api.node.HostPartStatus;
import dev.pitcrew.api.node.HostStatus;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// What is said of the host.
final class ReportedHost {
  private static final String DRIVER_CONTAINER = "/run/nvidia/driver";

  private ReportedHost() {}

  /// Until it was looked at, what was said last stays, so that a restart changes nothing.
  static HostStatus of(Optional<HostProfile> profile, HostStatus before) {
    return profile.map(ReportedHost::of).orElse(before);
  }

  private static HostStatus of(HostProfile profile) {
    return new HostStatus(
        SchemaLimits.nameOrNull(profile.name(), SchemaLimits.HOST),
        profile.kind().text(),
        part(profile.owner(HostPart.RUNTIME)),
        part(profile.owner(HostPart.TOOLKIT)),
        part(profile.owner(HostPart.DRIVER)),
        Map.of());
  }

  private static HostPartStatus part(Ownership ownership) {
    HostOwner owner =
        switch (ownership.owner()) {
          case PITCREW -> HostOwner.PITCREW;
          case HOST -> HostOwner.HOST;
        };
    return new HostPartStatus(
        owner, SchemaLimits.text(ownership.reason(), SchemaLimits.CHECK), Map.of());
  }

  /// Whose the driver is that was found. That of a driver container lies where these show it, or is
  /// about to.
  ///
  /// @param before what was said last, which counts for a host that was not looked at yet
  static @Nullable DriverOwner driver(
      DriverFacts driver, Optional<HostProfile> profile, @Nullable DriverOwner before) {
    boolean isOfContainer =
        switch (driver.containers()) {
          case ALIVE -> true;
          case LEFT -> driver.rootOnHost().isPresent();
          case NONE -> driver.rootOnHost().filter(DRIVER_CONTAINER::equals).isPresent();
        };
    if (isOfContainer) {
      return DriverOwner.CONTAINER;
    }
    if (driver.rootOnHost().isEmpty()) {
      return null;
    }
    boolean isImage = profile.map(it -> it.kind().isImage()).orElse(before == DriverOwner.IMAGE);
    return isImage ? DriverOwner.IMAGE : DriverOwner.HOST;
  }
}
