package dev.pitcrew.agent.driver;

import dev.pitcrew.agent.driver.plan.Observed;
import dev.pitcrew.agent.driver.plan.OperandLabels;
import dev.pitcrew.agent.host.HostShell;
import dev.pitcrew.api.ApiJson;
import dev.pitcrew.api.node.DriverRelease;
import dev.pitcrew.hardware.HostRoot;
import dev.pitcrew.hardware.linux.KernelModules.Answer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;

/// A folder that shows a driver's modules as the kernel would, and unloads them as it would.
final class FakeHost {
  static final String BOOT = "5f2c0a7e-0000-4000-8000-000000000001";
  private static final String MODULES = "/sys/module/";

  private final Path root;
  private final List<String> unloaded = new CopyOnWriteArrayList<>();
  private volatile boolean isStuck;

  FakeHost(Path root) {
    this.root = root;
    text("/proc/sys/kernel/random/boot_id", BOOT + "\n");
    text("/run/nvidia/validations/keep", "");
    link("/proc/1/ns/pid", "pid:[4026531836]");
  }

  /// An unused driver, as its container leaves it.
  FakeHost withDriver(String digest) {
    module("nvidia_modeset", 0, "nvidia_drm");
    module("nvidia_drm", 0);
    module("nvidia_uvm", 0);
    module("nvidia", 0, "nvidia_uvm", "nvidia_modeset");
    text("/run/nvidia/nvidia-driver.state", digest + "\n");
    text("/run/nvidia/nvidia-driver.pid", "4711\n");
    return this;
  }

  /// @param users besides the holders
  void module(String name, int users, String... holders) {
    for (String holder : holders) {
      text(MODULES + name + "/holders/" + holder, "");
    }
    text(MODULES + name + "/refcnt", (users + holders.length) + "\n");
  }

  /// From now on the kernel says of each that it is in use, whatever the counts say.
  void stick() {
    isStuck = true;
  }

  Answer unload(String name) {
    List<String> holders = new HostRoot(root).names(MODULES + name + "/holders");
    int references = Integer.parseInt(read(MODULES + name + "/refcnt").strip());
    if (isStuck || references > 0) {
      return new Answer.InUse("Module %s is in use by: %s".formatted(name, holders));
    }
    remove(at(MODULES + name));
    for (String other : new HostRoot(root).names(MODULES)) {
      removeHolder(other, name);
    }
    unloaded.add(name);
    return new Answer.Gone();
  }

  private void removeHolder(String module, String holder) {
    Path link = at(MODULES + module + "/holders/" + holder);
    if (Files.exists(link)) {
      remove(link);
      int references = Integer.parseInt(read(MODULES + module + "/refcnt").strip());
      text(MODULES + module + "/refcnt", (references - 1) + "\n");
    }
  }

  /// In the order in which they went.
  List<String> unloaded() {
    return List.copyOf(unloaded);
  }

  boolean hasDriver() {
    return Files.exists(at(MODULES + "nvidia"));
  }

  void program(String name, String script) {
    text("/usr/bin/" + name, "#!/bin/sh\n" + script + "\n");
    try {
      Files.setPosixFilePermissions(
          at("/usr/bin/" + name), PosixFilePermissions.fromString("rwxr-xr-x"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// @param target as the kernel writes it
  void link(String path, String target) {
    try {
      Files.createDirectories(at(path).resolveSibling("."));
      Files.createSymbolicLink(at(path), Path.of(target));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  DriverPlaces places() {
    return new DriverPlaces(new HostRoot(root), new HostRoot(root));
  }

  /// For a driver of this digest on this host.
  PreparationOptions options(String node, String namespace, String digest, Limits limits) {
    return new PreparationOptions(
        node,
        namespace,
        new Observed.Asked(digest, false, new OperandLabels(Optional.empty())),
        new NetworkDrivers(false, false),
        places(),
        this::unload,
        new HostShell(List.of("env", "PATH=" + at("/usr/bin") + ":/usr/bin:/bin")),
        limits);
  }

  /// The agent's report that it has released the driver.
  void release(String node, String version) {
    var release =
        new DriverRelease(DriverRelease.API_VERSION, node, BOOT, version, Map.of(), Map.of());
    text(DriverRelease.FOLDER + "/" + DriverRelease.FILE, ApiJson.write(release));
  }

  Path at(String path) {
    return root.resolve("." + path).normalize();
  }

  String read(String path) {
    try {
      return Files.readString(at(path));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// Whole at once, as programs that write such files do.
  void text(String path, String text) {
    try {
      Files.createDirectories(at(path).resolveSibling("."));
      Path draft = at(path + ".draft");
      Files.writeString(draft, text);
      Files.move(draft, at(path), StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void remove(Path tree) {
    try (var files = Files.walk(tree)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
