package dev.pitcrew.agent.mps;

import dev.pitcrew.device.mps.MpsPlan;
import java.util.Map;

/// Knows which of the daemons do not run.
@FunctionalInterface
public interface DaemonHealth {
  /// For who shares nothing by MPS.
  DaemonHealth ALL_WELL = _ -> Map.of();

  /// Why the devices of a resource must not be used, by its name; a resource that is not named is
  /// well.
  Map<String, String> down(MpsPlan plan) throws InterruptedException;
}
