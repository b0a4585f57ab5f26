package dev.pitcrew.image;

import dev.pitcrew.testbed.binaries.Progress;
import dev.pitcrew.testbed.image.Image;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// Puts the image together, from what Maven and make have built.
///
/// @param target where everything is written
public record ImageBuild(Repository repository, Path target, Progress progress) {

  /// The image of a checkout, built in its `image/target`.
  public static ImageBuild of(Path root, Progress progress) {
    var absolute = root.toAbsolutePath().normalize();
    return new ImageBuild(
        new Repository(absolute), absolute.resolve("image").resolve("target"), progress);
  }

  /// Returns the archive.
  public Path run() {
    var archive = archive();
    try {
      Files.createDirectories(target);
      image(stage()).writeTo(archive);
      Files.writeString(target.resolve("image-name"), repository.imageName() + "\n");
    } catch (IOException e) {
      throw new UncheckedIOException("write into " + target, e);
    }
    return archive;
  }

  /// Where the archive lies.
  public Path archive() {
    return target.resolve(
        "pitcrew-%s-%s.tar".formatted(repository.version(), Image.architecture()));
  }

  /// The root file system of the image as a folder.
  public Path rootfs() {
    return target.resolve("rootfs");
  }

  private Rootfs stage() throws IOException {
    var runtime = linkedRuntime();
    var rootfs = Rootfs.stage(repository, runtime, rootfs());
    var bill = new Bill(repository, JavaRuntime.ofThisProcess(), SystemLibraries.of(runtime));
    rootfs.tree().write(Rootfs.BILL, bill.sbom(rootfs).json());
    var caches = Files.createDirectories(target.resolve("aot"));
    new AotCaches(rootfs, repository.chart(), caches, progress).add();
    return rootfs;
  }

  private Image image(Rootfs rootfs) {
    var image =
        Image.named(repository.imageName())
            .withEntrypoint("pitcrew")
            .withEnvironment("PATH", "/usr/bin")
            .withEnvironment("LANG", "C.UTF-8")
            .withLabel("org.opencontainers.image.title", "Pitcrew")
            .withLabel("org.opencontainers.image.version", repository.version())
            .withLabel("org.opencontainers.image.licenses", "Apache-2.0");
    var described =
        repository
            .revision()
            .map(commit -> image.withLabel("org.opencontainers.image.revision", commit))
            .orElse(image);
    return rootfs.layers().stream().reduce(described, Image::withLayer, (_, last) -> last);
  }

  /// The Java runtime of the last build, unless it would be another one now.
  Path linkedRuntime() throws IOException {
    var folder = target.resolve("jre");
    var inputs = target.resolve("jre.inputs");
    var runtime = JavaRuntime.ofThisProcess();
    var wanted = runtime.release() + String.join(" ", runtime.command(folder));
    if (Files.exists(inputs) && Files.readString(inputs).equals(wanted)) {
      return folder;
    }
    progress.line("linking the Java runtime (some 10 seconds)");
    Files.createDirectories(target);
    FileTree.delete(folder);
    Files.deleteIfExists(inputs);
    runtime.linkInto(folder);
    Files.writeString(inputs, wanted);
    return folder;
  }
}
