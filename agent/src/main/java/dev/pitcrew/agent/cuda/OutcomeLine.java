package dev.pitcrew.agent.cuda;

import dev.pitcrew.hardware.cuda.CudaError;
import dev.pitcrew.hardware.cuda.CudaOutcome;
import dev.pitcrew.hardware.cuda.CudaOutcome.Busy;
import dev.pitcrew.hardware.cuda.CudaOutcome.Crashed;
import dev.pitcrew.hardware.cuda.CudaOutcome.Failed;
import dev.pitcrew.hardware.cuda.CudaOutcome.InUse;
import dev.pitcrew.hardware.cuda.CudaOutcome.LibraryMissing;
import dev.pitcrew.hardware.cuda.CudaOutcome.NotChecked;
import dev.pitcrew.hardware.cuda.CudaOutcome.Passed;
import dev.pitcrew.hardware.cuda.CudaOutcome.Unanswered;
import dev.pitcrew.hardware.cuda.CudaOutcome.WrongSum;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/// The child's report to its parent: one line, whose words are separated by tabs. Whatever else a
/// library writes to standard output begins differently.
final class OutcomeLine {
  private static final String MARK = "pitcrew-cuda";
  private static final String TAB = "\t";
  private static final int FIELDS = 5;

  private OutcomeLine() {}

  static String write(CudaOutcome outcome) {
    return switch (outcome) {
      case Passed(int elements, int version) -> line("passed", elements, version);
      case Busy(var error, var call) -> line("busy", error, call);
      case Failed(var error, var call, var detail) -> line("failed", error, call, detail);
      case WrongSum(int element, float expected, float actual) ->
          line("wrong", element, expected, actual);
      case LibraryMissing(var library) -> line("missing", library);
      case InUse _ -> line("in-use");
      case Unanswered _, Crashed _, NotChecked _ ->
          throw new IllegalArgumentException("only a parent sees " + outcome);
    };
  }

  /// What the child said last; empty where it said nothing that can be understood.
  static Optional<CudaOutcome> read(String output) {
    return output
        .lines()
        .filter(line -> line.startsWith(MARK + TAB))
        .reduce((_, last) -> last)
        .flatMap(line -> outcome(List.of(line.split(TAB, -1))));
  }

  private static Optional<CudaOutcome> outcome(List<String> line) {
    List<String> words = line.size() < FIELDS ? padded(line) : line;
    try {
      return switch (words.get(1)) {
        case "passed" ->
            Optional.of(new Passed(Integer.parseInt(words.get(2)), Integer.parseInt(words.get(3))));
        case "busy" -> Optional.of(new Busy(CudaError.valueOf(words.get(2)), words.get(3)));
        case "failed" ->
            Optional.of(new Failed(CudaError.valueOf(words.get(2)), words.get(3), words.get(4)));
        case "wrong" ->
            Optional.of(
                new WrongSum(
                    Integer.parseInt(words.get(2)),
                    Float.parseFloat(words.get(3)),
                    Float.parseFloat(words.get(4))));
        case "in-use" -> Optional.of(new InUse());
        case "missing" -> Optional.of(new LibraryMissing(words.get(2)));
        default -> Optional.empty();
      };
    } catch (IllegalArgumentException _) {
      return Optional.empty();
    }
  }

  private static List<String> padded(List<String> line) {
    return Stream.concat(line.stream(), Collections.nCopies(FIELDS - line.size(), "").stream())
        .toList();
  }

  private static String line(Object... words) {
    var line = new StringBuilder(MARK);
    for (Object word : words) {
      line.append(TAB).append(plain(String.valueOf(word)));
    }
    return line.toString();
  }

  private static String plain(String text) {
    return text.replaceAll("\\p{Cntrl}+", " ").strip();
  }
}
