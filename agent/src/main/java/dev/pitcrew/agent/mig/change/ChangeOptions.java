package dev.pitcrew.agent.mig.change;

import java.time.Duration;

/// How a change is made.
///
/// @param skipsReset whether a mode that waits for a reset is left waiting
/// @param deadline for all of it; the way back has as long again
/// @param mayReboot whether a mode that no reset brings into force is left to a reboot of the node
public record ChangeOptions(
    boolean skipsReset, BusyPolicy busy, Duration deadline, boolean mayReboot) {

  /// Without a reboot.
  public ChangeOptions(boolean skipsReset, BusyPolicy busy, Duration deadline) {
    this(skipsReset, busy, deadline, false);
  }
}
