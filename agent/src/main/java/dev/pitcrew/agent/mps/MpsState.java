package dev.pitcrew.agent.mps;

import dev.pitcrew.device.mps.MpsPlan;
import java.util.Map;

/// What is known of the MPS daemons.
///
/// @param plan those that were looked at
/// @param down why the devices of a resource must not be used, by its name
public record MpsState(MpsPlan plan, Map<String, String> down) implements DaemonHealth {
  public MpsState {
    down = Map.copyOf(down);
  }

  @Override
  public Map<String, String> down(MpsPlan asked) {
    return asked.equals(plan)
        ? down
        : asked.unknown("its MPS control daemon has not been looked at yet");
  }
}
