package dev.pitcrew.cli.plan;

import java.util.List;

/// Why something is as it is, step by step, with the one cause and what to do.
///
/// @param ok whether nothing keeps it from working
/// @param subject such as `Pod ml/train-42`, with how it is
/// @param cause the one thing that keeps it; empty where nothing does
/// @param next what to do, or what happens, in order
public record Chain(boolean ok, String subject, String cause, List<Step> steps, List<String> next) {

  public enum Mark {
    /// It is as it should be.
    GOOD,
    /// It is what keeps the subject.
    BAD,
    /// It is not the cause.
    NOTE
  }

  /// @param details lines below it
  public record Step(Mark mark, String text, List<String> details) {
    public Step {
      details = List.copyOf(details);
    }
  }

  public Chain {
    steps = List.copyOf(steps);
    next = List.copyOf(next);
  }
}
