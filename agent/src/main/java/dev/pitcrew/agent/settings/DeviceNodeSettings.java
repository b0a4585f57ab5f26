package dev.pitcrew.agent.settings;

import dev.pitcrew.api.EnvVar;
import dev.pitcrew.api.node.AgentPolicy;
import dev.pitcrew.core.text.GoText;
import java.util.List;
import java.util.Optional;

/// Which device nodes of the driver are made on the node. NVIDIA's toolkit installer makes the
/// nodes and its validator makes the links, so their variables say it.
///
/// @param makesNodes unless `CREATE_DEVICE_NODES` of the toolkit is `none`, or CDI is off
/// @param linksNodes whether `/dev/char` gets links, unless `DISABLE_DEV_CHAR_SYMLINK_CREATION` of
///   the validator is true
public record DeviceNodeSettings(boolean makesNodes, boolean linksNodes) {
  static final DeviceNodeSettings STANDARD = new DeviceNodeSettings(true, true);

  private static final String NODES = "CREATE_DEVICE_NODES";
  private static final String NO_LINKS = "DISABLE_DEV_CHAR_SYMLINK_CREATION";
  private static final String NONE = "none";

  static DeviceNodeSettings of(AgentPolicy policy) {
    boolean isNone = last(policy.toolkit().env(), NODES).filter(NONE::equals).isPresent();
    boolean hasNoLinks =
        Optional.of(policy.validator().driver().env())
            .flatMap(env -> last(env, NO_LINKS))
            .or(() -> last(policy.validator().env(), NO_LINKS))
            .flatMap(GoText::bool)
            .orElse(false);
    return new DeviceNodeSettings(!isNone, !hasNoLinks);
  }

  /// The last of several values counts.
  private static Optional<String> last(List<EnvVar> env, String name) {
    return env.stream()
        .filter(entry -> entry.name().equals(name))
        .map(EnvVar::valueOrDefault)
        .reduce((_, last) -> last);
  }
}
