package dev.pitcrew.agent.runtime.plan;

import dev.pitcrew.agent.runtime.plan.TomlFile.TomlMap;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/// containerd: a drop-in of ours, and one line in its own file where that does not import it yet.
final class ContainerdPlan {
  static final String HEAD =
      "# Written by Pitcrew, which writes it anew and removes it; changes are lost.\n";

  private static final List<String> RUNTIMES = List.of("containerd", "runtimes");
  private static final String DISABLED = "disabled_plugins";
  private static final long NEWEST_OF_1 = 2;
  private static final long FIRST_OF_2 = 3;

  private final RuntimeInput input;
  private final WantedRuntime wanted;
  private final ContainerdFiles files;
  private final ImportLine imports;
  private final List<String> remarks = new ArrayList<>();

  private ContainerdPlan(RuntimeInput input, WantedRuntime wanted, ContainerdFiles files) {
    this.input = input;
    this.wanted = wanted;
    this.files = files;
    this.imports = new ImportLine(input.dropInPath());
  }

  static RuntimePlan of(RuntimeInput input, WantedRuntime wanted) {
    Optional<RuntimeProblem> old = tooOld(input);
    var read =
        TomlFile.readAll(
            Stream.concat(input.mainFile().stream(), input.others().stream()).toList());
    Optional<RuntimeProblem> problem = old.or(read::problem);
    if (problem.isPresent()) {
      return new RuntimePlan.Refused(problem.get());
    }
    TomlMap resolved = resolved(input);
    Optional<TomlFile> main = input.main().map(_ -> read.files().getFirst());
    var files = new ContainerdFiles(version(main, input), input.version(), read.files(), resolved);
    return refusal(main, files)
        .<RuntimePlan>map(RuntimePlan.Refused::new)
        .orElseGet(() -> new ContainerdPlan(input, wanted, files).plan(main));
  }

  private static Optional<RuntimeProblem> tooOld(RuntimeInput input) {
    return input
        .version()
        .filter(it -> !it.isAtLeast(1, 7))
        .map(it ->
            RuntimeProblem.ofFile(
                input.mainPath(),
                "containerd %s knows neither CDI nor NRI: update it to 1.7 or later, or let the container toolkit of NVIDIA set it up (FleetPolicy spec.agent.functions without runtime)"
                    .formatted(it)));
  }

  private static TomlMap resolved(RuntimeInput input) {
    return input
        .resolved()
        .map(text -> TomlFile.read(new ConfigFile("containerd config dump", text)))
        .map(
            read -> read instanceof TomlFile.Read.Parsed(var file) ? file.content() : TomlMap.EMPTY)
        .orElse(TomlMap.EMPTY);
  }

  /// A file that says something and no version is one of version 1.
  private static long version(Optional<TomlFile> main, RuntimeInput input) {
    Optional<TomlMap> said = main.map(TomlFile::content).filter(it -> !it.isEmpty());
    if (said.isPresent()) {
      return said.get()
          .value("version")
          .map(it -> it instanceof Long number ? number : 0L)
          .orElse(1L);
    }
    boolean isTwo = input.version().filter(it -> it.isAtLeast(2, 0)).isPresent();
    return isTwo ? FIRST_OF_2 : NEWEST_OF_1;
  }

  private static Optional<RuntimeProblem> refusal(Optional<TomlFile> main, ContainerdFiles files) {
    if (files.version() < NEWEST_OF_1 && main.isPresent()) {
      return Optional.of(
          main.get()
              .problem(
                  "version",
                  main.get().content().value("version").orElse(""),
                  "a configuration of version 1 supports no drop-in: convert it (containerd config migrate, or write it again with version = 2) and restart containerd"));
    }
    // Else a table of the one format would have to be carried into a file of the other.
    Optional<RuntimeProblem> other =
        files.all().stream()
            .filter(_ -> !files.mergesTables())
            .filter(file -> !files.isOfSameFormat(file))
            .findFirst()
            .map(file ->
                file.problem(
                    "version",
                    file.content().value("version").orElse(""),
                    "the main file says %d, and before containerd 2.1 our file can follow only one of them: give both the same"
                        .formatted(files.version())));
    return other.or(() ->
        files
            .disabling(files.criNames())
            .map(file ->
                file.problem(
                    DISABLED,
                    String.join(", ", file.content().texts(DISABLED)),
                    "the kubelet's part of containerd is switched off: take cri out of the list and restart containerd")));
  }

  private RuntimePlan plan(Optional<TomlFile> main) {
    Optional<String> dropIn = dropIn();
    Optional<Edit> ours = Edit.of(input.dropInPath(), input.dropIn(), dropIn);
    Optional<Edit> line = Edit.of(input.mainPath(), input.main(), main(main, dropIn.isPresent()));
    // An imported file is written first and removed last.
    Stream<Optional<Edit>> order =
        dropIn.isPresent() ? Stream.of(ours, line) : Stream.of(line, ours);
    return RuntimePlan.of(order.flatMap(Optional::stream).toList(), remarks);
  }

  private Optional<String> main(Optional<TomlFile> main, boolean isImporting) {
    if (!isImporting) {
      return main.map(imports::removedFrom);
    }
    // 2.2 and later import the folder automatically.
    if (imports.isAmong(files.resolved().texts(ImportLine.KEY))) {
      return input.main();
    }
    if (main.isEmpty() || main.get().content().isEmpty()) {
      return Optional.of(imports.newFile(files.version()) + input.main().orElse(""));
    }
    return imports.isIn(main.get()) ? input.main() : Optional.of(imports.addedTo(main.get()));
  }

  /// Empty where nothing is missing.
  private Optional<String> dropIn() {
    var plugins = new LinkedHashMap<String, Object>();
    Map<String, Object> cri = cri();
    Map<String, Object> nri = nri();
    if (!cri.isEmpty()) {
      plugins.put(files.criKey(), whole(files.criKey(), cri));
    }
    if (!nri.isEmpty()) {
      plugins.put(ContainerdFiles.NRI, whole(ContainerdFiles.NRI, nri));
    }
    if (plugins.isEmpty()) {
      return Optional.empty();
    }
    var content = new LinkedHashMap<String, Object>();
    content.put("version", files.version());
    content.put("plugins", plugins);
    return Optional.of(HEAD + TomlText.of(content));
  }

  private Map<String, Object> whole(String plugin, Map<String, Object> ours) {
    return files.mergesTables() ? ours : Tables.merged(files.plugin(plugin).entries(), ours);
  }

  private Map<String, Object> cri() {
    var cri = new LinkedHashMap<String, Object>();
    if (wanted.cdi() && !takesCdi()) {
      cri.put("enable_cdi", true);
    }
    wanted.handlers().stream()
        .filter(this::isMissing)
        .forEach(name -> Tables.put(cri, handler(), RUNTIMES.get(0), RUNTIMES.get(1), name));
    return cri;
  }

  private boolean takesCdi() {
    Optional<Boolean> said = files.plugin(files.criKey()).flag("enable_cdi");
    // 2.0 switches it on by default.
    return said.orElse(files.isTwo());
  }

  private Map<String, Object> nri() {
    if (!wanted.nri()) {
      return Map.of();
    }
    Optional<TomlFile> disabling = files.disabling(List.of(ContainerdFiles.NRI));
    if (disabling.isPresent()) {
      RuntimeProblem problem =
          disabling
              .get()
              .problem(
                  DISABLED,
                  ContainerdFiles.NRI,
                  "take it out of the list, which no drop-in can, and restart containerd; till then pods that ask by NVIDIA_VISIBLE_DEVICES start without GPUs");
      remarks.add(problem.message());
      return Map.of();
    }
    boolean isOff = files.plugin(ContainerdFiles.NRI).flag("disable").orElse(!files.isTwo());
    return isOff ? Map.of("disable", false) : Map.of();
  }

  /// A handler that is already there counts, unless the program that it names is gone.
  private boolean isMissing(String name) {
    Optional<TomlFile> holder = files.withHandler(name);
    if (holder.isEmpty()) {
      return true;
    }
    String program =
        runtimes(files.plugin(files.criKey())).table(name, "options").text("BinaryName").orElse("");
    boolean isBroken = input.programs().missing().contains(program);
    remarks.add(
        isBroken
            ? "handler %s of %s names %s, which is not there; ours takes its place"
                .formatted(name, holder.get().path(), program)
            : "handler %s is that of %s and stays as it is".formatted(name, holder.get().path()));
    return isBroken;
  }

  private Map<String, Object> handler() {
    TomlMap ofFiles = runtimes(files.plugin(files.criKey()));
    TomlMap ofProgram = runtimes(files.resolvedCri());
    String standard =
        files
            .plugin(files.criKey())
            .table("containerd")
            .text("default_runtime_name")
            .or(() -> files.resolvedCri().table("containerd").text("default_runtime_name"))
            .orElse("runc");
    TomlMap found =
        Stream.of(
                ofFiles.table(standard),
                ofFiles.table("runc"),
                ofProgram.table(standard),
                ofProgram.table("runc"))
            .filter(table -> !table.isEmpty() && !isNvidias(table))
            .findFirst()
            .orElse(TomlMap.EMPTY);
    Map<String, Object> handler =
        Tables.merged(Map.of("runtime_type", "io.containerd.runc.v2"), found.entries());
    if (files.mergesTables() && !found.table("options").entries().containsKey("BinaryName")) {
      // Else that of a handler of the same name that names a program which is gone.
      Tables.put(handler, "", "options", "BinaryName");
    }
    return handler;
  }

  private static TomlMap runtimes(TomlMap cri) {
    return cri.table("containerd", "runtimes");
  }

  /// A default that the container toolkit has made its own.
  private static boolean isNvidias(TomlMap handler) {
    return handler.table("options").text("BinaryName").orElse("").contains("nvidia");
  }
}
