package dev.pitcrew.agent.command;

import dev.pitcrew.api.node.DriverRelease;
import java.util.Arrays;
import java.util.Optional;

/// The agent's settings about its node, by a flag or a variable. In a table, so that the agent's
/// pod, which sets variables only, needs no library for command lines to start.
enum AgentFlag {
  HOST_ROOT("--host-root", "<folder>", "HOST_ROOT", "/", "Where / of the host is"),
  NVML(
      "--nvml",
      "<path>",
      "",
      "",
      "The library libnvidia-ml.so.1; where not given, the one below the driver root"),
  NODE_NAME("--node-name", "<name>", "NODE_NAME", "", "The name of this node's Node"),
  POD_NAME(
      "--pod-name",
      "<name>",
      "POD_NAME",
      "",
      "The reporting instance of Events; where not given, the node's name"),
  NAMESPACE("--namespace", "<name>", "OPERATOR_NAMESPACE", "", "The operator's namespace"),
  CONFIG_MAP(
      "--config-map",
      "<name>",
      "AGENT_CONFIG_MAP",
      "pitcrew-agent",
      "The ConfigMap by which the operator configures its agents"),
  SERVER("--server", "<url>", "", "", "The API server; where not given, the one of this pod"),
  SERVICE_ACCOUNT(
      "--service-account",
      "<folder>",
      "",
      "/var/run/secrets/kubernetes.io/serviceaccount",
      "Has the files token and ca.crt"),
  KUBELET_DIR(
      "--kubelet-dir",
      "<folder>",
      "",
      "/var/lib/kubelet/device-plugins",
      "Takes the sockets of device plugins"),
  KUBELET_ROOT(
      "--kubelet-root",
      "<folder>",
      "",
      "/var/lib/kubelet",
      "Takes the sockets of the DRA driver, in plugins and plugins_registry"),
  KUBELET_ROOT_ON_HOST(
      "--kubelet-root-on-host",
      "<folder>",
      "KUBELET_ROOT_DIR",
      "/var/lib/kubelet",
      "The same folder as the kubelet sees it"),
  CDI_DIR("--cdi-dir", "<folder>", "", "/var/run/cdi", "Takes the CDI specifications"),
  STATE_DIR(
      "--state-dir", "<folder>", "", "/var/lib/pitcrew", "What outlives the agent on its node"),
  VALIDATIONS_DIR("--validations-dir", "<folder>", "", DriverRelease.FOLDER, "Takes status files"),
  HEALTH_ADDRESS(
      "--health-probe-bind-address",
      "<address>",
      "",
      "127.0.0.1:8081",
      "Serves /healthz and /readyz; 0 for off"),
  NODE_STATUS_ADDRESS(
      "--node-status-bind-address",
      "<address>",
      "",
      ":8000",
      "Serves the metrics of the node where that is the agent's to do; 0 for off"),
  COMMAND_SOCKET(
      "--command-socket",
      "<path>",
      "",
      "",
      "The socket on which it carries out commands of its container; where not given, it does not");

  private final String option;
  private final String label;
  private final String variable;
  private final String otherwise;
  private final String meaning;

  /// @param variable empty where none gives it
  /// @param otherwise what holds where neither gives it
  AgentFlag(String option, String label, String variable, String otherwise, String meaning) {
    this.option = option;
    this.label = label;
    this.variable = variable;
    this.otherwise = otherwise;
    this.meaning = meaning;
  }

  static Optional<AgentFlag> of(String option) {
    return Arrays.stream(values()).filter(flag -> flag.option.equals(option)).findFirst();
  }

  String option() {
    return option;
  }

  String label() {
    return label;
  }

  String variable() {
    return variable;
  }

  String otherwise() {
    return otherwise;
  }

  /// A sentence for people.
  String description() {
    String fallback = otherwise.isEmpty() ? "" : "default: " + otherwise;
    String named = variable.isEmpty() ? "" : "variable: " + variable;
    String both = fallback + (fallback.isEmpty() || named.isEmpty() ? "" : "; ") + named;
    return meaning + (both.isEmpty() ? "." : " (" + both + ").");
  }
}
