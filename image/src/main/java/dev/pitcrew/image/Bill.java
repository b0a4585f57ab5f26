package dev.pitcrew.image;

import dev.pitcrew.image.Repository.Program;
import dev.pitcrew.image.Sbom.Component;
import dev.pitcrew.testbed.binaries.CommandRun;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// What is in an image, from which supplier, and in which version.
///
/// @param libraries of the machine
record Bill(Repository repository, JavaRuntime runtime, SystemLibraries libraries) {
  private static final String OWN_GROUP = "dev.pitcrew";

  Sbom sbom(Rootfs rootfs) {
    var components = new ArrayList<>(jars());
    components.add(javaRuntime(rootfs));
    components.add(cLibrary());
    for (var program : List.of(Rootfs.LAUNCHER, Rootfs.CDI_HOOK)) {
      var name = Path.of(program).getFileName().toString();
      components.add(
          Component.generic("application", name, repository.version(), rootfs.tree().at(program)));
    }
    return new Sbom(repository.imageName(), repository.version(), components);
  }

  private List<Component> jars() {
    var known = new TreeMap<String, Coordinates>();
    var places = new TreeMap<String, Path>();
    for (var program : Program.values()) {
      known.putAll(Coordinates.byJar(repository.coordinates(program)));
      var jars = repository.jars(program);
      known.putAll(own(program.module(), jars.getFirst()));
      jars.forEach(jar -> places.put(jar.getFileName().toString(), jar));
    }
    return places.values().stream().map(jar -> Component.jar(jar, known)).toList();
  }

  /// Whose our own jars are, which Maven does not list.
  static Map<String, Coordinates> own(String module, Path jar) {
    var name = jar.getFileName().toString();
    var artifact = "pitcrew-" + module;
    var version = name.substring(artifact.length() + 1, name.length() - ".jar".length());
    return Map.of(name, new Coordinates(OWN_GROUP, artifact, version));
  }

  private Component javaRuntime(Rootfs rootfs) {
    return Component.generic(
        "platform",
        "openjdk",
        runtime.version(),
        rootfs.tree().at(Rootfs.RUNTIME + "/lib/modules"));
  }

  /// `getconf` answers `glibc 2.36`.
  private Component cLibrary() {
    var run = CommandRun.of(List.of("getconf", "GNU_LIBC_VERSION"), repository.root());
    var version = run.output().strip().replace("glibc ", "");
    return Component.generic("library", "glibc", version, libraries.cLibrary());
  }
}
