package dev.pitcrew.agent.metrics.counters;

import dev.pitcrew.agent.metrics.counters.Origin.LastXid;
import dev.pitcrew.hardware.nvml.Gauge;
import dev.pitcrew.hardware.nvml.Source;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Reads an origin as the table of fields writes it, such as `rate:138+139@all/1000`.
final class OriginText {
  private static final Pattern NUMBER =
      Pattern.compile(
          "(?<kind>call|ecc|field|gpm|rate):(?<what>[A-Z0-9_+]+)(?:@(?<link>all|\\d+))?"
              + "(?:(?<sign>[*/])(?<scale>\\d+))?(?:<=(?<limit>\\d+))?");

  private OriginText() {}

  static Optional<Origin> parse(String text) {
    if (text.equals("-")) {
      return Optional.empty();
    }
    if (text.equals("xid")) {
      return Optional.of(new LastXid());
    }
    if (text.startsWith("text:")) {
      return Optional.of(new Origin.Text(text.substring("text:".length())));
    }
    Matcher number = NUMBER.matcher(text);
    if (!number.matches()) {
      throw new IllegalArgumentException(text);
    }
    return Optional.of(number(number));
  }

  private static Origin number(Matcher text) {
    double factor = factor(text);
    if (text.group("kind").equals("ecc")) {
      return new Origin.Reading(eccErrors(text.group("what")), factor, Double.POSITIVE_INFINITY);
    }
    List<Source> sources =
        Arrays.stream(text.group("what").split("\\+", -1)).map(it -> source(text, it)).toList();
    if (text.group("kind").equals("rate")) {
      return new Origin.Rate(sources, factor);
    }
    double limit =
        Optional.ofNullable(text.group("limit"))
            .map(Double::valueOf)
            .orElse(Double.POSITIVE_INFINITY);
    return new Origin.Reading(sources.getFirst(), factor, limit);
  }

  private static Source eccErrors(String what) {
    int[] numbers = Arrays.stream(what.split("\\+", -1)).mapToInt(Integer::parseInt).toArray();
    return new Source.EccErrors(numbers[0], numbers[1], numbers[2]);
  }

  private static Source source(Matcher text, String what) {
    return switch (text.group("kind")) {
      case "call" -> new Source.Call(Gauge.valueOf(what));
      case "gpm" -> new Source.Profiling(Integer.parseInt(what));
      default -> new Source.FieldValue(Integer.parseInt(what), link(text));
    };
  }

  private static int link(Matcher text) {
    String link = Optional.ofNullable(text.group("link")).orElse("0");
    return link.equals("all") ? Source.ALL_LINKS : Integer.parseInt(link);
  }

  private static double factor(Matcher text) {
    double scale = Optional.ofNullable(text.group("scale")).map(Double::valueOf).orElse(1.0);
    return "/".equals(text.group("sign")) ? 1 / scale : scale;
  }
}
