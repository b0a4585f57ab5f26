package dev.pitcrew.image;

import dev.pitcrew.image.Sbom.Component;
import dev.pitcrew.testbed.binaries.CommandRun;
import dev.pitcrew.testbed.image.Image;
import dev.pitcrew.testbed.image.Layer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/// The kubectl plugin for a machine without Java, as one folder that runs wherever it lies: jars,
/// launcher, a Java runtime cut to what they need, and an AOT cache.
///
/// @param name of the archive, such as `kubectl-gpu-0.1.0-linux-amd64`
record PluginArchive(String name, FileTree tree) {
  static final String LAUNCHER = "kubectl-gpu";
  private static final String BILL = "/sbom.cdx.json";

  /// Puts the folder together at `root`, of which nothing is kept, without an AOT cache.
  static PluginArchive stage(Repository repository, JavaRuntime runtime, Path root) {
    var tree = FileTree.empty(root);
    copyRuntime(runtime, tree);
    var jars = repository.pluginJars();
    tree.copy(jars.getFirst(), "/" + jars.getFirst().getFileName());
    jars.stream().skip(1).forEach(jar -> tree.copy(jar, "/lib/" + jar.getFileName()));
    tree.copy(repository.pluginLauncher(), "/" + LAUNCHER);
    tree.copy(repository.licence(), "/LICENSE");
    tree.write(BILL, bill(repository, runtime, jars, root).json());
    return new PluginArchive(
        "%s-%s-linux-%s".formatted(LAUNCHER, repository.version(), Image.architecture()), tree);
  }

  /// A copy, for all files to be of the same age.
  private static void copyRuntime(JavaRuntime runtime, FileTree tree) {
    try {
      var work = Files.createTempDirectory("pitcrew-jre-");
      try {
        runtime.linkPluginInto(work.resolve("jre"));
        tree.copyTree(work.resolve("jre"), "/jre");
      } finally {
        FileTree.delete(work);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("make a Java runtime for " + tree.root(), e);
    }
  }

  /// Runs the plugin once, for the JVM to write the AOT cache.
  void train(Repository repository) {
    var run =
        CommandRun.of(
            List.of(repository.pluginTraining().toString(), tree.root().toString()),
            repository.root());
    if (!run.succeeded()) {
      throw new ImageException("the kubectl plugin cannot be trained: " + run.lastLines());
    }
  }

  /// Everything, with the launcher at the top, where krew looks for it.
  Layer layer() {
    return Layer.titled(name).withTree("/", tree.root());
  }

  byte[] billOfMaterials() {
    try {
      return Files.readAllBytes(tree.at(BILL));
    } catch (IOException e) {
      throw new UncheckedIOException("read the bill of materials of " + name, e);
    }
  }

  private static Sbom bill(Repository repository, JavaRuntime runtime, List<Path> jars, Path root) {
    var known = new TreeMap<>(Coordinates.byJar(repository.pluginCoordinates()));
    known.putAll(Bill.own("cli", jars.getFirst()));
    var components = new ArrayList<Component>();
    jars.forEach(jar -> components.add(Component.jar(jar, known)));
    components.add(
        Component.generic(
            "platform", "openjdk", runtime.version(), root.resolve("jre/lib/modules")));
    return new Sbom(LAUNCHER, repository.version(), components);
  }
}
