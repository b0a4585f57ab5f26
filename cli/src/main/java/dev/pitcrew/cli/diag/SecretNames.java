package dev.pitcrew.cli.diag;

import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/// What a name says of its value.
final class SecretNames {
  /// Where a new word begins in camel case: `apiKey`, `APIKey`.
  private static final Pattern NEW_WORD =
      Pattern.compile("(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])");

  /// Parts of names that only secrets have; in text a name is found by them, too.
  static final Pattern PART =
      Pattern.compile(
          "passw(?:or)?d|passphrase|passcode|secret|token|credential|authorization|cookie|signature"
              + "|(?:api|access|private|encryption|account|auth|signing|shared|license|client|master|storage)[-_. ]?key"
              + "|pass|pwd|psk|auth|jwt|sig",
          Pattern.CASE_INSENSITIVE);

  /// The short ones are also parts of other words, such as `compass` and `author`.
  private static final Pattern SECRET =
      Pattern.compile(
          "passw(or)?d|passphrase|passcode|secret|token|credential|authorization|cookie"
              + "|(api|access|private|encryption|account|auth|signing|shared|license|client|master|storage)[-_. ]?key"
              + "|(^|[^a-z])(pass|pwd|psk|auth|jwt|sig|signature)([^a-z]|$)");

  /// What is said about a secret, and the names of objects: `tokenFile`, `secretName`.
  private static final Pattern ABOUT =
      Pattern.compile(
          "(^|[-_.])(file|path|dir|directory|name|ref|mode|ttl|seconds|type|kind|policy|required|enabled"
              + "|expiration|expiry|issuer|audience|request|count|limit|volume|annotation|class)s?$"
              + "|pull[-_.]?secrets?$");

  /// Objects of Kubernetes that only name a Secret or ask for a token.
  private static final Set<String> REFERENCES =
      Set.of("secret", "secrets", "secret_ref", "secret_key_ref", "service_account_token", "auth");

  /// ConfigMap keys that are names of files of credentials.
  private static final Pattern FILE =
      Pattern.compile(
          ".*\\.(key|pem|p12|pfx|jks|ppk|kubeconfig)|.*id_(rsa|dsa|ecdsa|ed25519)|\\.?(netrc|pgpass|htpasswd|git-credentials)"
              + "|\\.?docker(config(json)?|cfg)|kubeconfig");

  /// Variables of operands and agent whose values say how they run: the part before the first `_`.
  private static final Set<String> HARMLESS_PREFIXES =
      Set.of(
          "NVIDIA",
          "DCGM",
          "CUDA",
          "MIG",
          "MPS",
          "GFD",
          "CDI",
          "NRI",
          "GDS",
          "GDRCOPY",
          "MOFED",
          "KUBELET",
          "CONTAINERD",
          "CRIO",
          "RUNTIME");

  /// Likewise, by their whole names.
  private static final Set<String> HARMLESS =
      Set.of(
          "NODE_NAME",
          "NODE_IP",
          "POD_NAME",
          "POD_NAMESPACE",
          "NAMESPACE",
          "OPERATOR_NAMESPACE",
          "HOST_ROOT",
          "AGENT_CONFIG_MAP",
          "DEVICE_ID_STRATEGY",
          "DEVICE_LIST_STRATEGY",
          "DRIVER_INSTALL_DIR",
          "FAIL_ON_INIT_ERROR",
          "PASS_DEVICE_SPECS",
          "WITH_WAIT",
          "WITH_WORKLOAD",
          "COMPONENT",
          "KERNEL_MODULE_TYPE",
          "OPEN_KERNEL_MODULES_ENABLED",
          "GPU_DIRECT_RDMA_ENABLED",
          "USE_HOST_MOFED",
          "ENABLE_AUTO_DRAIN",
          "ENABLE_GPU_POD_EVICTION",
          "DEFAULT_GPU_WORKLOAD_CONFIG",
          "DEFAULT_CC_MODE",
          "OPENSHIFT_VERSION",
          "RHCOS_VERSION",
          "METRICS_PORT",
          "METRICS_PATH",
          "HEALTHCHECK_PORT",
          "LOG_VERBOSITY");

  /// One of them is in each name that [#PART] finds. Most lines of a log have none, and are not
  /// searched any further.
  private static final List<String> STEMS =
      List.of(
          "pass",
          "secret",
          "token",
          "credential",
          "auth",
          "cookie",
          "sig",
          "key",
          "pwd",
          "psk",
          "jwt");

  private SecretNames() {}

  /// Whether the name of a secret could be in a line.
  static boolean mayBeIn(String line) {
    String small = line.toLowerCase(Locale.ROOT);
    return STEMS.stream().anyMatch(small::contains);
  }

  /// Whether text with this name, such as of a field or a flag, is a secret.
  static boolean isSecret(String name) {
    String words = words(name);
    return SECRET.matcher(words).find() && !ABOUT.matcher(words).find();
  }

  /// Whether a whole object with this name is one: `credentials`, but not `secretKeyRef`.
  static boolean isSecretObject(String name) {
    return isSecret(name) && !REFERENCES.contains(words(name));
  }

  /// Whether a key of a ConfigMap is the name of a file of credentials.
  static boolean isSecretFile(String key) {
    return FILE.matcher(key.toLowerCase(Locale.ROOT)).matches();
  }

  static boolean isHarmlessVariable(String name) {
    boolean isKnown = HARMLESS.contains(name) || HARMLESS_PREFIXES.contains(name.split("_", 2)[0]);
    return isKnown && !SECRET.matcher(words(name)).find();
  }

  private static String words(String name) {
    return NEW_WORD.matcher(name).replaceAll("_").toLowerCase(Locale.ROOT);
  }
}
