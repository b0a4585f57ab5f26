package dev.pitcrew.testbed.binaries;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/// Builds a program with the Go on this machine from the module that pins it.
record GoBuild(String goCommand, BinaryCache cache) implements BinarySource {
  // The user's own GOFLAGS and workspace must not change what the pinned module builds.
  private static final Map<String, String> ENVIRONMENT =
      Map.of("GOFLAGS", "-mod=readonly", "GOWORK", "off");

  @Override
  public Attempt obtain(Binary binary, Progress progress) {
    var go = CommandRun.of(List.of(goCommand, "version"), Path.of("/"));
    if (!go.succeeded()) {
      return new Attempt.NotHere(
          "cannot build it: no Go (" + go.lastLines() + "); install Go and put it on $PATH");
    }
    try (var workshop = Workshop.in(cache)) {
      return build(binary, workshop.folder(), progress);
    } catch (IOException e) {
      return new Attempt.NotHere(
          "building " + binary.command() + " failed (" + e + "); free space in the cache folder?");
    }
  }

  private Attempt build(Binary binary, Path workshop, Progress progress) throws IOException {
    binary.module().unpackInto(workshop);
    var result = workshop.resolve("made-" + binary.command());
    try (var ticker = progress.every5Seconds(elapsed -> building(binary, elapsed))) {
      var run = CommandRun.of(command(binary, result), workshop, ENVIRONMENT);
      if (!run.succeeded()) {
        return new Attempt.NotHere(
            "go build of %s ended with status %d: %s"
                .formatted(binary.goPackage(), run.status(), run.lastLines()));
      }
      var published = cache.publish(binary, result);
      progress.line("%s: built in %d s".formatted(binary.command(), ticker.elapsed().toSeconds()));
      return new Attempt.Found(published);
    }
  }

  private List<String> command(Binary binary, Path result) {
    return List.of(
        goCommand,
        "build",
        "-trimpath",
        "-buildvcs=false",
        "-tags=" + binary.module().buildTags(),
        "-ldflags",
        binary.module().linkerFlags(),
        "-o",
        result.toString(),
        binary.goPackage());
  }

  private static String building(Binary binary, Duration elapsed) {
    return "%s %s: building with Go, once, %d s (usually %s on two cores)"
        .formatted(
            binary.command(), binary.version(), elapsed.toSeconds(), binary.usualBuildTime());
  }
}
