package dev.pitcrew.agent.realgpu;

import dev.pitcrew.hardware.nvml.LibraryProbe;
import dev.pitcrew.hardware.nvml.LibraryProbe.Call;
import dev.pitcrew.hardware.nvml.LibraryProbe.Findings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/// The driver's library beside what the bindings know of it, and beside the simulator's answers for
/// the same board, which were recorded when the bundle was built.
///
/// @param recordings folder of files with lines `function TAB argument TAB code`, the first of
///   which is `board TAB product name`
record LibraryStep(Path recordings) {
  private static final String BOARD = "board";

  Section of(Findings found) throws IOException {
    var lines = new ArrayList<String>();
    var facts = new LinkedHashMap<String, Object>();
    lines.add("driver %s, library %s".formatted(found.driver(), found.library()));
    facts.put("driver", found.driver());
    facts.put("library", found.library());
    facts.put("gpus", found.gpus());
    missing(found, lines, facts);
    structures(found, lines, facts);
    compare(found, lines, facts);
    facts.put("calls", found.calls().stream().map(LibraryStep::view).toList());
    return new Section("library", "The driver's library", "", lines, facts);
  }

  /// The lines of a recording.
  static Stream<String> recording(Findings found) {
    return Stream.concat(
        found.gpus().stream().limit(1).map(name -> BOARD + "\t" + name),
        found.calls().stream()
            .filter(call -> call.gpu() == 0)
            .map(call -> key(call) + "\t" + call.code()));
  }

  private static void missing(Findings found, List<String> lines, Map<String, Object> facts) {
    var absent = found.symbols().stream().filter(it -> it.found().isEmpty()).toList();
    var older =
        found.symbols().stream()
            .filter(
                it -> it.found().filter(name -> !name.equals(it.names().getFirst())).isPresent())
            .toList();
    lines.add(
        "functions: %d of %d are there, %d of them by an older name"
            .formatted(
                found.symbols().size() - absent.size(), found.symbols().size(), older.size()));
    absent.forEach(it -> lines.add("  missing: " + String.join(" or ", it.names())));
    older.forEach(it -> lines.add("  by its older name: " + it.found().orElse("")));
    facts.put("missingFunctions", absent.stream().map(it -> it.names().getFirst()).toList());
    facts.put("olderFunctions", older.stream().map(it -> it.found().orElse("")).toList());
  }

  private static void structures(Findings found, List<String> lines, Map<String, Object> facts) {
    var wrong = found.calls().stream().filter(Call::isTooLong).toList();
    lines.add("structures: %d calls write more than there is room for".formatted(wrong.size()));
    wrong.forEach(call ->
        lines.add(
            "  GPU %d %s %s: %d bytes are written, %d are known"
                .formatted(
                    call.gpu(), call.function(), call.argument(), call.written(), call.size())));
    facts.put("structuresTooLong", wrong.stream().map(LibraryStep::view).toList());
    found.calls().stream()
        .filter(call -> call.gpu() == 0 && call.written() > 0)
        .filter(call -> call.extent() == LibraryProbe.Extent.WHOLE)
        .forEach(call ->
            lines.add(
                "  %s %s: %d of %d bytes"
                    .formatted(call.function(), call.argument(), call.written(), call.size())));
  }

  private void compare(Findings found, List<String> lines, Map<String, Object> facts)
      throws IOException {
    var board = found.gpus().stream().findFirst().orElse("");
    var recorded = recorded(board);
    if (recorded.isEmpty()) {
      lines.add("return codes: the simulator has no board named '%s'".formatted(board));
      facts.put("simulator", "no such board");
      return;
    }
    var differing =
        found.calls().stream()
            .filter(call -> call.gpu() == 0)
            .filter(call -> {
              var code = recorded.get().get(key(call));
              return code != null && code != call.code();
            })
            .toList();
    lines.add("return codes: %d differ from the simulator's".formatted(differing.size()));
    var views = new ArrayList<Map<String, Object>>();
    for (var call : differing) {
      int simulated = recorded.get().getOrDefault(key(call), 0);
      lines.add(
          "  %s %s: %d, the simulator %d"
              .formatted(call.function(), call.argument(), call.code(), simulated));
      var view = view(call);
      view.put("simulatorCode", simulated);
      views.add(view);
    }
    facts.put("differentCodes", views);
  }

  private Optional<Map<String, Integer>> recorded(String board) throws IOException {
    if (!Files.isDirectory(recordings)) {
      return Optional.empty();
    }
    try (var files = Files.list(recordings)) {
      for (var file : files.sorted().toList()) {
        var lines = Files.readAllLines(file);
        if (lines.getFirst().equals(BOARD + "\t" + board)) {
          return Optional.of(codes(lines.subList(1, lines.size())));
        }
      }
      return Optional.empty();
    }
  }

  private static Map<String, Integer> codes(List<String> lines) {
    var codes = new HashMap<String, Integer>();
    for (var line : lines) {
      int end = line.lastIndexOf('\t');
      codes.put(line.substring(0, end), Integer.valueOf(line.substring(end + 1)));
    }
    return codes;
  }

  private static String key(Call call) {
    return call.function() + "\t" + call.argument();
  }

  private static Map<String, Object> view(Call call) {
    var view = new LinkedHashMap<String, Object>();
    view.put("gpu", call.gpu());
    view.put("function", call.function());
    view.put("argument", call.argument());
    view.put("code", call.code());
    view.put("knownBytes", call.size());
    view.put("writtenBytes", call.written());
    return view;
  }
}
