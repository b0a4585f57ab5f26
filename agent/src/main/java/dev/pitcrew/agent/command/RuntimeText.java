package dev.pitcrew.agent.command;

import dev.pitcrew.agent.runtime.plan.Edit;
import dev.pitcrew.agent.runtime.plan.RuntimePlan;
import java.util.List;
import java.util.Optional;

/// A plan for people: the lines that come and go of each file.
final class RuntimeText {
  private RuntimeText() {}

  static String of(RuntimePlan plan) {
    var text = new StringBuilder();
    switch (plan) {
      case RuntimePlan.Edits(var edits, _) -> edits.forEach(edit -> append(text, edit));
      case RuntimePlan.Nothing _ -> text.append("Nothing is to be written.\n");
      case RuntimePlan.Refused(var problem) -> text.append(problem.message()).append('\n');
    }
    plan.remarks().forEach(remark -> text.append("note: ").append(remark).append('\n'));
    return text.toString();
  }

  private static void append(StringBuilder text, Edit edit) {
    text.append("--- ").append(name(edit.before(), edit.path())).append('\n');
    text.append("+++ ").append(name(edit.after(), edit.path())).append('\n');
    List<String> before = lines(edit.before());
    List<String> after = lines(edit.after());
    int head = common(before, after);
    int tail =
        Math.min(
            common(before.reversed(), after.reversed()),
            Math.min(before.size(), after.size()) - head);
    text.append("@@ line ").append(head + 1).append(" @@\n");
    before.subList(head, before.size() - tail).forEach(line -> append(text, '-', line));
    after.subList(head, after.size() - tail).forEach(line -> append(text, '+', line));
  }

  private static void append(StringBuilder text, char sign, String line) {
    text.append(sign).append(line).append('\n');
  }

  private static String name(Optional<String> content, String path) {
    return content.isPresent() ? path : "/dev/null";
  }

  private static List<String> lines(Optional<String> content) {
    return content.stream().flatMap(String::lines).toList();
  }

  private static int common(List<String> one, List<String> other) {
    int same = 0;
    while (same < one.size() && same < other.size() && one.get(same).equals(other.get(same))) {
      same++;
    }
    return same;
  }
}
