package dev.pitcrew.agent.status.plan;

import dev.pitcrew.agent.pods.HoldingPod;
import java.util.List;

/// How the division of the GPUs stands.
///
/// @param phase so far
/// @param layout that the node should have, by its name; empty where it should have none
/// @param reason in CamelCase, for programs
/// @param message in plain words, for people
/// @param inTheWay the pods that have to go before anything is done
public record MigFacts(
    Phase phase, String layout, String reason, String message, List<HoldingPod> inTheWay) {
  public MigFacts {
    inTheWay = List.copyOf(inTheWay);
  }

  /// No pod is in the way.
  public MigFacts(Phase phase, String layout, String reason, String message) {
    this(phase, layout, reason, message, List.of());
  }

  /// What the label `nvidia.com/mig.config.state` can say.
  public enum Phase {
    /// Not looked at yet: what was said last stays.
    UNKNOWN(""),
    PENDING("pending"),
    REBOOTING("rebooting"),
    SUCCESS("success"),
    FAILED("failed");

    private final String label;

    Phase(String label) {
      this.label = label;
    }

    /// An empty text where nothing is said.
    public String label() {
      return label;
    }
  }
}
