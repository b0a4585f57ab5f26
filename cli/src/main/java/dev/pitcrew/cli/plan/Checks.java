package dev.pitcrew.cli.plan;

import java.util.List;

/// What was looked at before something is done, one line each.
///
/// @param ok whether nothing stands in the way
/// @param subject what is checked for
/// @param next commands that do it, in their order; empty where the check is not about one
public record Checks(boolean ok, String subject, List<Line> lines, List<String> next) {

  public enum Mark {
    GOOD,
    /// It is no obstacle, and a user should know it.
    WARNING,
    /// It stands in the way.
    BLOCKER
  }

  /// @param details lines below it
  /// @param remedy what to do; empty where nothing has to be done
  public record Line(Mark mark, String text, List<String> details, String remedy) {
    public Line {
      details = List.copyOf(details);
    }

    static Line good(String text) {
      return new Line(Mark.GOOD, text, List.of(), "");
    }

    static Line warning(String text, String remedy) {
      return new Line(Mark.WARNING, text, List.of(), remedy);
    }

    static Line blocker(String text, String remedy) {
      return new Line(Mark.BLOCKER, text, List.of(), remedy);
    }

    /// What could not be looked at.
    static Line unread(String what, String why) {
      return warning(what + " could not be read", why);
    }

    Line with(List<String> more) {
      return new Line(mark, text, more, remedy);
    }
  }

  static Checks of(String subject, List<Line> lines) {
    return new Checks(
        lines.stream().noneMatch(it -> it.mark() == Mark.BLOCKER),
        subject,
        List.copyOf(lines),
        List.of());
  }

  Checks with(List<String> commands) {
    return new Checks(ok, subject, lines, List.copyOf(commands));
  }

  public long blockers() {
    return lines.stream().filter(it -> it.mark() == Mark.BLOCKER).count();
  }

  public long warnings() {
    return lines.stream().filter(it -> it.mark() == Mark.WARNING).count();
  }
}
