package dev.pitcrew.agent.metrics.counters;

import dev.pitcrew.agent.metrics.counters.Origin.CpuNumber;
import dev.pitcrew.agent.metrics.counters.Origin.LastXid;
import dev.pitcrew.hardware.nvml.Gauge;
import dev.pitcrew.hardware.nvml.Source;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/// Reads an origin as the table of fields writes it, such as `rate:138+139@all/1000`.
final class OriginText {
  private static final Pattern NUMBER =
      Pattern.compile(
          "(?<kind>call|ecc|field|gpm|link|port|rate):(?<what>[A-Z0-9_+]+)(?:@(?<link>all|\\d+))?"
              + "(?:(?<sign>[*/])(?<scale>\\d+))?(?:<=(?<limit>\\d+))?");

  private static final String OF_EACH_LINK = "links:";
  private static final String LINK = "#";

  /// A number that grows by two from link to link.
  private static final Pattern EVERY_SECOND = Pattern.compile("(\\d+)\\+2#");

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
    if (text.equals("cpu-vendor")) {
      return Optional.of(new Origin.CpuVendor());
    }
    if (text.equals("cpu-model")) {
      return Optional.of(new Origin.CpuModel());
    }
    if (text.startsWith("cpu:")) {
      return Optional.of(new Origin.Cpu(CpuNumber.valueOf(text.substring("cpu:".length()))));
    }
    if (text.startsWith(OF_EACH_LINK)) {
      String each = text.substring(OF_EACH_LINK.length());
      return Optional.of(
          new Origin.PerLink(
              IntStream.range(0, Origin.PerLink.MOST)
                  .mapToObj(link -> parse(ofLink(each, link)).orElseThrow())
                  .toList()));
    }
    Matcher number = NUMBER.matcher(text);
    if (!number.matches()) {
      throw new IllegalArgumentException(text);
    }
    return Optional.of(number(number));
  }

  private static String ofLink(String each, int link) {
    return EVERY_SECOND
        .matcher(each)
        .replaceAll(it -> String.valueOf(Integer.parseInt(it.group(1)) + 2 * link))
        .replace(LINK, String.valueOf(link));
  }

  private static Origin number(Matcher text) {
    double factor = factor(text);
    String kind = text.group("kind");
    if (List.of("ecc", "link", "port").contains(kind)) {
      int[] numbers =
          Arrays.stream(text.group("what").split("\\+", -1)).mapToInt(Integer::parseInt).toArray();
      Source count =
          switch (kind) {
            case "ecc" -> new Source.EccErrors(numbers[0], numbers[1], numbers[2]);
            case "link" -> new Source.LinkErrors(numbers[0], numbers[1]);
            // Ports count from 1.
            default -> new Source.PortCounter(numbers[0], numbers[1] + 1);
          };
      return new Origin.Reading(count, factor, Double.POSITIVE_INFINITY);
    }
    List<Source> sources =
        Arrays.stream(text.group("what").split("\\+", -1)).map(it -> source(text, it)).toList();
    if (kind.equals("rate")) {
      return new Origin.Rate(sources, factor);
    }
    double limit =
        Optional.ofNullable(text.group("limit"))
            .map(Double::valueOf)
            .orElse(Double.POSITIVE_INFINITY);
    return new Origin.Reading(sources.getFirst(), factor, limit);
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
