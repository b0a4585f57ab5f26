package dev.pitcrew.agent.cdi;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.agent.cdi.ContainerEdits.Mount;
import dev.pitcrew.hardware.HostRoot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.lifecycle.AfterProperty;
import net.jqwik.api.lifecycle.BeforeProperty;

/// However the links of a driver root lie, nothing from outside of it reaches a container.
class MountsStayInsidePropertiesTest {
  private static final String VERSION = "." + Node.DRIVER;

  record Entry(String path, String target) {}

  private Path folder = Path.of("");

  @BeforeProperty
  void aFolder() throws IOException {
    folder = Files.createTempDirectory("pitcrew-mounts");
  }

  @AfterProperty
  void isGoneAgain() throws IOException {
    delete(folder);
  }

  @Provide
  Arbitrary<List<Entry>> links() {
    Arbitrary<String> paths =
        Arbitraries.of(
            "/usr/lib64",
            "/lib64",
            "/usr/bin",
            "/bin",
            "/run",
            "/etc",
            "/usr/bin/nvidia-smi",
            "/usr/lib64/libcuda.so" + VERSION,
            "/usr/lib64/libfoo.so" + VERSION,
            "/etc/OpenCL/vendors/nvidia.icd",
            "/lib/firmware",
            "/run/nvidia-persistenced/socket");
    Arbitrary<String> targets =
        Arbitraries.of(
            "",
            "/",
            "..",
            "../..",
            "../../outside",
            "../outside",
            "/outside",
            "OUTSIDE",
            "/usr/lib64",
            "lib64",
            "../lib64",
            "/etc",
            "nvidia-smi",
            "OUTSIDE/nvidia-smi",
            "../../../../../../etc/passwd",
            "/etc/passwd",
            "OUTSIDE/libfoo.so" + VERSION);
    return paths
        .flatMap(path -> targets.map(target -> new Entry(path, target)))
        .list()
        .ofMaxSize(8);
  }

  @Property(tries = 100)
  void nothingFromOutsideIsMounted(@ForAll("links") List<Entry> entries) throws IOException {
    Path place = Files.createTempDirectory(folder, "case");
    Path outside = Files.createDirectory(place.resolve("outside"));
    Files.createFile(outside.resolve("nvidia-smi"));
    Files.createFile(outside.resolve("libfoo.so" + VERSION));
    FakeDriver driver = new FakeDriver(Files.createDirectory(place.resolve("driver")));
    for (Entry entry : entries) {
      make(driver, entry, outside);
    }
    // A driver is found unless the links hide it.
    make(driver, new Entry("/usr/lib/x86_64-linux-gnu/libcuda.so" + VERSION, ""), outside);
    Path root = driver.folder().toRealPath();

    var input = CdiInput.read(Node.withGpus(1), driver.root(), new HostRoot(place));

    assertThat(input.driver().stream().flatMap(files -> mounts(input).stream()))
        .allSatisfy(mount -> {
          String inside = mount.hostPath().substring(Fact.DRIVER_ROOT.length());
          assertThat(root.resolve(inside.substring(1)).toRealPath()).startsWith(root);
        });
    delete(place);
  }

  private static List<Mount> mounts(CdiInput input) {
    EditSource source = new EditSource(input.root(), CdiOptions.ofPlugin());
    return new DriverEdits(source, input.driver().orElseThrow()).forUsers().mounts();
  }

  /// Makes the entry unless an earlier one is in the way. Nothing is ever made through a link,
  /// which could lead out of the test's own folder.
  private static void make(FakeDriver driver, Entry entry, Path outside) throws IOException {
    Path inside = Path.of(entry.path().substring(1));
    Path file = driver.folder().resolve(inside);
    Path part = driver.folder();
    for (Path name : inside) {
      part = part.resolve(name);
      boolean isPlainFolder = Files.isDirectory(part, LinkOption.NOFOLLOW_LINKS);
      boolean mayStay = isPlainFolder && !part.equals(file);
      if (Files.exists(part, LinkOption.NOFOLLOW_LINKS) && !mayStay) {
        return;
      }
    }
    if (entry.target().isEmpty()) {
      driver.file(entry.path());
    } else {
      driver.link(entry.path(), entry.target().replace("OUTSIDE", outside.toString()));
    }
  }

  private static void delete(Path place) throws IOException {
    try (Stream<Path> files = Files.walk(place)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    }
  }
}
