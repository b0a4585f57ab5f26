package dev.pitcrew.cli.print;

import dev.pitcrew.cli.plan.Chain;
import dev.pitcrew.cli.plan.Chain.Step;

/// Causes, one below the other.
public final class ChainPrint {
  private ChainPrint() {}

  public static void print(Screen screen, Chain chain) {
    screen.paragraph("", Style.BOLD, chain.subject());
    for (Step step : chain.steps()) {
      screen.paragraph("├─ " + mark(step), "│    ", style(step), step.text());
      for (String detail : step.details()) {
        screen.paragraph("│    ", "│      ", Style.PLAIN, detail);
      }
    }
    if (!chain.cause().isEmpty()) {
      screen.paragraph("Cause      ", chain.ok() ? Style.PLAIN : Style.BAD, chain.cause());
    }
    screen.list("Next step  ", Style.PLAIN, chain.next());
  }

  private static String mark(Step step) {
    return switch (step.mark()) {
      case GOOD -> "✔ ";
      case BAD -> "✘ ";
      case NOTE -> "";
    };
  }

  private static Style style(Step step) {
    return switch (step.mark()) {
      case GOOD -> Style.GOOD;
      case BAD -> Style.BAD;
      case NOTE -> Style.PLAIN;
    };
  }
}
