package dev.pitcrew.image;

import dev.pitcrew.image.Repository.Program;
import dev.pitcrew.testbed.image.Layer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Predicate;

/// The root file system of a container, as a folder here.
record Rootfs(FileTree tree) {
  static final String HOME = "/opt/pitcrew";
  static final String RUNTIME = HOME + "/jre";
  static final String CACHES = HOME + "/aot";
  static final String LAUNCHER = "/usr/bin/pitcrew";

  /// Where the agent finds the hook that it puts onto the host.
  static final String CDI_HOOK = "/usr/bin/pitcrew-cdi-hook";

  /// The entry point of the pods that run the MPS control daemons.
  static final String MPS_SUPERVISOR = "/usr/bin/pitcrew-mps";

  static final String BILL = HOME + "/sbom.cdx.json";

  /// Container runtimes and the pods of the chart mount onto these.
  private static final List<String> FOLDERS =
      List.of("/dev", "/mps", "/proc", "/run", "/sys", "/tmp", CACHES);

  /// Puts everything together but the bill of materials and the AOT caches.
  ///
  /// @param runtime a Java runtime, as an absolute path
  static Rootfs stage(Repository repository, Path runtime, Path root) {
    var tree = FileTree.empty(root);
    FOLDERS.forEach(tree::folder);
    tree.copyTree(runtime, RUNTIME);
    SystemLibraries.of(runtime).files().forEach((target, file) -> tree.copy(real(file), target));
    tree.copyTree(repository.skeleton(), "/");
    ClassPaths.of(repository.jars(Program.OPERATOR), repository.jars(Program.AGENT))
        .places()
        .forEach((place, jar) -> tree.copy(jar, HOME + "/lib/" + place));
    for (var program : Program.values()) {
      tree.copy(repository.flags(program), HOME + "/etc/" + program.module() + ".jvm");
    }
    tree.copy(repository.licence(), HOME + "/LICENSE");
    tree.copy(repository.gate(), LAUNCHER);
    tree.copy(repository.cdiHook(), CDI_HOOK);
    tree.copy(repository.mpsSupervisor(), MPS_SUPERVISOR);
    return new Rootfs(tree);
  }

  /// What changes seldom lies below what changes often. The caches are apart, since they alone are
  /// not the same from build to build.
  List<Layer> layers() {
    return List.of(
        layer("Java runtime and C library", Rootfs::isRuntime),
        layer("native programs", Rootfs::isNative),
        layer("Java programs", Rootfs::isProgram),
        layer("AOT caches", Rootfs::isCache));
  }

  private Layer layer(String title, Predicate<String> isPart) {
    return Layer.titled(title).withTree("/", tree.root(), isPart);
  }

  private static boolean isRuntime(String path) {
    return !isNative(path) && !isProgram(path) && !isCache(path);
  }

  private static boolean isNative(String path) {
    return path.startsWith("/usr/bin/");
  }

  private static boolean isProgram(String path) {
    return path.startsWith(HOME + "/") && !path.startsWith(RUNTIME) && !isCache(path);
  }

  private static boolean isCache(String path) {
    return path.startsWith(CACHES);
  }

  /// A distribution's library is often a link to the file with the full version.
  private static Path real(Path file) {
    try {
      return Files.isSymbolicLink(file) ? file.toRealPath() : file;
    } catch (IOException e) {
      throw new UncheckedIOException("find " + file, e);
    }
  }
}
