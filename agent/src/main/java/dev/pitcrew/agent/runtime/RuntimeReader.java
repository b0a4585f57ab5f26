package dev.pitcrew.agent.runtime;

import dev.pitcrew.agent.host.HostShell;
import dev.pitcrew.agent.runtime.plan.ConfigDump;
import dev.pitcrew.agent.runtime.plan.ConfigFile;
import dev.pitcrew.agent.runtime.plan.Imports;
import dev.pitcrew.agent.runtime.plan.RuntimeInput;
import dev.pitcrew.agent.runtime.plan.RuntimeInput.HostPrograms;
import dev.pitcrew.agent.runtime.plan.RuntimeKind;
import dev.pitcrew.agent.runtime.plan.RuntimeVersion;
import dev.pitcrew.hardware.HostRoot;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Gathers what a plan is made of.
final class RuntimeReader {
  private static final Duration LIMIT = Duration.ofSeconds(20);
  private static final List<String> LOW_LEVEL =
      List.of(
          "/usr/libexec/crio/crun",
          "/usr/bin/crun",
          "/usr/local/bin/crun",
          "/usr/libexec/crio/runc",
          "/usr/bin/runc",
          "/usr/sbin/runc",
          "/usr/local/bin/runc",
          "/usr/local/sbin/runc");
  private static final Pattern PROGRAM =
      Pattern.compile("(?m)^\\s*(?:BinaryName|runtime_path)\\s*=\\s*[\"'](/[^\"']+)[\"']");

  private final RuntimePlace place;
  private final HostRoot host;
  private final HostFiles files;
  private final HostShell shell;

  RuntimeReader(RuntimePlace place, HostRoot host, HostShell shell) {
    this.place = place;
    this.host = host;
    this.files = new HostFiles(host);
    this.shell = shell;
  }

  /// What was read.
  ///
  /// @param versionText as the program says it
  record Reading(RuntimeInput input, String versionText) {}

  Reading read() throws IOException, InterruptedException {
    Optional<String> main = files.read(place.mainPath());
    Optional<String> dropIn =
        place.dropInPath().isEmpty() ? Optional.empty() : files.read(place.dropInPath());
    Optional<String> resolved =
        place.kind() == RuntimeKind.CONTAINERD
            ? dump(main.map(_ -> place.mainPath()))
                .filter(HostShell.Said::isGood)
                .map(HostShell.Said::output)
            : Optional.empty();
    List<ConfigFile> others = others(main, resolved);
    String version = version();
    return new Reading(
        new RuntimeInput(
            place.mainPath(),
            place.dropInPath(),
            main,
            dropIn,
            others,
            RuntimeVersion.in(version),
            resolved,
            programs(main, others)),
        version);
  }

  /// What containerd makes of a file and all that it imports.
  ///
  /// @param main empty for its default file
  Optional<HostShell.Said> dump(Optional<String> main) throws InterruptedException {
    Stream<String> named = main.stream().flatMap(path -> Stream.of("--config", path));
    List<String> words =
        Stream.of(Stream.of(place.program()), named, Stream.of("config", "dump"))
            .flatMap(part -> part)
            .toList();
    return Optional.of(shell.run(LIMIT, words));
  }

  private String version() throws InterruptedException {
    return shell
        .run(LIMIT, List.of(place.program(), "--version"))
        .output()
        .lines()
        .findFirst()
        .orElse("")
        .strip();
  }

  private List<ConfigFile> others(Optional<String> main, Optional<String> resolved)
      throws IOException {
    return switch (place.kind()) {
      case CONTAINERD -> imported(main, resolved);
      case CRIO -> read(expanded(folder(place.dropInPath()) + "/*"));
      case DOCKER -> List.of();
    };
  }

  /// In containerd's order: a file's imports come behind all that were named before.
  private List<ConfigFile> imported(Optional<String> main, Optional<String> resolved)
      throws IOException {
    var pending = new ArrayDeque<String>();
    main.map(text -> Imports.of(new ConfigFile(place.mainPath(), text))).ifPresent(pending::addAll);
    resolved
        .flatMap(ConfigDump::of)
        .map(ConfigDump::imports)
        .ifPresent(patterns ->
            patterns.stream().filter(path -> path.startsWith("/")).forEach(pending::add));
    Set<String> seen = new HashSet<>(List.of(place.mainPath(), place.dropInPath()));
    var found = new ArrayList<ConfigFile>();
    while (!pending.isEmpty()) {
      for (String path : expanded(pending.removeFirst())) {
        if (seen.add(path)) {
          for (ConfigFile file : read(List.of(path))) {
            found.add(file);
            pending.addAll(Imports.of(file));
          }
        }
      }
    }
    return List.copyOf(found);
  }

  private List<String> expanded(String pattern) {
    if (!pattern.contains("*") && !pattern.contains("?")) {
      return List.of(pattern);
    }
    String folder = folder(pattern);
    return host.names(folder).stream()
        .map(name -> folder + "/" + name)
        .filter(path -> Imports.matches(pattern, path))
        .toList();
  }

  private List<ConfigFile> read(List<String> paths) throws IOException {
    var found = new ArrayList<ConfigFile>();
    for (String path : paths) {
      if (!path.equals(place.dropInPath())) {
        files.read(path).map(text -> new ConfigFile(path, text)).ifPresent(found::add);
      }
    }
    return found;
  }

  private HostPrograms programs(Optional<String> main, List<ConfigFile> others) {
    Set<String> missing =
        Stream.concat(main.stream(), others.stream().map(ConfigFile::text))
            .flatMap(text -> PROGRAM.matcher(text).results())
            .map((MatchResult match) -> match.group(1))
            .filter(path -> !host.exists(path))
            .collect(Collectors.toSet());
    return new HostPrograms(LOW_LEVEL.stream().filter(host::exists).findFirst(), missing);
  }

  private static String folder(String path) {
    return path.substring(0, path.lastIndexOf('/'));
  }
}
