package dev.pitcrew.core.rollout;

import java.util.Collection;
import java.util.List;
import java.util.Set;

/// Sentences about a roll-out that users read in more than one place.
public final class RolloutWords {
  /// What the blocker of a node that a halt keeps from beginning starts with; the reason follows.
  public static final String HALTED = "the roll-out is halted: ";

  /// Where nothing asks for a driver.
  public static final String NO_SOURCE =
      "Nothing says what driver nodes get: there is no ClusterPolicy, or it leaves drivers to NVIDIADrivers and there is none.";

  /// Why a policy does not upgrade drivers automatically.
  public static final String NOT_ASKED = "upgradePolicy.autoUpgrade is false";

  /// Likewise.
  public static final String SANDBOX = "sandboxWorkloads.enabled is true";

  /// Reasons of the condition Error of a policy that waits for nothing but its user.
  public static final Set<String> REFUSALS = Set.of("ConflictingNodeSelector", "ReconcileFailed");

  private RolloutWords() {}

  /// @param source the policy, such as `ClusterPolicy cluster-policy`
  /// @param why [#NOT_ASKED] or [#SANDBOX]
  public static String unattended(String source, String why) {
    return "%s does not upgrade automatically (%s): a new driver reaches a node when its driver pod is deleted."
        .formatted(source, why);
  }

  /// One line of it all.
  ///
  /// @param phases of the nodes, in the words of a GPUNode
  /// @param halt why no further node begins, if it is halted
  /// @param refusal why the operator does not carry the policy out, if it does not
  /// @param isObserved whether the operator has looked at the policy as it is now
  public static String summary(
      String source, Collection<String> phases, String halt, String refusal, boolean isObserved) {
    int done = count(phases, List.of("Done", "Idle"));
    int waiting = count(phases, List.of("Pending"));
    int failed = count(phases, List.of("Failed"));
    return "%s: %d of %d nodes done, %d under way, %d waiting, %d failed%s%s%s"
        .formatted(
            source,
            done,
            phases.size(),
            phases.size() - done - waiting - failed,
            waiting,
            failed,
            halt.isEmpty() ? "" : "; halted: " + halt,
            refusal.isEmpty() ? "" : "; not carried out: " + refusal,
            isObserved ? "" : "; the operator has not looked at its last change yet");
  }

  private static int count(Collection<String> phases, List<String> wanted) {
    return (int) phases.stream().filter(wanted::contains).count();
  }
}
