package dev.pitcrew.agent.process;

import dev.pitcrew.agent.config.AgentConfig;
import dev.pitcrew.hardware.HostRoot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The hook program that CDI specifications call when a container starts. Every container with a
/// GPU fails where it is missing, so the agent brings its own to the node and names it wherever the
/// configured one, which is the container toolkit's, is not there.
final class CdiHook {
  private static final Logger LOG = LoggerFactory.getLogger(CdiHook.class);

  /// Where the image has it.
  private static final Path PROGRAM = Path.of("/usr/bin/pitcrew-cdi-hook");

  private final HostRoot host;
  private final Optional<String> own;

  private CdiHook(HostRoot host, Optional<String> own) {
    this.host = host;
    this.own = own;
  }

  /// Brings the program to the agent's folder, which has the same path on the host.
  static CdiHook installed(AgentPlace place) {
    return new CdiHook(place.host(), install(PROGRAM, place.folders().state()));
  }

  /// The agent's own program, or where the container toolkit of a host has its own.
  static String ownOrReference(AgentPlace place) {
    return install(PROGRAM, place.folders().state()).orElse("/usr/bin/nvidia-cdi-hook");
  }

  /// The same configuration with a hook that is there, as far as there is one.
  AgentConfig in(AgentConfig config) {
    boolean isThere = host.exists(config.cdi().hookPath());
    return isThere || own.isEmpty() ? config : config.withHook(own.get());
  }

  /// A container that starts meanwhile runs the old program or the new one, never half of one.
  static Optional<String> install(Path program, Path stateFolder) {
    if (!Files.isExecutable(program)) {
      return Optional.empty();
    }
    Path target = stateFolder.resolve("bin").resolve(program.getFileName());
    try {
      if (!Files.exists(target) || Files.mismatch(program, target) >= 0) {
        replace(program, target);
      }
      return Optional.of(target.toString());
    } catch (IOException e) {
      LOG.atWarn()
          .setCause(e)
          .log("{} cannot be written; containers need the container toolkit's hook", target);
      return Optional.empty();
    }
  }

  private static void replace(Path program, Path target) throws IOException {
    Files.createDirectories(target.getParent());
    Path draft = Files.createTempFile(target.getParent(), ".hook", "");
    try {
      Files.copy(program, draft, StandardCopyOption.REPLACE_EXISTING);
      Files.setPosixFilePermissions(draft, PosixFilePermissions.fromString("rwxr-xr-x"));
      Files.move(draft, target, StandardCopyOption.ATOMIC_MOVE);
    } finally {
      Files.deleteIfExists(draft);
    }
  }
}
