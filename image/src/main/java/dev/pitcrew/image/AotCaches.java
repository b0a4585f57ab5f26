package dev.pitcrew.image;

import dev.pitcrew.testbed.binaries.Progress;
import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.controlplane.ControlPlaneOptions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/// The AOT caches of the image's programs: one for each of the two class paths, made by the program
/// that uses most of it.
///
/// @param chart what the operator is installed by
/// @param folder keeps them from build to build, under the names that the launcher knows them by: a
///   name holds a digest of all that a cache depends on
record AotCaches(Rootfs rootfs, Path chart, Path folder, Progress progress) {

  /// Trains a program of the image under the name that it has in the table of programs.
  interface Training {
    String program();

    /// Programs with the same class path and flags, so that one cache is good for all of them.
    List<String> others();

    /// Runs the program as in production until it has done what it does, and ends it.
    ///
    /// @param folder empty, for what the training needs and writes
    void run(ControlPlane cluster, Container container, Path folder);
  }

  /// Puts a cache into the image for each program, from the last build where all of them still fit.
  void add() {
    var container = Container.of(rootfs.tree().root());
    if (!container.isPossible()) {
      progress.line(
          "no AOT caches: this user may not change the root folder (be root, or allow user"
              + " namespaces); programs start more slowly");
      return;
    }
    List<Training> trainings = List.of(new OperatorTraining(chart), new AgentTraining());
    if (trainings.stream().anyMatch(training -> !Files.exists(kept(training, container)))) {
      progress.line("training the AOT caches on a control plane (some 40 seconds)");
      train(trainings, container);
    }
    trainings.forEach(training -> add(training, container));
  }

  private void train(List<Training> trainings, Container container) {
    TrainingRun.emptyFolder(folder);
    try (var cluster = ControlPlane.start(ControlPlaneOptions.defaults())) {
      for (var training : trainings) {
        var own = TrainingRun.emptyFolder(folder.resolve(training.program()));
        training.run(cluster, container, own);
        var cache = rootfs.tree().at(path(container, training.program()));
        if (!Files.exists(cache)) {
          throw new ImageException(
              "the training of %s wrote no cache; see %s".formatted(training.program(), own));
        }
        new FileTree(folder).copy(cache, "/" + cache.getFileName());
      }
    }
  }

  private void add(Training training, Container container) {
    var kept = kept(training, container);
    rootfs.tree().copy(kept, path(container, training.program()));
    for (var other : training.others()) {
      rootfs.tree().link(path(container, other), kept.getFileName().toString());
    }
  }

  private Path kept(Training training, Container container) {
    return folder.resolve(Path.of(path(container, training.program())).getFileName());
  }

  private static String path(Container container, String program) {
    var run = container.run("aot-path", program);
    if (!run.succeeded()) {
      throw new ImageException("no name for the cache of " + program + ": " + run.lastLines());
    }
    return run.output().strip();
  }
}
