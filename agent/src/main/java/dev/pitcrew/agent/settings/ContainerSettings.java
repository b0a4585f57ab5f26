package dev.pitcrew.agent.settings;

import dev.pitcrew.agent.nri.plan.ContainerRules;

/// How containers get devices while they are created.
///
/// @param socket of the runtime for its plugins, on the host
/// @param index two digits, in whose order the runtime asks its plugins
/// @param runtime how the runtime itself is set up for that
public record ContainerSettings(
    ContainerRules rules, String socket, String index, RuntimeSettings runtime) {
  static final String SOCKET = "/var/run/nri/nri.sock";
  static final String INDEX = "10";

  static ContainerSettings standard(String namespace) {
    return new ContainerSettings(
        ContainerRules.standard(namespace), SOCKET, INDEX, RuntimeSettings.STANDARD);
  }
}
