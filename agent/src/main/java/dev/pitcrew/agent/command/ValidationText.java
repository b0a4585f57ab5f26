package dev.pitcrew.agent.command;

import dev.pitcrew.agent.validation.Blocker;
import dev.pitcrew.agent.validation.Check;
import dev.pitcrew.agent.validation.Validation;
import dev.pitcrew.api.node.ValidationState;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/// A validation for people, a line or few for each part, and for programs.
final class ValidationText {
  private static final int NAME_WIDTH = 16;
  private static final int STATE_WIDTH = 9;
  private static final int LINE_WIDTH = 110;

  private ValidationText() {}

  static String of(List<Check> checks, boolean isGood) {
    var text = new StringBuilder();
    checks.forEach(check -> append(text, check));
    text.append('\n').append(isGood ? "This node works." : sum(checks)).append('\n');
    return text.toString();
  }

  private static String sum(List<Check> checks) {
    return checks.stream()
        .filter(Check::isFailed)
        .map(check -> check.component().text() + " (" + check.reason() + ")")
        .collect(Collectors.joining(", ", "This node does not work: ", "."));
  }

  private static void append(StringBuilder text, Check check) {
    String head = pad(check.component().text(), NAME_WIDTH) + pad(word(check.state()), STATE_WIDTH);
    String message = check.isFailed() ? check.reason() + ": " + check.message() : check.message();
    int at = head.length();
    text.append(head);
    for (String word : message.split(" ", -1)) {
      if (at + word.length() > LINE_WIDTH) {
        text.append('\n').append(" ".repeat(head.length()));
        at = head.length();
      }
      boolean isFirst = at == head.length();
      text.append(isFirst ? "" : " ").append(word);
      at += word.length() + (isFirst ? 0 : 1);
    }
    text.append('\n');
  }

  private static String pad(String word, int width) {
    return word + " ".repeat(Math.max(1, width - word.length()));
  }

  private static String word(ValidationState state) {
    return switch (state) {
      case PASSED -> "ok";
      case FAILED -> "FAILED";
      case WAITING -> "waiting";
      case UNKNOWN -> "unknown";
      case OFF -> "off";
    };
  }

  /// Maps and lists with stable keys; states as GPUNode names them.
  static Map<String, Object> view(Validation validation, List<Check> checks, boolean isGood) {
    var view = new LinkedHashMap<String, Object>();
    view.put("works", isGood);
    view.put("blockers", validation.blockers().stream().map(ValidationText::view).toList());
    view.put("checks", checks.stream().map(ValidationText::view).toList());
    return view;
  }

  private static Map<String, Object> view(Blocker blocker) {
    return Map.of("reason", blocker.reason(), "message", blocker.message());
  }

  private static Map<String, Object> view(Check check) {
    var view = new LinkedHashMap<String, Object>();
    view.put("name", check.component().text());
    view.put("state", check.state());
    view.put("reason", check.reason());
    view.put("message", check.message());
    return view;
  }
}
