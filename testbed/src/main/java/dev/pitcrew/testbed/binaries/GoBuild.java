package dev.pitcrew.testbed.binaries;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;

/// Builds programs with the Go on this machine from the module that pins them. Programs of one
/// module are one build: they share most of their packages, and are linked at the same time.
record GoBuild(String goCommand, BinaryCache cache) implements BinarySource {
  // The user's own GOFLAGS and workspace must not change what the pinned module builds.
  // GOGC: the compiler collects garbage less often than by default.
  private static final Map<String, String> ENVIRONMENT =
      Map.of("GOFLAGS", "-mod=readonly", "GOWORK", "off", "GOGC", "400");

  /// What `go list` prints for each package, and `go build -v` for each that it compiles.
  private static final Pattern PACKAGE = Pattern.compile("[^\\s:#]+");

  private static final String FETCHED = "go: downloading ";

  @Override
  public Attempt obtain(Binary binary, Progress progress) {
    var alone = Batch.of(List.of(binary)).getFirst();
    return obtainAll(alone, progress).values().iterator().next();
  }

  @Override
  public Map<Binary, Attempt> obtainAll(Batch batch, Progress progress) {
    var go = CommandRun.of(List.of(goCommand, "version"), Path.of("/"));
    if (!go.succeeded()) {
      return none(
          batch, "cannot build it: no Go (" + go.lastLines() + "); install Go and put it on $PATH");
    }
    try (var workshop = Workshop.in(cache, batch.module())) {
      batch.module().unpackInto(workshop.folder());
      var packages = fetch(batch, workshop.folder(), progress);
      return packages.succeeded()
          ? build(batch, packages, workshop.folder(), progress)
          : none(batch, failure("go list", batch, packages));
    } catch (IOException e) {
      return none(
          batch,
          "building %s failed (%s); free space in the cache folder?"
              .formatted(batch.commands(), e));
    }
  }

  /// Fetches the sources, and prints the packages that the programs consist of.
  private CommandRun fetch(Batch batch, Path workshop, Progress progress) {
    var fetched = new AtomicInteger();
    try (var _ =
        progress.regularly(elapsed ->
            "%s: fetching sources, %d modules so far, %s"
                .formatted(title(batch), fetched.get(), Progress.words(elapsed)))) {
      return CommandRun.following(
          fetchCommand(batch),
          workshop,
          environment(batch, workshop),
          line -> fetched.addAndGet(line.startsWith(FETCHED) ? 1 : 0));
    }
  }

  private Map<Binary, Attempt> build(
      Batch batch, CommandRun packages, Path workshop, Progress progress) throws IOException {
    var results = Files.createDirectory(workshop.resolve("made"));
    var all = packages.output().lines().filter(GoBuild::isPackage).count();
    var compiled = new AtomicInteger();
    try (var ticker =
        progress.regularly(elapsed -> building(batch, compiled.get(), all, elapsed))) {
      var run =
          CommandRun.following(
              buildCommand(batch, results),
              workshop,
              environment(batch, workshop),
              line -> compiled.addAndGet(isPackage(line) ? 1 : 0));
      if (!run.succeeded()) {
        return none(batch, failure("go build", batch, run));
      }
      var published = publish(batch, results);
      progress.line(
          "%s: built %s in %s"
              .formatted(title(batch), batch.commands(), Progress.words(ticker.elapsed())));
      return published;
    }
  }

  private Map<Binary, Attempt> publish(Batch batch, Path results) throws IOException {
    var attempts = new EnumMap<Binary, Attempt>(Binary.class);
    for (var binary : batch.programs()) {
      attempts.put(
          binary, new Attempt.Found(cache.publish(binary, results.resolve(binary.command()))));
    }
    return attempts;
  }

  private List<String> fetchCommand(Batch batch) {
    var command = new ArrayList<>(List.of(goCommand, "list", "-deps", tags(batch)));
    batch.programs().forEach(binary -> command.add(binary.goPackage()));
    return command;
  }

  private List<String> buildCommand(Batch batch, Path results) {
    var command =
        new ArrayList<>(List.of(goCommand, "build", "-v", "-trimpath", "-buildvcs=false"));
    command.add(tags(batch));
    // The linker drops what debuggers read, so the compiler need not write it.
    command.add("-gcflags=all=-dwarf=false");
    command.addAll(List.of("-ldflags", batch.module().linkerFlags(), "-o"));
    command.add(target(batch, results));
    batch.programs().forEach(binary -> command.add(binary.goPackage()));
    return command;
  }

  /// A folder, in which Go names each program after its package; one program is named here, because
  /// etcd's package is the module itself.
  private static String target(Batch batch, Path results) {
    return batch.programs().size() == 1
        ? results.resolve(batch.commands()).toString()
        : results + "/";
  }

  private static String tags(Batch batch) {
    return "-tags=" + batch.module().buildTags();
  }

  private static Map<String, String> environment(Batch batch, Path workshop) {
    var all = new HashMap<>(ENVIRONMENT);
    all.putAll(batch.module().environment(workshop));
    return all;
  }

  private static boolean isPackage(String line) {
    return PACKAGE.matcher(line).matches();
  }

  private static String title(Batch batch) {
    return batch.module().project() + " " + batch.module().version();
  }

  private static String building(Batch batch, int compiled, long all, Duration elapsed) {
    return "%s: %d of %d packages compiled, %s (usually up to %s on two cores)"
        .formatted(
            title(batch),
            compiled,
            all,
            Progress.words(elapsed),
            Progress.words(batch.module().usualBuildTime()));
  }

  private static Map<Binary, Attempt> none(Batch batch, String reason) {
    var attempts = new EnumMap<Binary, Attempt>(Binary.class);
    batch.programs().forEach(binary -> attempts.put(binary, new Attempt.NotHere(reason)));
    return attempts;
  }

  private static String failure(String command, Batch batch, CommandRun run) {
    var errors = run.output().lines().filter(line -> !isPackage(line)).toList();
    return "%s of %s ended with status %d: %s"
        .formatted(
            command,
            batch.commands(),
            run.status(),
            new CommandRun(run.status(), String.join("\n", errors)).lastLines());
  }
}
