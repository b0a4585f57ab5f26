package dev.pitcrew.agent.mig.change;

import java.time.Duration;

/// How a change is made.
///
/// @param skipsReset whether a mode that waits for a reset is left waiting
/// @param deadline for all of it; the way back has as long again
public record ChangeOptions(boolean skipsReset, BusyPolicy busy, Duration deadline) {}
