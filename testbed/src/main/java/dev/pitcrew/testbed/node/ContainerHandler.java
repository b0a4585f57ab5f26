package dev.pitcrew.testbed.node;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;

/// A runtime handler of a node's containerd that starts containers as the default one does, as a
/// drop-in beside what other programs may have written there.
///
/// @param name for which a RuntimeClass may ask
public record ContainerHandler(RealNode node, String name) {
  private static final String TEXT =
      """
      version = 3
      [plugins.'io.containerd.cri.v1.runtime'.containerd.runtimes.%1$s]
        runtime_type = 'io.containerd.runc.v2'
        [plugins.'io.containerd.cri.v1.runtime'.containerd.runtimes.%1$s.options]
          SystemdCgroup = false
      """;

  /// Returns when containerd has it.
  ///
  /// @return whether it was missing
  public boolean addIfMissing() {
    boolean isMissing =
        !node.exec("containerd", "config", "dump").output().contains("runtimes." + name + "]");
    if (isMissing) {
      add();
    }
    return isMissing;
  }

  private void add() {
    var file = node.path("/etc/containerd/conf.d/testbed-%s.toml".formatted(name));
    try {
      Files.createDirectories(file.getParent());
      Files.writeString(file, TEXT.formatted(name));
    } catch (IOException e) {
      throw new UncheckedIOException("write " + file, e);
    }
    node.restartContainerd();
  }
}
