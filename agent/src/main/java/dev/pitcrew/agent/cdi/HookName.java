package dev.pitcrew.agent.cdi;

import java.util.Arrays;
import java.util.Collection;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

/// What the hook program can do in a container; each is a sub-command of it.
public enum HookName {
  CREATE_SYMLINKS("create-symlinks"),
  ENABLE_CUDA_COMPAT("enable-cuda-compat"),
  UPDATE_LDCACHE("update-ldcache"),
  DISABLE_DEVICE_NODE_MODIFICATION("disable-device-node-modification"),
  UPDATE_APPLICATION_PROFILE("update-application-profile"),
  CHMOD("chmod");

  private static final String ALL = "all";

  private final String text;

  HookName(String text) {
    this.text = text;
  }

  /// The sub-command.
  public String text() {
    return text;
  }

  public static Optional<HookName> of(String text) {
    return Arrays.stream(values()).filter(hook -> hook.text.equals(text)).findFirst();
  }

  /// The hooks that are on: all but `chmod`, less those disabled (`all` disables each), and those
  /// that are enabled by name in any case. Names that are unknown are ignored, since a newer
  /// configuration may have more.
  public static Set<HookName> switched(Collection<String> disabled, Collection<String> enabled) {
    Set<HookName> on = EnumSet.complementOf(EnumSet.of(CHMOD));
    if (disabled.contains(ALL)) {
      on.clear();
    }
    disabled.stream().flatMap(name -> of(name).stream()).forEach(on::remove);
    enabled.stream().flatMap(name -> of(name).stream()).forEach(on::add);
    return on;
  }
}
