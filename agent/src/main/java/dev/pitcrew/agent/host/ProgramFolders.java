package dev.pitcrew.agent.host;

import dev.pitcrew.agent.host.Mounts.Mount;
import dev.pitcrew.hardware.HostRoot;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/// Folders of a host in which programs of the agent may lie, as container runtimes start them from
/// there. Hardened hosts mount `/var` with `noexec`, as Container-Optimized OS does, which has
/// `/home/kubernetes/bin` for programs instead
/// (cloud.google.com/container-optimized-os/docs/concepts/disks-and-filesystem). What is in `/run`
/// is gone after a reboot, and comes back with the agent.
public final class ProgramFolders {
  /// Below the agent's own folder.
  public static final String OURS = "/var/lib/pitcrew/bin";

  private static final List<String> PARENTS = List.of("/home/kubernetes/bin", "/opt", "/run");

  private ProgramFolders() {}

  /// Those that there are or that can be made, the best first.
  public static List<String> candidates(HostRoot host) {
    return Stream.concat(
            Stream.of(OURS),
            PARENTS.stream().filter(host::exists).map(parent -> parent + "/pitcrew/bin"))
        .toList();
  }

  /// All in which there may be one, also of an earlier time.
  public static List<String> all() {
    return Stream.concat(Stream.of(OURS), PARENTS.stream().map(parent -> parent + "/pitcrew/bin"))
        .toList();
  }

  /// The mount point whose options forbid programs in a folder.
  public static Optional<String> forbidding(HostRoot host, String folder) {
    return Mounts.of(host).under(folder).filter(Mount::forbidsPrograms).map(Mount::point);
  }
}
