package dev.pitcrew.hardware.driver;

import dev.pitcrew.hardware.HostRoot;
import dev.pitcrew.hardware.linux.CharacterDevices;
import dev.pitcrew.hardware.linux.DeviceFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

/// Makes the driver's device nodes where the driver has its own, and links to them in `/dev/char`
/// and in `/dev` of the host.
///
/// The kernel makes none. The driver's own program, `nvidia-modprobe`, makes a node when something
/// of the driver first opens it; a driver container has nodes of the GPUs only, because only
/// `nvidia-smi` runs there. The major numbers may change with each load of the driver, so a node of
/// other numbers is replaced.
///
/// Sources: names and minors of the control nodes are those of nvidia-modprobe and of `nvidia-ctk
/// system create-device-nodes`; capability nodes have the modes that `DeviceFileMode` below
/// `/proc/driver/nvidia/capabilities` says. runc with systemd cgroups names devices by
/// `/dev/char/MAJOR:MINOR`, and loses the right to those without at `systemctl daemon-reload`. The
/// OCI runtime specification names a device by its path in the container only, and in a user
/// namespace no node can be made: runc and crun bind-mount what the host has at that path (runc:
/// `bindMountDeviceNode`; NVIDIA/gpu-operator#466).
public final class DeviceNodeMaker {
  private static final String UVM = "nvidia-uvm";
  private static final String CAPABILITIES = "nvidia-caps";
  private static final String LINKS = "/dev/char";
  private static final int OPEN_TO_ALL = 0666;

  private static final int CONFIGURE = 1;
  private static final int MONITOR = 2;
  private static final int READABLE_BY_ROOT = 0400;
  private static final int READABLE_BY_ALL = 0444;

  private static final List<String> FOLDERS_OF_NODES =
      List.of("/dev", "/dev/nvidia-caps", "/dev/nvidia-caps-imex-channels");

  /// Below `/dev`: what the drivers of NVIDIA make, and udev does not know. GDRCopy's script makes
  /// its node by mknod, too.
  private static final Predicate<String> IS_LINKED = NamePattern.of("nvidia*").or("gdrdrv"::equals);

  /// The names of IMEX channels in their folder.
  private static final Predicate<String> CHANNELS = NamePattern.of("channel*");

  private final DriverRoot root;
  private final HostRoot host;
  private final CharacterDevices kernel;

  /// @param root whose `/dev` gets the nodes
  /// @param host the root with the kernel's `/proc` and with `/dev/char`
  public DeviceNodeMaker(DriverRoot root, HostRoot host) {
    this.root = root;
    this.host = host;
    this.kernel = CharacterDevices.read(host);
  }

  /// A node that there is to be.
  ///
  /// @param driver as the kernel lists it
  /// @param path below the root of the device nodes
  private record Wanted(OptionalInt major, String driver, String path, int minor, int mode) {}

  /// Makes what is missing or has other numbers than the kernel says now: the control nodes, those
  /// of the GPUs, and those of capabilities.
  ///
  /// @param gpus their minor numbers
  /// @param capabilities the minor numbers of the capabilities of MIG devices
  /// @return why a node is not there, a line for each
  public List<String> makeNodes(Set<Integer> gpus, Set<Integer> capabilities) {
    var problems = new ArrayList<String>();
    for (Wanted node : wanted(gpus, capabilities)) {
      make(node).ifPresent(problems::add);
    }
    return List.copyOf(problems);
  }

  private List<Wanted> wanted(Set<Integer> gpus, Set<Integer> capabilities) {
    OptionalInt gpu = kernel.major("nvidia");
    // Drivers before R515 register another name.
    OptionalInt major = gpu.isPresent() ? gpu : kernel.major("nvidia-frontend");
    var wanted =
        new ArrayList<>(
            List.of(
                new Wanted(major, "nvidia", "/dev/nvidiactl", 255, OPEN_TO_ALL),
                new Wanted(major, "nvidia", "/dev/nvidia-modeset", 254, OPEN_TO_ALL),
                new Wanted(kernel.major(UVM), UVM, "/dev/nvidia-uvm", 0, OPEN_TO_ALL),
                new Wanted(kernel.major(UVM), UVM, "/dev/nvidia-uvm-tools", 1, OPEN_TO_ALL)));
    gpus.stream()
        .sorted()
        .map(minor -> new Wanted(major, "nvidia", "/dev/nvidia" + minor, minor, OPEN_TO_ALL))
        .forEach(wanted::add);
    OptionalInt ofCapabilities = kernel.major(CAPABILITIES);
    boolean hasCapabilities = ofCapabilities.isPresent();
    Stream.concat(
            Stream.of(CONFIGURE, MONITOR).filter(_ -> hasCapabilities),
            capabilities.stream().sorted())
        .distinct()
        .map(minor ->
            new Wanted(
                ofCapabilities,
                CAPABILITIES,
                "/dev/nvidia-caps/nvidia-cap" + minor,
                minor,
                minor == CONFIGURE ? READABLE_BY_ROOT : READABLE_BY_ALL))
        .forEach(wanted::add);
    return wanted;
  }

  /// @return why it is not there
  private Optional<String> make(Wanted node) {
    if (node.major().isEmpty()) {
      return Optional.of(
          "%s: /proc/devices has no %s, so its kernel module is not loaded"
              .formatted(node.path(), node.driver()));
    }
    Path path = root.devices().place(node.path());
    int major = node.major().getAsInt();
    boolean isThere =
        DeviceFile.at(path)
            .filter(it -> it.major() == major && it.minor() == node.minor())
            .isPresent();
    if (isThere) {
      return Optional.empty();
    }
    try {
      Files.createDirectories(path.resolveSibling("."));
      DeviceFile.make(path, major, node.minor(), node.mode());
      return Optional.empty();
    } catch (IOException e) {
      return Optional.of("%s cannot be made: %s".formatted(node.path(), reason(e)));
    }
  }

  /// Makes a link for each of the driver's device nodes that is there, and removes those that lead
  /// to a node of other numbers.
  ///
  /// @return why a link is not there, a line for each
  public List<String> linkNodes() {
    var problems = new ArrayList<String>();
    try {
      Path links = host.place(LINKS);
      Files.createDirectories(links);
      for (String name : host.names(LINKS)) {
        if (isStale(name)) {
          Files.deleteIfExists(links.resolve(name));
        }
      }
      for (DeviceNode node : DeviceNodeSearch.find(root.devices(), host).nodes()) {
        if (IS_LINKED.test(node.path().substring("/dev/".length()))) {
          link(links.resolve(node.major() + ":" + node.minor()), node);
        }
      }
    } catch (IOException e) {
      problems.add("links in %s cannot be made: %s".formatted(LINKS, reason(e)));
    }
    return List.copyOf(problems);
  }

  /// Whether a link leads to one of the driver's nodes that has other numbers or is gone.
  private boolean isStale(String name) {
    String link = LINKS + "/" + name;
    return host.linkTargetName(link).filter(IS_LINKED.or(CHANNELS)).isPresent()
        && numbers(link).filter(name::equals).isEmpty();
  }

  private Optional<String> numbers(String link) {
    return DeviceFile.at(host.place(link)).map(it -> it.major() + ":" + it.minor());
  }

  private void link(Path link, DeviceNode node) throws IOException {
    if (!Files.exists(link, LinkOption.NOFOLLOW_LINKS)) {
      // As udev writes it where the node is the host's own.
      String target =
          root.devicesOnHost().equals("/")
              ? ".." + node.path().substring("/dev".length())
              : root.devicesOnHost() + node.path();
      Files.createSymbolicLink(link, Path.of(target));
    }
  }

  /// Makes a link in the host's `/dev` for each node that the driver has in a `/dev` of its own,
  /// and removes links that lead to no node, or into another driver root. What the host has there
  /// itself is left as it is.
  ///
  /// @return why a link is not there, a line for each
  public List<String> linkIntoHost() {
    var problems = new ArrayList<String>();
    removeLinks(target -> !target.startsWith(root.devicesOnHost() + "/dev/"), problems);
    if (!root.devicesOnHost().equals("/")) {
      for (DeviceNode node : DeviceNodeSearch.find(root.devices(), host).nodes()) {
        if (IS_LINKED.test(node.path().substring("/dev/".length()))) {
          linkIntoHost(node.path(), problems);
        }
      }
    }
    return List.copyOf(problems);
  }

  private void linkIntoHost(String path, List<String> problems) {
    try {
      Path link = host.resolveLink(path);
      if (!Files.exists(link, LinkOption.NOFOLLOW_LINKS)) {
        Files.createDirectories(link.resolveSibling("."));
        Files.createSymbolicLink(link, Path.of(root.devicesOnHost() + path));
      }
    } catch (IOException e) {
      problems.add(
          "%s of the host cannot be made: %s, so pods with hostUsers: false cannot start with it"
              .formatted(path, reason(e)));
    }
  }

  /// Removes the links of [#linkIntoHost].
  public void unlinkFromHost() {
    removeLinks(_ -> true, new ArrayList<>());
  }

  /// Removes links `/dev/…` of the host that lead to the same path below another folder, where the
  /// target is such a one or does not exist.
  private void removeLinks(Predicate<String> isSuch, List<String> problems) {
    for (String folder : FOLDERS_OF_NODES) {
      for (String name : host.names(folder)) {
        String path = folder + "/" + name;
        try {
          Path link = host.resolveLink(path);
          if (!Files.isSymbolicLink(link)) {
            continue;
          }
          String target = Files.readSymbolicLink(link).toString();
          boolean isOurs = target.endsWith(path) && !target.equals(path);
          if (isOurs && (isSuch.test(target) || !host.exists(path))) {
            Files.deleteIfExists(link);
          }
        } catch (IOException e) {
          problems.add("%s of the host cannot be removed: %s".formatted(path, reason(e)));
        }
      }
    }
  }

  private static String reason(IOException e) {
    return e.getMessage() == null ? e.toString() : e.getMessage();
  }
}
