package dev.pitcrew.agent.process;

import dev.pitcrew.agent.config.AgentConfig;
import dev.pitcrew.agent.config.DeviceListStrategy;
import dev.pitcrew.agent.host.ProgramFolders;
import dev.pitcrew.agent.runtime.HostShell;
import dev.pitcrew.agent.state.WholeFile;
import dev.pitcrew.hardware.HostRoot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The hook program that CDI specifications call when a container starts. Every container with a
/// GPU fails where it is missing or cannot run, so the agent brings its own to the node and names
/// it wherever the configured one, which is the container toolkit's, is not there.
///
/// @param path on the host; empty where there is none that runs
/// @param trouble why there is none; empty also where the agent has none to bring
record CdiHook(HostRoot host, Optional<String> path, Optional<String> trouble) {
  private static final Logger LOG = LoggerFactory.getLogger(CdiHook.class);
  private static final Duration OF_A_RUN = Duration.ofSeconds(10);

  /// Where the image has it.
  private static final Path PROGRAM = Path.of("/usr/bin/pitcrew-cdi-hook");

  /// Brings the program to the first folder of the host in which it runs. The agent's own has the
  /// same path on the host.
  static CdiHook installed(AgentPlace place) {
    return install(PROGRAM, place.folders().state(), place.host());
  }

  /// The agent's own program, or where the container toolkit of a host has its own.
  static String ownOrReference(AgentPlace place) {
    return installed(place).path().orElse("/usr/bin/nvidia-cdi-hook");
  }

  /// The same configuration with a hook that is there, as far as there is one.
  AgentConfig in(AgentConfig config) {
    return host.exists(config.cdi().hookPath())
        ? config
        : path.map(config::withHook).orElse(config);
  }

  /// Why no container starts that is given devices under this configuration; empty where they do.
  Optional<String> missing(AgentConfig config) {
    boolean isNeeded =
        config.plugin().deviceListStrategies().stream().anyMatch(DeviceListStrategy::isCdi);
    return trouble.filter(_ -> isNeeded && !host.exists(config.cdi().hookPath()));
  }

  /// A container that starts meanwhile runs the old program or the new one, never half of one.
  static CdiHook install(Path program, Path stateFolder, HostRoot host) {
    if (!Files.isExecutable(program)) {
      return new CdiHook(host, Optional.empty(), Optional.empty());
    }
    List<String> troubles = new ArrayList<>();
    for (String folder : ProgramFolders.candidates(host)) {
      boolean isOurs = folder.equals(ProgramFolders.OURS);
      String path =
          (isOurs ? stateFolder.resolve("bin").toString() : folder) + "/" + program.getFileName();
      Optional<String> trouble =
          ProgramFolders.forbidding(host, folder)
              .map("%s is mounted noexec"::formatted)
              .or(() -> put(program, isOurs ? Path.of(path) : host.place(path)));
      if (trouble.isEmpty()) {
        return new CdiHook(host, Optional.of(path), Optional.empty());
      }
      troubles.add(folder + ": " + trouble.get());
    }
    String message =
        "the CDI hook cannot run in any folder of the host (%s), so no container starts that is given a GPU by its CDI name: mount one of them without noexec, or install NVIDIA's container toolkit on the host"
            .formatted(String.join("; ", troubles));
    LOG.atWarn().log(message);
    return new CdiHook(host, Optional.empty(), Optional.of(message));
  }

  /// @return why it cannot run there
  private static Optional<String> put(Path program, Path target) {
    try {
      if (!Files.isExecutable(target) || Files.mismatch(program, target) >= 0) {
        replace(program, target);
      }
      HostShell.Said said = HostShell.run(OF_A_RUN, new ProcessBuilder(target.toString(), "noop"));
      return Optional.of(said.lastWords()).filter(_ -> !said.isGood());
    } catch (IOException e) {
      return Optional.of(WholeFile.words(e));
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      return Optional.of("the agent ends");
    }
  }

  private static void replace(Path program, Path target) throws IOException {
    Files.createDirectories(target.getParent());
    Path draft = Files.createTempFile(target.getParent(), ".hook", "");
    try {
      Files.setPosixFilePermissions(draft, PosixFilePermissions.fromString("rwxr-xr-x"));
      WholeFile.flush(draft, Files.readAllBytes(program));
      Files.move(draft, target, StandardCopyOption.ATOMIC_MOVE);
    } finally {
      Files.deleteIfExists(draft);
    }
  }
}
