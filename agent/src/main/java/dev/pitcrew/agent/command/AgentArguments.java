package dev.pitcrew.agent.command;

import dev.pitcrew.agent.cluster.Credentials;
import dev.pitcrew.agent.context.AgentContext;
import dev.pitcrew.core.web.BindAddress;
import dev.pitcrew.hardware.HostRoot;
import java.net.URI;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/// The arguments of the agent.
///
/// @param given by flags; these come before the environment
/// @param clears whether only what is stale is to be taken away
record AgentArguments(
    Map<AgentFlag, String> given, boolean clears, Map<String, String> environment) {
  static final String COMMAND = "agent";
  static final String CLEAR = "--clear";

  /// A command line of the agent's of which every word is plain: its pod's, and whatever looks like
  /// `agent --name=value`. Empty for any other, which takes more to read or to explain.
  static Optional<AgentArguments> plain(Map<String, String> environment, String... words) {
    if (words.length == 0 || !words[0].equals(COMMAND)) {
      return Optional.empty();
    }
    var given = new EnumMap<AgentFlag, String>(AgentFlag.class);
    boolean clears = false;
    for (String word : List.of(words).subList(1, words.length)) {
      int end = word.indexOf('=');
      Optional<AgentFlag> flag = AgentFlag.of(word.substring(0, Math.max(0, end)));
      if (flag.isEmpty() && !word.equals(CLEAR)) {
        return Optional.empty();
      }
      clears |= flag.isEmpty();
      flag.ifPresent(it -> given.put(it, word.substring(end + 1)));
    }
    return Optional.of(new AgentArguments(given, clears, environment));
  }

  /// Why the agent cannot start; empty if it can.
  List<String> missing() {
    return Stream.of(
            Optional.of("no node: give --node-name or NODE_NAME")
                .filter(_ -> text(AgentFlag.NODE_NAME).isEmpty()),
            Optional.of("no namespace: give --namespace or OPERATOR_NAMESPACE")
                .filter(_ -> text(AgentFlag.NAMESPACE).isEmpty()),
            Optional.of("no API server: this is no pod, so give --server and --service-account")
                .filter(_ -> credentials().isEmpty()))
        .flatMap(Optional::stream)
        .toList();
  }

  /// Where nothing is [#missing].
  AgentContext context(InstantSource clock) {
    String node = text(AgentFlag.NODE_NAME);
    String pod = text(AgentFlag.POD_NAME);
    return new AgentContext(
        new AgentContext.Identity(
            node,
            pod.isEmpty() ? node : pod,
            text(AgentFlag.NAMESPACE),
            text(AgentFlag.CONFIG_MAP)),
        credentials().orElseThrow(),
        new HostRoot(path(AgentFlag.HOST_ROOT)),
        new AgentContext.Folders(
            path(AgentFlag.KUBELET_DIR),
            new AgentContext.KubeletRoot(
                path(AgentFlag.KUBELET_ROOT), text(AgentFlag.KUBELET_ROOT_ON_HOST)),
            path(AgentFlag.CDI_DIR),
            path(AgentFlag.STATE_DIR),
            path(AgentFlag.VALIDATIONS_DIR)),
        Optional.of(text(AgentFlag.NVML)).filter(path -> !path.isEmpty()),
        BindAddress.parse(text(AgentFlag.NODE_STATUS_ADDRESS)),
        clock);
  }

  String text(AgentFlag flag) {
    String value = given.getOrDefault(flag, environment.getOrDefault(flag.variable(), ""));
    return value.isEmpty() ? flag.otherwise() : value;
  }

  private Path path(AgentFlag flag) {
    return Path.of(text(flag));
  }

  private Optional<Credentials> credentials() {
    String server = text(AgentFlag.SERVER);
    return server.isEmpty()
        ? Credentials.ofPod(environment)
        : Optional.of(Credentials.of(URI.create(server), path(AgentFlag.SERVICE_ACCOUNT)));
  }
}
