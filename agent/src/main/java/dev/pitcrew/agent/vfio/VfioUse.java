package dev.pitcrew.agent.vfio;

import dev.pitcrew.agent.host.OpenFiles;
import dev.pitcrew.agent.host.OpenFiles.Opened;
import dev.pitcrew.hardware.HostRoot;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Which processes have devices open as virtual machines have them. When such a device is unbound,
/// the kernel asks its user to release it and waits without end: a guest loses it, or hangs.
///
/// @param root under which `/sys` is
/// @param open files of VFIO, as the host would name them
record VfioUse(HostRoot root, List<Opened> open) {
  private static final String FOLDER = "/dev/vfio/";
  private static final String GONE = " (deleted)";

  static VfioUse now(HostRoot root, HostRoot host) {
    return new VfioUse(
        root,
        OpenFiles.of(root, host).matching(file -> file.contains(FOLDER)).stream()
            .map(it -> new Opened(plain(it.file()), it.process()))
            .toList());
  }

  /// Such as `/dev/vfio/12 is open by process 4711 (qemu-kvm)`; empty where no process has it.
  Optional<String> of(String device) {
    Set<String> files = files(device);
    List<Opened> users = open.stream().filter(it -> files.contains(it.file())).toList();
    return users.isEmpty()
        ? Optional.empty()
        : Optional.of(
            "%s is open by %s"
                .formatted(
                    users.getFirst().file(),
                    users.stream()
                        .map(Opened::process)
                        .distinct()
                        .collect(Collectors.joining(", "))));
  }

  /// Its group's, since a process with one device of a group has them all; and its own, by which
  /// newer programs open it.
  private Set<String> files(String device) {
    Stream<String> group =
        root.linkTargetName(device + "/iommu_group").stream()
            .flatMap(number -> Stream.of(number, "noiommu-" + number));
    Stream<String> own = root.names(device + "/vfio-dev").stream().map("devices/"::concat);
    return Stream.concat(group, own).map(FOLDER::concat).collect(Collectors.toSet());
  }

  private static String plain(String file) {
    String path = file.substring(file.indexOf(FOLDER));
    return path.endsWith(GONE) ? path.substring(0, path.length() - GONE.length()) : path;
  }
}
