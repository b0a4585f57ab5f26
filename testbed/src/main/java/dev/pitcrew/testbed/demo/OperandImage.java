package dev.pitcrew.testbed.demo;

import dev.pitcrew.testbed.TestbedException;
import dev.pitcrew.testbed.binaries.Binaries;
import dev.pitcrew.testbed.binaries.Binary;
import dev.pitcrew.testbed.image.Image;
import dev.pitcrew.testbed.image.Layer;
import dev.pitcrew.testbed.image.ShellPrograms;
import dev.pitcrew.testbed.node.RealNode;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/// An image that stands in for those of NVIDIA's operands on a real node: a shell for the scripts
/// of pods, and one program under the names that they call, `tools/operands/main.go`.
record OperandImage(Path archive) {
  private static final String NAME = "testbed.local/operand:1";
  private static final String ENTRY = "/usr/bin/dcgm-exporter";
  private static final List<String> PROGRAMS =
      List.of(
          "/usr/bin/config-manager",
          "/usr/bin/driver-manager",
          "/usr/bin/gpu-feature-discovery",
          "/usr/bin/nvidia-device-plugin",
          "/usr/bin/nvidia-mig-manager",
          "/usr/bin/nvidia-toolkit",
          "/usr/bin/nvidia-validator",
          "/usr/bin/sleep",
          ENTRY);

  /// Builds the program where it was never built, and writes the archive.
  ///
  /// @param uuids of the GPUs that the device plugin offers
  static OperandImage in(Path folder, Binaries binaries, List<String> uuids) {
    Path program = binaries.resolve(Binary.OPERAND);
    var layer = Layer.titled("operand").withFile("/etc/gpus", file(folder, uuids));
    for (var name : PROGRAMS) {
      layer = layer.withFile(name, program);
    }
    return new OperandImage(
        Image.named(NAME)
            .withEntrypoint(ENTRY)
            .withEnvironment("PATH", "/usr/bin:/bin")
            .withLayer(ShellPrograms.layer())
            .withLayer(layer)
            .writeTo(folder.resolve("operand.tar")));
  }

  private static Path file(Path folder, List<String> lines) {
    try {
      return Files.write(folder.resolve("gpus"), lines);
    } catch (IOException e) {
      throw new UncheckedIOException("write the list of GPUs", e);
    }
  }

  /// Gives the node this image under every name that the policy has, but for the driver's.
  ///
  /// @return the names
  List<String> importFor(GenericKubernetesResource policy, RealNode node) {
    node.importImage(archive);
    var names = new TreeSet<String>();
    collect(policy.get("spec"), "", names);
    for (var name : names) {
      var run = node.exec("ctr", "-n", "k8s.io", "images", "tag", NAME, name);
      if (!run.succeeded()) {
        throw new TestbedException("tag the image %s: %s".formatted(name, run.lastLines()));
      }
    }
    return List.copyOf(names);
  }

  private static void collect(Object part, String key, TreeSet<String> names) {
    if (!(part instanceof Map<?, ?> section)) {
      return;
    }
    section.forEach((name, value) -> collect(value, String.valueOf(name), names));
    var repository = section.get("repository");
    var image = section.get("image");
    var version = section.get("version");
    if (!key.equals("driver") && repository != null && image != null && version != null) {
      names.add("%s/%s:%s".formatted(repository, image, version));
    }
  }
}
