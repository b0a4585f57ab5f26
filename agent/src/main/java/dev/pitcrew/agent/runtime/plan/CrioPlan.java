package dev.pitcrew.agent.runtime.plan;

import dev.pitcrew.agent.runtime.plan.TomlFile.TomlMap;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/// CRI-O: one drop-in of ours, which CRI-O reads by default.
final class CrioPlan {
  private static final String CDI_FOLDER = "/var/run/cdi";
  private static final String CDI_FOLDERS = "cdi_spec_dirs";

  private final RuntimeInput input;
  private final WantedRuntime wanted;
  private final List<TomlFile> files;
  private final TomlMap said;
  private final List<String> remarks = new ArrayList<>();

  private CrioPlan(RuntimeInput input, WantedRuntime wanted, List<TomlFile> files) {
    this.input = input;
    this.wanted = wanted;
    this.files = files;
    Map<String, Object> all = Map.of();
    for (TomlFile file : files) {
      all = Tables.merged(all, file.content().entries());
    }
    this.said = new TomlMap(all);
  }

  static RuntimePlan of(RuntimeInput input, WantedRuntime wanted) {
    var read =
        TomlFile.readAll(
            Stream.concat(input.mainFile().stream(), input.others().stream()).toList());
    return read.problem()
        .<RuntimePlan>map(RuntimePlan.Refused::new)
        .orElseGet(() -> new CrioPlan(input, wanted, read.files()).plan());
  }

  private RuntimePlan plan() {
    List<String> handlers = wanted.handlers().stream().filter(this::isMissing).toList();
    Optional<Map<String, Object>> handler = handler();
    if (!handlers.isEmpty() && handler.isEmpty()) {
      return new RuntimePlan.Refused(
          RuntimeProblem.ofFile(
              input.mainPath(),
              "no file of CRI-O names the program of its default runtime, and the host has no crun and no runc where they usually are: set runtime_path in [crio.runtime.runtimes.crun]"));
    }
    var content = new LinkedHashMap<String, Object>();
    cdiFolders().ifPresent(list -> Tables.put(content, list, "crio", "runtime", CDI_FOLDERS));
    handlers.forEach(
        name -> Tables.put(content, handler.orElseThrow(), "crio", "runtime", "runtimes", name));
    if (wanted.nri() && said.table("crio", "nri").flag("enable_nri").filter(it -> it).isEmpty()) {
      Tables.put(content, true, "crio", "nri", "enable_nri");
    }
    Optional<String> dropIn =
        Optional.of(ContainerdPlan.HEAD + TomlText.of(content)).filter(_ -> !content.isEmpty());
    return RuntimePlan.of(
        Edit.of(input.dropInPath(), input.dropIn(), dropIn).stream().toList(), remarks);
  }

  /// CRI-O has the folder among its own, unless other folders are configured.
  private Optional<List<Object>> cdiFolders() {
    List<String> folders = said.table("crio", "runtime").texts(CDI_FOLDERS);
    boolean isThere =
        folders.isEmpty() || folders.contains(CDI_FOLDER) || folders.contains("/run/cdi");
    return Optional.of(
            Stream.concat(folders.stream(), Stream.of(CDI_FOLDER)).<Object>map(it -> it).toList())
        .filter(_ -> wanted.cdi() && !isThere);
  }

  private TomlMap runtimes() {
    return said.table("crio", "runtime", "runtimes");
  }

  private boolean isMissing(String name) {
    Optional<TomlFile> holder =
        files.reversed().stream()
            .filter(
                file -> file.content().table("crio", "runtime", "runtimes").value(name).isPresent())
            .findFirst();
    if (holder.isEmpty()) {
      return true;
    }
    String program = runtimes().table(name).text("runtime_path").orElse("");
    boolean isBroken = input.programs().missing().contains(program);
    remarks.add(
        isBroken
            ? "handler %s of %s names %s, which is not there; ours takes its place"
                .formatted(name, holder.get().path(), program)
            : "handler %s is that of %s and stays as it is".formatted(name, holder.get().path()));
    return isBroken;
  }

  /// As the default runtime's. CRI-O looks for a program of the handler's name where none is given.
  private Optional<Map<String, Object>> handler() {
    String standard = said.table("crio", "runtime").text("default_runtime").orElse("");
    TomlMap found =
        Stream.of(standard, "crun", "runc")
            .map(name -> runtimes().table(name))
            .filter(table -> !table.isEmpty() && !isNvidias(table))
            .findFirst()
            .orElse(TomlMap.EMPTY);
    Optional<String> program =
        found.text("runtime_path").filter(path -> !path.isEmpty()).or(input.programs()::lowLevel);
    return program.map(path ->
        Tables.merged(
            Map.of("runtime_type", "oci"),
            Tables.merged(found.entries(), Map.of("runtime_path", path))));
  }

  private static boolean isNvidias(TomlMap handler) {
    return handler.text("runtime_path").orElse("").contains("nvidia");
  }
}
