package dev.pitcrew.operator.node;

import dev.pitcrew.kube.selector.LabelSelector;
import java.util.Map;

/// Which nodes an NVIDIADriver asks for.
///
/// @param name of the NVIDIADriver
/// @param selector labels of its nodes; not looked at for a default
/// @param isDefault whether it serves the nodes that no other selects
/// @param autoUpgrade whether its nodes are upgraded without being asked
/// @param demand the driver that it wants there
public record DriverClaim(
    String name,
    Map<String, String> selector,
    boolean isDefault,
    boolean autoUpgrade,
    DriverDemand demand) {

  boolean selects(Map<String, String> labels) {
    return !isDefault && LabelSelector.matches(selector, labels);
  }
}
