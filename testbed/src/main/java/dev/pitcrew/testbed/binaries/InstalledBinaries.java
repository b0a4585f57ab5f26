package dev.pitcrew.testbed.binaries;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/// Programs that are already installed: `$KUBEBUILDER_ASSETS`, then `$PATH`. A program of another
/// version is passed over: distributions ship a kubectl that is years old.
record InstalledBinaries(List<Path> folders) implements BinarySource {
  static InstalledBinaries from(Map<String, String> environment) {
    var assets = Stream.of(environment.getOrDefault("KUBEBUILDER_ASSETS", ""));
    var path = Stream.of(environment.getOrDefault("PATH", "").split(":", -1));
    return new InstalledBinaries(
        Stream.concat(assets, path).filter(folder -> !folder.isBlank()).map(Path::of).toList());
  }

  @Override
  public Attempt obtain(Binary binary, Progress progress) {
    var refused = new ArrayList<String>();
    for (var folder : folders) {
      var candidate = folder.resolve(binary.command());
      if (!Files.isExecutable(candidate)) {
        continue;
      }
      if (binary.isNamedIn(versionOf(candidate, binary))) {
        return new Attempt.Found(candidate);
      }
      refused.add(candidate.toString());
    }
    return new Attempt.NotHere(
        refused.isEmpty()
            ? "$KUBEBUILDER_ASSETS and $PATH have no " + binary.command()
            : "not version " + binary.version() + ": " + String.join(", ", refused));
  }

  private static String versionOf(Path candidate, Binary binary) {
    var command = new ArrayList<String>();
    command.add(candidate.toString());
    command.addAll(binary.versionArguments());
    return CommandRun.of(command, Path.of("/")).output();
  }
}
