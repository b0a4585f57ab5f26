package dev.pitcrew.operator.node;

import static dev.pitcrew.operator.node.LabelSets.DRIVER;
import static dev.pitcrew.operator.node.LabelSets.PRE_INSTALLED;

import dev.pitcrew.api.node.DriverOwner;
import dev.pitcrew.api.node.DriverPhase;
import dev.pitcrew.api.node.DriverStatus;
import dev.pitcrew.core.names.NodeLabels;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/// Decides who brings the driver of a node, by what its agent has found. Its last word counts for
/// as long as there is none that says otherwise: an agent that is away changes nothing.
public final class DriverDecisions {
  private static final int FIRST_WITH_OPEN_MODULES = 515;
  private static final int FIRST_WITH_BLACKWELL = 570;

  /// A driver of the host that works.
  private record HostDriver(DriverVersion version, boolean isOfImage) {}

  private record Question(NodeFacts node, HostDriver found, DriverDemand wanted) {}

  /// What speaks against a driver of the host; empty where nothing does.
  @FunctionalInterface
  private interface Check {
    Optional<DriverDecision> against(Question question);
  }

  private static final List<Check> CHECKS =
      List.of(DriverDecisions::versionDiffers, DriverDecisions::tooOld);

  private DriverDecisions() {}

  /// @param wanted empty while it is unknown
  public static DriverDecision of(NodeFacts node, Optional<DriverDemand> wanted) {
    if (wanted.isEmpty()) {
      return new DriverDecision.Undecided();
    }
    if (wanted.get().isNone()) {
      return new DriverDecision.Install();
    }
    return switch (node.label(NodeLabels.OWNER_OF_DRIVER).orElse("")) {
      case "host" -> new DriverDecision.Adopt();
      case "pitcrew" -> new DriverDecision.Install();
      default -> isAccepted(node) ? new DriverDecision.Adopt() : byReport(node, wanted.get());
    };
  }

  /// A user keeps driver containers off the node, or has said that there is a driver.
  private static boolean isAccepted(NodeFacts node) {
    return switch (node.label(DRIVER).orElse("")) {
      case "false" -> true;
      case PRE_INSTALLED -> !node.isDriverLabelAutomatic();
      default -> false;
    };
  }

  private static DriverDecision byReport(NodeFacts node, DriverDemand wanted) {
    DriverStatus report = node.driver();
    if (report.phase() == null || report.phase() == DriverPhase.PAUSED) {
      return new DriverDecision.Undecided();
    }
    return switch (report.owner()) {
      case null -> new DriverDecision.Install();
      case CONTAINER -> new DriverDecision.Install();
      case HOST, IMAGE -> ofHost(node, report, wanted);
    };
  }

  /// Libraries alone are no driver, and a host that boots may load its own any moment.
  private static DriverDecision ofHost(NodeFacts node, DriverStatus report, DriverDemand wanted) {
    if (report.phase() != DriverPhase.READY) {
      return new DriverDecision.Undecided();
    }
    return DriverVersion.parse(Objects.requireNonNullElse(report.version(), ""))
        .map(version ->
            new Question(
                node, new HostDriver(version, report.owner() == DriverOwner.IMAGE), wanted))
        .flatMap(question ->
            CHECKS.stream().flatMap(check -> check.against(question).stream()).findFirst())
        .orElseGet(DriverDecision.Adopt::new);
  }

  private static Optional<DriverDecision> versionDiffers(Question question) {
    return DriverVersion.parse(question.wanted().version())
        .filter(wanted -> !question.found().version().isOf(wanted))
        .map(wanted ->
            refusal(
                question,
                "DriverVersionDiffers",
                "%s wants %s in a container".formatted(question.wanted().by(), wanted.text())));
  }

  private static Optional<DriverDecision> tooOld(Question question) {
    int branch = question.found().version().branch();
    if (question.node().label(NodeLabels.GPU_FAMILY).filter("blackwell"::equals).isPresent()
        && branch < FIRST_WITH_BLACKWELL) {
      return Optional.of(
          tooOld(question, "the GPUs are of the family Blackwell", FIRST_WITH_BLACKWELL));
    }
    return question.wanted().needsOpenModules() && branch < FIRST_WITH_OPEN_MODULES
        ? Optional.of(
            tooOld(
                question,
                question.wanted().by() + " wants open kernel modules",
                FIRST_WITH_OPEN_MODULES))
        : Optional.empty();
  }

  private static DriverDecision tooOld(Question question, String why, int first) {
    return refusal(question, "DriverTooOld", "%s, which begin with %d".formatted(why, first));
  }

  private static DriverDecision refusal(Question question, String reason, String wanted) {
    HostDriver found = question.found();
    return new DriverDecision.Refuse(
        reason,
        "node %s has driver %s %s; %s: %s, or label the Node %s=host to accept it"
            .formatted(
                question.node().name(),
                found.version().text(),
                found.isOfImage() ? "of its image" : "of a host package",
                wanted,
                found.isOfImage()
                    ? "take an image with that driver, or with none"
                    : "remove the package and reboot",
                NodeLabels.OWNER_OF_DRIVER),
        question.wanted().by());
  }
}
