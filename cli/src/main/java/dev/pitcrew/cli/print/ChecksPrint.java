package dev.pitcrew.cli.print;

import dev.pitcrew.cli.plan.Checks;
import dev.pitcrew.cli.plan.Checks.Line;
import dev.pitcrew.cli.plan.Checks.Mark;

/// One line a check, with what to do below it.
public final class ChecksPrint {
  private ChecksPrint() {}

  public static void print(Screen screen, Checks checks) {
    screen.paragraph("", Style.BOLD, checks.subject());
    for (Line line : checks.lines()) {
      screen.paragraph(mark(line.mark()), style(line.mark()), line.text());
      line.details().forEach(it -> screen.paragraph("    ", Style.PLAIN, it));
      if (!line.remedy().isEmpty()) {
        screen.paragraph("    ", Style.PLAIN, line.remedy());
      }
    }
    screen.paragraph(
        "",
        checks.ok() ? Style.PLAIN : Style.BAD,
        "Blockers: %d, warnings: %d. Nothing was changed."
            .formatted(checks.blockers(), checks.warnings()));
    if (!checks.next().isEmpty()) {
      screen.line();
      screen.list("Next  ", Style.PLAIN, checks.next());
    }
  }

  private static String mark(Mark mark) {
    return switch (mark) {
      case GOOD -> "✔ ";
      case WARNING -> "! ";
      case BLOCKER -> "✘ ";
    };
  }

  private static Style style(Mark mark) {
    return switch (mark) {
      case GOOD -> Style.GOOD;
      case WARNING -> Style.PLAIN;
      case BLOCKER -> Style.BAD;
    };
  }
}
