package dev.pitcrew.agent.status.plan;

import static dev.pitcrew.api.node.NodeCondition.DEVICES_ADVERTISED;

import dev.pitcrew.device.allocatable.Allocatable;
import dev.pitcrew.device.allocatable.Device;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Whether pods can get GPUs from the kubelet. The first check that has something to say says it:
/// first why no pod can, then what is not as it was configured although pods can.
final class AdvertisedVerdict {
  private final NodeFacts facts;
  private final boolean isWithoutGpu;
  private final Allocatable offered;

  AdvertisedVerdict(NodeFacts facts, boolean isWithoutGpu) {
    this.facts = facts;
    this.isWithoutGpu = isWithoutGpu;
    offered = facts.offered().orElse(Allocatable.NOTHING);
  }

  Verdict verdict() {
    return Stream.<Supplier<Optional<Verdict>>>of(
            this::paused,
            this::withoutGpu,
            this::notYetKnown,
            this::fatalProblem,
            this::withoutDriver,
            this::byClaims,
            this::nothing,
            this::nothingHealthy,
            this::problem)
        .flatMap(check -> check.get().stream())
        .findFirst()
        .orElseGet(this::advertised);
  }

  private Optional<Verdict> paused() {
    return no(
        facts.plugin() == PluginState.PAUSED,
        NodeVerdicts.PAUSED,
        "the devices are offered as unhealthy while another program has exclusive use of the driver: see condition DriverReady; running pods keep theirs");
  }

  private Optional<Verdict> withoutGpu() {
    return no(
        isWithoutGpu && facts.pci().isPresent(),
        NodeVerdicts.NO_GPU,
        "there is no GPU to offer: see condition Discovered");
  }

  private Optional<Verdict> notYetKnown() {
    return Optional.of(
            Verdict.notYet(DEVICES_ADVERTISED, "the kubelet was not offered anything yet"))
        .filter(_ -> facts.offered().isEmpty() || facts.snapshot().isEmpty());
  }

  private Optional<Verdict> fatalProblem() {
    return worst()
        .filter(problem -> problem.cause().isFatal())
        .map(problem -> Verdict.no(DEVICES_ADVERTISED, problem.cause().reason(), problems(facts)));
  }

  private Optional<Verdict> withoutDriver() {
    return no(
        facts.withDriver().isEmpty(),
        NodeVerdicts.DRIVER_NOT_READY,
        "without a driver no pod gets a GPU: see condition DriverReady; running pods keep theirs");
  }

  private Optional<Verdict> byClaims() {
    return offered.resources().isEmpty() && !offered.byClaims().isEmpty()
        ? Optional.of(Verdict.yes(DEVICES_ADVERTISED, "AllocatedByClaims", claimed()))
        : Optional.empty();
  }

  private Optional<Verdict> nothing() {
    String reason = worst().map(it -> it.cause().reason()).orElse("NothingToAdvertise");
    String why =
        Stream.concat(
                facts.problems().stream().map(NodeProblem::message),
                offered.problems().stream().map(it -> it.subject() + ": " + it.reason()))
            .collect(Collectors.joining("; "));
    return no(
        offered.resources().isEmpty(),
        reason,
        "the kubelet is offered no device: "
            + (why.isEmpty() ? "the configuration leaves none" : why));
  }

  private Optional<Verdict> nothingHealthy() {
    return no(
        devices().noneMatch(Device::isHealthy),
        "NoHealthyDevice",
        "every device that the kubelet is offered is unhealthy (%s): see condition Healthy"
            .formatted(
                devices()
                    .flatMap(device -> device.unhealthyReason().stream())
                    .distinct()
                    .collect(Collectors.joining(", "))));
  }

  private Optional<Verdict> problem() {
    return worst()
        .map(problem ->
            Verdict.yes(
                DEVICES_ADVERTISED,
                problem.cause().reason(),
                "%s. %s".formatted(problems(facts), counts())));
  }

  private Verdict advertised() {
    return Verdict.yes(DEVICES_ADVERTISED, "DevicesAdvertised", counts());
  }

  /// Totals only: which of them are unhealthy is reported elsewhere, and would be repeated.
  private String counts() {
    return "the kubelet is offered "
        + offered.resources().stream()
            .map(resource -> resource.devices().size() + " " + resource.name())
            .collect(Collectors.joining(", "))
        + (offered.byClaims().isEmpty() ? "" : "; " + claimed());
  }

  private String claimed() {
    int gpus = offered.byClaims().size();
    return "%d GPU%s allocated by ResourceClaims (driver gpu.nvidia.com)"
        .formatted(gpus, gpus == 1 ? " is" : "s are");
  }

  private Stream<Device> devices() {
    return offered.resources().stream().flatMap(resource -> resource.devices().stream());
  }

  private Optional<NodeProblem> worst() {
    return worst(facts);
  }

  static Optional<NodeProblem> worst(NodeFacts facts) {
    return facts.problems().stream().min((left, right) -> left.cause().compareTo(right.cause()));
  }

  static String problems(NodeFacts facts) {
    return facts.problems().stream()
        .sorted((left, right) -> left.cause().compareTo(right.cause()))
        .map(NodeProblem::message)
        .collect(Collectors.joining("; "));
  }

  private static Optional<Verdict> no(boolean applies, String reason, String message) {
    return applies
        ? Optional.of(Verdict.no(DEVICES_ADVERTISED, reason, message))
        : Optional.empty();
  }
}
