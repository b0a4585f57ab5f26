package dev.pitcrew.agent.driver;

import dev.pitcrew.agent.driver.plan.Observed;
import dev.pitcrew.agent.host.HostShell;

/// What a driver pod's settings say to its first container.
///
/// @param node the name of the Node
/// @param namespace of the operator and its operands
/// @param shell runs programs of the host
public record PreparationOptions(
    String node,
    String namespace,
    Observed.Asked asked,
    NetworkDrivers network,
    DriverPlaces places,
    ModuleUnloader unloader,
    HostShell shell,
    Limits limits) {}
