package dev.pitcrew.operator.driver;

import dev.pitcrew.api.nvidiadriver.NvidiaDriverSpec;
import dev.pitcrew.core.names.NodeLabels;
import dev.pitcrew.operator.node.DriverClaim;
import dev.pitcrew.operator.node.DriverDemand;
import dev.pitcrew.operator.render.Problem;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/// One NVIDIADriver that is not being deleted.
///
/// @param content digest of what the ConfigMaps and Secrets hold that it refers to; empty where an
///   edit of theirs is not to reach running drivers
public record DriverResource(String name, String uid, NvidiaDriverSpec spec, String content) {
  public static final String CONFLICTING_SELECTOR = "ConflictingNodeSelector";
  private static final int LONGEST_LABEL = 63;

  DriverClaim claim() {
    return new DriverClaim(
        name,
        spec.nodeSelectorOrDefault(),
        spec.isDefault(),
        spec.upgradePolicy().isAutoUpgrade(),
        new DriverDemand(
            "NVIDIADriver " + name,
            Objects.requireNonNullElse(spec.version(), ""),
            spec.kernelModuleTypeOrDefault().equals("open")));
  }

  /// Why nodes can never be selected for it.
  Optional<Problem> selectorProblem() {
    if (name.length() > LONGEST_LABEL) {
      return Optional.of(
          Problem.of(
              "SpecInvalid",
              "metadata.name",
              name,
              "its nodes are labelled with it: at most %d characters".formatted(LONGEST_LABEL)));
    }
    if (spec.isDefault() && !spec.nodeSelector().isEmpty()) {
      return Optional.of(
          new Problem(
              CONFLICTING_SELECTOR,
              "default NVIDIADriver \"%s\" cannot use nodeSelector".formatted(name)));
    }
    return spec.nodeSelector().containsKey(NodeLabels.DRIVER_OWNER)
        ? Optional.of(
            new Problem(
                CONFLICTING_SELECTOR,
                "NVIDIADriver \"%s\" nodeSelector cannot use reserved label \"%s\""
                    .formatted(name, NodeLabels.DRIVER_OWNER)))
        : Optional.empty();
  }

  /// Labels of the nodes that it has, whatever system they run.
  Map<String, String> selector() {
    var selector = new HashMap<>(spec.nodeSelector());
    selector.put(NodeLabels.GPU_PRESENT, "true");
    selector.put(NodeLabels.DRIVER_OWNER, name);
    return selector;
  }
}
