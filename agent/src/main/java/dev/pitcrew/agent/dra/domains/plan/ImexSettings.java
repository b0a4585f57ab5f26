package dev.pitcrew.agent.dra.domains.plan;

import java.util.List;

/// The settings of the IMEX daemon of a ComputeDomain. The daemon's program replaces the address of
/// its pod, which is a field of a Go template, and starts `nvidia-imex` with the result.
///
/// Source: NVIDIA's IMEX service guide, and the values that NVIDIA's DRA driver writes.
public final class ImexSettings {
  /// In the folder of the domain.
  public static final String FILE = "imexd.cfg.tmpl";

  private static final List<String> LINES =
      List.of(
          "BIND_INTERFACE_IP=",
          "DAEMONIZE=0",
          "IMEX_AUTH_ENCRYPTION_MODE=SSL_TLS",
          "IMEX_AUTH_SOURCE=",
          "IMEX_CLIENT_CERT=",
          "IMEX_CLIENT_CERT_AUTH=",
          "IMEX_CLIENT_KEY=",
          "IMEX_CMD_BIND_INTERFACE_IP={{.IMEXCmdBindInterfaceIP}}",
          "IMEX_CMD_ENABLED=1",
          "IMEX_CMD_PORT=50005",
          "IMEX_CMD_UNIX_DOMAIN_PATH=",
          "IMEX_ENABLE_AUTH_ENCRYPTION=0",
          "IMEX_GSS_RETRY_INTERVAL_SEC=5",
          "IMEX_GSS_SEC_CONTEXT_LIFETIME_SEC=-1",
          "IMEX_GSS_SERVICE_NAME=host",
          "IMEX_GSS_SHUTDOWN_ON_FAILURE=0",
          "IMEX_GSS_TIMEOUT_SEC=30",
          "IMEX_NODE_CONFIG_FILE=/imexd/nodes.cfg",
          "IMEX_NODE_DISCONNECTED_GRACE_TIME=-1",
          "IMEX_SECURITY_TARGET_OVERRIDE=",
          "IMEX_SERVER_CERT=",
          "IMEX_SERVER_CERT_AUTH=",
          "IMEX_SERVER_KEY=",
          "IMEX_WAIT_FOR_QUORUM=RECOVERY",
          "LOG_APPEND_TO_LOG=0",
          "LOG_FILE_MAX_SIZE=1024",
          "LOG_FILE_NAME=",
          "LOG_LEVEL=4",
          "LOG_MAX_ROTATE_COUNT=10",
          "LOG_USE_SYSLOG=0",
          "NETWORK_INTERFACE=",
          "SERVER_PORT=50000",
          "STATS_FILE_NAME=/var/log/nvidia-imex-stats.log");

  private ImexSettings() {}

  public static String text() {
    return String.join("\n", LINES) + "\n";
  }
}
