package dev.pitcrew.agent.cdi;

import dev.pitcrew.agent.config.AgentConfig;
import dev.pitcrew.agent.config.DeviceListStrategy;
import dev.pitcrew.agent.context.AgentContext;
import dev.pitcrew.agent.host.HostShell;
import dev.pitcrew.agent.host.ProgramFolders;
import dev.pitcrew.agent.state.WholeFile;
import dev.pitcrew.hardware.HostRoot;
import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
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
/// @param own the agent's; empty where there is none that runs
/// @param problem why there is none; empty also where the agent has none to bring
public record CdiHook(HostRoot host, Optional<Own> own, Optional<String> problem) {
  private static final Logger LOG = LoggerFactory.getLogger(CdiHook.class);
  private static final Duration OF_A_RUN = Duration.ofSeconds(10);

  /// Where the image has it.
  private static final Path PROGRAM = Path.of("/usr/bin/pitcrew-cdi-hook");

  private static final String DRAFT = ".hook";

  /// What the container toolkit's package has.
  private static final String REFERENCE = "/usr/bin/nvidia-cdi-hook";

  /// The agent's own program on the host.
  ///
  /// @param path as the host names it
  /// @param file as this process does
  record Own(String path, Path file) {
    public static Own in(String folder, Path program, Path stateFolder, HostRoot host) {
      boolean isOurs = folder.equals(ProgramFolders.OURS);
      String path =
          (isOurs ? stateFolder.resolve("bin").toString() : folder) + "/" + program.getFileName();
      return new Own(path, isOurs ? Path.of(path) : host.place(path));
    }

    /// Whether a mount or a mode forbids it meanwhile, or it is gone.
    boolean runs(HostRoot host) {
      return Files.isExecutable(file) && ProgramFolders.forbidding(host, path).isEmpty();
    }
  }

  /// Brings the program to the first folder of the host in which it runs. The agent's own has the
  /// same path on the host.
  public static CdiHook installed(AgentContext context) {
    return install(PROGRAM, context.folders().state(), context.host());
  }

  /// Takes away what the agents of this node have brought, and the specifications that name it.
  /// What others have in the same folders stays, and with it the folder.
  ///
  /// @return what could not be removed, each with why
  public static List<String> removeAll(AgentContext context) {
    return removeAll(PROGRAM, context.folders().state(), context.host(), context.folders().cdi());
  }

  public static List<String> removeAll(Path program, Path stateFolder, HostRoot host, Path cdi) {
    List<Own> places =
        ProgramFolders.all().stream()
            .map(folder -> Own.in(folder, program, stateFolder, host))
            .toList();
    var failures = new ArrayList<String>();
    // First what names it: a container that starts meanwhile is refused as one without a device.
    failures.addAll(
        new SpecificationFolder(cdi).removeThatName(places.stream().map(Own::path).toList()));
    places.forEach(own -> remove(own.file(), stateFolder).ifPresent(failures::add));
    return failures;
  }

  private static Optional<String> remove(Path file, Path stateFolder) {
    try {
      Path folder = file.resolveSibling(".").normalize();
      if (Files.isDirectory(folder)) {
        Files.deleteIfExists(file);
        try (var drafts = Files.newDirectoryStream(folder, DRAFT + "*")) {
          for (Path draft : drafts) {
            Files.deleteIfExists(draft);
          }
        }
        removeEmpty(folder);
        if (!folder.startsWith(stateFolder)) {
          removeEmpty(folder.resolveSibling(".").normalize());
        }
      }
      return Optional.empty();
    } catch (IOException e) {
      return Optional.of("%s cannot be removed: %s".formatted(file, WholeFile.words(e)));
    }
  }

  private static void removeEmpty(Path folder) throws IOException {
    try {
      Files.deleteIfExists(folder);
    } catch (DirectoryNotEmptyException _) {
      LOG.atInfo().log("{} stays: it has files of others", folder);
    }
  }

  /// On the host; empty where there is none that runs.
  public Optional<String> path() {
    return own.map(Own::path);
  }

  /// Whether nothing has changed since it was brought, or since it was found that it cannot be.
  boolean stands() {
    return problem.isEmpty() && own.filter(it -> !it.runs(host)).isEmpty();
  }

  /// The agent's own program, or where the container toolkit of a host has its own.
  public String ownOrReference() {
    return path().orElse(REFERENCE);
  }

  /// The same configuration with a hook that runs, as far as there is one.
  public AgentConfig in(AgentConfig config) {
    return runs(host, config.cdi().hookPath())
        ? config
        : path().map(config::withHook).orElse(config);
  }

  /// Whether containers start under this configuration only with the agent's own.
  public static boolean isNeeded(HostRoot host, AgentConfig config) {
    return config.plugin().deviceListStrategies().stream().anyMatch(DeviceListStrategy::isCdi)
        && !runs(host, config.cdi().hookPath());
  }

  /// The same for containers that ask by variable.
  public static boolean isNeededByVariable(HostRoot host) {
    return !runs(host, REFERENCE);
  }

  private static boolean runs(HostRoot host, String path) {
    return new Own(path, host.place(path)).runs(host);
  }

  /// A container that starts meanwhile runs the old program or the new one, never half of one.
  public static CdiHook install(Path program, Path stateFolder, HostRoot host) {
    if (!Files.isExecutable(program)) {
      return new CdiHook(host, Optional.empty(), Optional.empty());
    }
    List<String> problems = new ArrayList<>();
    for (String folder : ProgramFolders.candidates(host)) {
      Own own = Own.in(folder, program, stateFolder, host);
      Optional<String> problem =
          ProgramFolders.forbidding(host, folder)
              .map("%s is mounted noexec"::formatted)
              .or(() -> put(program, own.file()));
      if (problem.isEmpty()) {
        return new CdiHook(host, Optional.of(own), Optional.empty());
      }
      problems.add(folder + ": " + problem.get());
    }
    String message =
        "the CDI hook cannot run in any folder of the host (%s): mount one of them without noexec, or install NVIDIA's container toolkit on the host"
            .formatted(String.join("; ", problems));
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
      return Optional.of(said.lastOutput()).filter(_ -> !said.isGood());
    } catch (IOException e) {
      return Optional.of(WholeFile.words(e));
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      return Optional.of("the agent ends");
    }
  }

  private static void replace(Path program, Path target) throws IOException {
    Files.createDirectories(target.getParent());
    Path draft = Files.createTempFile(target.getParent(), DRAFT, "");
    try {
      Files.setPosixFilePermissions(draft, PosixFilePermissions.fromString("rwxr-xr-x"));
      WholeFile.flush(draft, Files.readAllBytes(program));
      Files.move(draft, target, StandardCopyOption.ATOMIC_MOVE);
    } finally {
      Files.deleteIfExists(draft);
    }
  }
}
