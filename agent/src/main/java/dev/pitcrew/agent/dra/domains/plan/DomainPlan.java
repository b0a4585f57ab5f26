package dev.pitcrew.agent.dra.domains.plan;

import dev.pitcrew.agent.dra.claims.plan.ClaimAllocation;
import dev.pitcrew.agent.dra.claims.plan.ClaimAllocation.Result;
import dev.pitcrew.agent.dra.claims.plan.ClaimObject;
import dev.pitcrew.agent.dra.claims.plan.DeviceSettings;
import dev.pitcrew.agent.dra.claims.plan.SettingsChoice;
import dev.pitcrew.agent.dra.claims.plan.SettingsDecoder;
import dev.pitcrew.device.dra.DomainDevice;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/// What a claim for ComputeDomains asks for.
///
/// @param devices in the order of the claim
public record DomainPlan(List<Assigned> devices) {
  public DomainPlan {
    devices = List.copyOf(devices);
  }

  /// A device of the claim with its settings.
  ///
  /// @param domain the UID of the ComputeDomain
  /// @param allChannels whether containers get all IMEX channels and not the one of the device
  public record Assigned(Result result, DomainDevice device, String domain, boolean allChannels) {}

  public sealed interface Planned {
    record Ready(DomainPlan plan) implements Planned {}

    record Refused(String reason) implements Planned {}
  }

  /// @param allocation of the driver `compute-domain.nvidia.com`
  public static Planned of(ClaimObject claim, ClaimAllocation allocation) {
    return switch (SettingsChoice.of(
        allocation, DomainDevice.DRIVER, SettingsDecoder::decodeOfDomain)) {
      case SettingsChoice.Read.Refused(var reason) -> refused(claim, reason);
      case SettingsChoice.Read.Ranked(var settings) -> of(claim, allocation, settings);
    };
  }

  private static Planned of(
      ClaimObject claim, ClaimAllocation allocation, SettingsChoice settings) {
    var devices = new ArrayList<Assigned>();
    for (Result result : allocation.results()) {
      Optional<DomainDevice> device = DomainDevice.named(result.device());
      if (device.isEmpty()) {
        return refused(
            claim,
            "request %s: device %s is not on this node; its devices: %s, %s"
                .formatted(
                    result.request(),
                    result.device(),
                    DomainDevice.CHANNEL.device(),
                    DomainDevice.DAEMON.device()));
      }
      String kind = kind(device.get());
      switch (settings.choose(result, kind, device.get().type())) {
        case SettingsChoice.Choice.Refused(var reason) -> {
          return refused(claim, reason);
        }
        case SettingsChoice.Choice.None() -> {
          return refused(
              claim,
              "request %s: no settings name its ComputeDomain; add opaque parameters of kind %s with domainID"
                  .formatted(result.request(), kind));
        }
        case SettingsChoice.Choice.Chosen(_, var chosen) ->
            devices.add(assigned(result, device.get(), chosen));
      }
    }
    Set<String> domains = devices.stream().map(Assigned::domain).collect(Collectors.toSet());
    return domains.size() == 1
        ? new Planned.Ready(new DomainPlan(devices))
        : refused(
            claim,
            "it names several ComputeDomains (%s); a claim is for one"
                .formatted(domains.stream().sorted().collect(Collectors.joining(", "))));
  }

  private static String kind(DomainDevice device) {
    return switch (device) {
      case CHANNEL -> DeviceSettings.ForChannel.KIND;
      case DAEMON -> DeviceSettings.ForDaemon.KIND;
    };
  }

  private static Assigned assigned(Result result, DomainDevice device, DeviceSettings settings) {
    return switch (settings) {
      case DeviceSettings.ForChannel(var domain, boolean allChannels) ->
          new Assigned(result, device, domain, allChannels);
      case DeviceSettings.ForDaemon(var domain) -> new Assigned(result, device, domain, false);
      case DeviceSettings.ForGpu _, DeviceSettings.ForMigDevice _, DeviceSettings.ForVfioDevice _ ->
          throw new IllegalArgumentException(settings.kind() + " does not fit " + device);
    };
  }

  private static Planned refused(ClaimObject claim, String reason) {
    return new Planned.Refused("claim %s, %s".formatted(claim.text(), reason));
  }

  /// The UID of the ComputeDomain.
  public String domain() {
    return devices.getFirst().domain();
  }

  /// Whether containers of the domain are to run on the node.
  public boolean hasChannel() {
    return devices.stream().anyMatch(it -> it.device() == DomainDevice.CHANNEL);
  }

  public boolean hasDaemon() {
    return devices.stream().anyMatch(it -> it.device() == DomainDevice.DAEMON);
  }
}
