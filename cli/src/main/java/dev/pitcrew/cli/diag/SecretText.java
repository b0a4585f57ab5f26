package dev.pitcrew.cli.diag;

import dev.pitcrew.cli.diag.Redactions.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Replaces secrets in text by what they look like. Text may be hostile: no expression looks for an
/// end without a bound from each of its starts.
final class SecretText {
  /// @param pattern what its group `keep` matches stays before the mark
  private record Shape(Kind kind, Pattern pattern) {}

  /// In this order: what comes first may span what a later one would cut.
  private static final List<Shape> SHAPES =
      List.of(
          shape(
              Kind.AUTHORIZATION,
              "(?i)(?<keep>authorization[\"'\\\\]*\\s?[:=]\\s?[\"'\\\\\\[]*digest\\s)[^\\n]++"),
          shape(
              Kind.AUTHORIZATION,
              "(?i)(?<keep>authorization[\"'\\\\]*\\s?[:=]\\s?(?!\\[redacted)[\"'\\\\\\[]*)[^\\s\"'\\\\][^\"'\\\\\\n]*+"),
          shape(
              Kind.AUTHORIZATION,
              "(?i)(?<keep>cookie[\"'\\\\]*\\s?:\\s?)(?!\\[redacted)[^\\s][^\\n]*+"),
          shape(
              Kind.AUTHORIZATION,
              "(?i)(?<keep>\\bbearer\\s)(?=[\\w.~+/=-]{0,4096}\\d)[\\w.~+/=-]{8,}+"),
          shape(
              Kind.AUTHORIZATION,
              "(?<keep>\\b[Bb]asic\\s)(?=[A-Za-z0-9+/]{0,4096}(?:[a-z][A-Z]|[0-9=]))[A-Za-z0-9+/]{6,}+={0,2}"),
          shape(Kind.TOKEN, "\\beyJ[A-Za-z0-9_-]{8,}+(?:\\.[A-Za-z0-9_-]*+){0,4}"),
          shape(
              Kind.TOKEN,
              "\\b(?:gh[pousr]_[A-Za-z0-9]{16,}+|github_pat_\\w{16,}+|gl(?:pat|ptt|dt|rt)-[\\w-]{16,}+|xox[a-z]-[\\w-]{8,}+|sk-[\\w-]{16,}+"
                  + "|nvapi-[\\w-]{16,}+|hf_[A-Za-z0-9]{16,}+|npm_[A-Za-z0-9]{16,}+|do[opr]_v1_\\w{16,}+|hv[sbr]\\.[\\w-]{16,}+|AIza[\\w-]{30,}+"
                  + "|ya29\\.[\\w-]{16,}+|SG\\.[\\w-]{16,}+\\.[\\w-]++|(?:AKIA|ASIA)[0-9A-Z]{16}|dckr_pat_[\\w-]{16,}+|[rs]k_live_\\w{16,}+)"),
          shape(Kind.TOKEN, "\\b[a-z0-9]{6}\\.(?=[a-z]{0,15}[0-9])[a-z0-9]{16}\\b"),
          shape(Kind.TOKEN, "(?i)(?<keep>hooks\\.slack\\.com/services/)[\\w/]++"),
          shape(
              Kind.URL_CREDENTIALS,
              "\\b(?<keep>[\\w.-]{1,64}:)[^\\s\"']{1,200}@(?=(?:tcp|unix)\\()"),
          shape(
              Kind.NAMED_SECRET,
              "(?i)(?<keep>\\bcurl\\b[^\\n]{0,300}?\\s(?:-u|--user)[ =]?[\"']?)(?!\\[redacted)[^\\s\"']++"),
          shape(
              Kind.NAMED_SECRET,
              "(?i)(?<keep>\\b(?:login|sshpass|mysql\\w{0,9}|redis-cli|mongo\\w{0,9}|ldapsearch)\\b[^\\n]{0,300}?\\s-[paw][ =]?[\"']?)(?!\\[redacted)[^\\s\"']++"),
          shape(
              Kind.NAMED_SECRET,
              "(?i)(?<keep>\\bmachine\\s[^\\n]{0,300}?\\spassword\\s)(?!\\[redacted)\\S++"),
          shape(
              Kind.NAMED_SECRET,
              "(?<keep>--from-literal[= ][\"']?[\\w.-]{1,100}=)(?!\\[redacted)[^\\s\"']++"),
          shape(Kind.TOKEN, "(?<!\\w)\\$(?:apr1|2[abxy]|1|5|6|y)\\$[./A-Za-z0-9$=,]{20,}+"),
          shape(Kind.NAMED_SECRET, "(?i)(?<keep>\\bidentified by\\s)(?!\\[redacted)\\S++"));

  private static final Pattern KEY_BEGIN =
      Pattern.compile("-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----");
  private static final Pattern KEY_END =
      Pattern.compile("-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----");

  private static final Pattern COLOURS = Pattern.compile("\u001b\\[[0-9;]{0,32}[A-Za-z]");
  private static final Pattern LONG_RUN = Pattern.compile("[A-Za-z0-9+/_=-]{40,}+");
  private static final Pattern BASE64_LINE = Pattern.compile("\\s*+[A-Za-z0-9+/=]++\\s*+");

  private static final int FEWEST_UPPER_RUNS = 5;
  private static final int FEWEST_DIGITS = 2;
  private static final double RANDOM = 0.45;

  private SecretText() {}

  /// @param found called once for each secret
  static String redact(String text, Consumer<Kind> found) {
    String clean = privateKeys(printable(text), found);
    for (Shape shape : SHAPES) {
      clean = replace(clean, shape, found);
    }
    clean = NamedValues.redact(addresses(clean, found), found);
    return longRuns(clean, found);
  }

  private static Shape shape(Kind kind, String pattern) {
    return new Shape(
        kind, Pattern.compile(pattern.contains("?<keep>") ? pattern : "(?<keep>)" + pattern));
  }

  /// Colours are removed, as they could part a name from its value; other control characters become
  /// their codes, since the files are looked at in terminals.
  private static String printable(String text) {
    if (text.chars().allMatch(it -> it == '\n' || it == '\t' || (it >= ' ' && it < 0x7f))) {
      return text;
    }
    String plain = COLOURS.matcher(text.replace("\r\n", "\n")).replaceAll("");
    var printable = new StringBuilder(plain.length());
    plain
        .codePoints()
        .forEach(it -> {
          if (it == '\n' || it == '\t' || isSeen(it)) {
            printable.appendCodePoint(it);
          } else {
            printable.append("\\u").append("%04x".formatted(it));
          }
        });
    return printable.toString();
  }

  private static boolean isSeen(int character) {
    return switch (Character.getType(character)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.SURROGATE,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR ->
          false;
      default -> true;
    };
  }

  /// Also of keys whose begin or end is not in the text, as where a log was cut.
  private static String privateKeys(String text, Consumer<Kind> found) {
    if (!text.contains("PRIVATE KEY")) {
      return text;
    }
    var result = new StringBuilder();
    int from = 0;
    Matcher begin = KEY_BEGIN.matcher(text);
    Matcher end = KEY_END.matcher(text);
    boolean begins = begin.find();
    while (end.find(from)) {
      boolean isWhole = begins && begin.start() < end.start();
      int start = isWhole ? begin.start() : startOfKey(text, from, end.start());
      result.append(text, from, start).append(Kind.PRIVATE_KEY.mark());
      found.accept(Kind.PRIVATE_KEY);
      from = end.end();
      while (begins && begin.start() < from) {
        begins = begin.find();
      }
    }
    if (begins) {
      found.accept(Kind.PRIVATE_KEY);
      return result.append(text, from, begin.start()).append(Kind.PRIVATE_KEY.mark()).toString();
    }
    return result.append(text, from, text.length()).toString();
  }

  /// The first of the lines before the end that are nothing but base64.
  private static int startOfKey(String text, int from, int end) {
    int start = text.lastIndexOf('\n', end) + 1;
    while (start > from) {
      int before = text.lastIndexOf('\n', start - 2) + 1;
      if (!BASE64_LINE.matcher(text.substring(before, start)).matches()) {
        break;
      }
      start = before;
    }
    return Math.max(start, from);
  }

  private static String replace(String text, Shape shape, Consumer<Kind> found) {
    return shape
        .pattern()
        .matcher(text)
        .replaceAll(match -> {
          found.accept(shape.kind());
          return Matcher.quoteReplacement(match.group("keep") + shape.kind().mark());
        });
  }

  /// Scheme and host stay.
  private static String addresses(String text, Consumer<Kind> found) {
    var result = new StringBuilder();
    int from = 0;
    for (int at = text.indexOf("://"); at >= 0; at = text.indexOf("://", at + 1)) {
      int begin = at + "://".length();
      int end = begin;
      // An address within an address is looked at when its turn comes.
      while (end < text.length() && isOfAddress(text.charAt(end)) && !text.startsWith("://", end)) {
        end++;
      }
      int credentials = credentials(text.substring(begin, end));
      if (credentials > 0 && begin >= from) {
        result.append(text, from, begin).append(Kind.URL_CREDENTIALS.mark());
        found.accept(Kind.URL_CREDENTIALS);
        from = begin + credentials;
      }
    }
    return result.append(text, from, text.length()).toString();
  }

  private static boolean isOfAddress(char character) {
    return character > ' ' && "\"'<>`".indexOf(character) < 0;
  }

  /// How long the part before the host is, 0 without one. A password may have a `/` in it; a port
  /// has digits only.
  private static int credentials(String address) {
    int slash = indexOfAny(address, "/?#");
    int at = address.substring(0, slash).lastIndexOf('@');
    if (at < 0) {
      int colon = address.indexOf(':');
      boolean isPort =
          colon >= 0
              && address.substring(colon + 1, Math.max(slash, colon + 1)).matches("[0-9]{1,5}");
      at = colon >= 0 && colon < slash && !isPort ? address.lastIndexOf('@') : -1;
    }
    return address.startsWith(Redactions.MARK) ? 0 : Math.max(at, 0);
  }

  private static int indexOfAny(String text, String characters) {
    int at = 0;
    while (at < text.length() && characters.indexOf(text.charAt(at)) < 0) {
      at++;
    }
    return at;
  }

  /// Keys and tokens of unknown makers, and what is hidden by base64. Digests, UUIDs and paths do
  /// not change so often between capitals, small letters and digits.
  private static String longRuns(String text, Consumer<Kind> found) {
    return LONG_RUN
        .matcher(text)
        .replaceAll(match -> {
          if (!isRandom(match.group())) {
            return Matcher.quoteReplacement(match.group());
          }
          found.accept(Kind.OPAQUE);
          return Matcher.quoteReplacement(Kind.OPAQUE.mark());
        });
  }

  private static boolean isRandom(String run) {
    var kinds = new ArrayList<Character>();
    run.chars()
        .forEach(it ->
            kinds.add(
                it >= 'A' && it <= 'Z'
                    ? 'A'
                    : it >= 'a' && it <= 'z' ? 'a' : it >= '0' && it <= '9' ? '0' : '/'));
    int changes = 0;
    int upperRuns = 0;
    int digits = 0;
    for (int at = 0; at < kinds.size(); at++) {
      boolean changed = at > 0 && !kinds.get(at).equals(kinds.get(at - 1));
      changes += changed ? 1 : 0;
      upperRuns += kinds.get(at) == 'A' && (at == 0 || changed) ? 1 : 0;
      digits += kinds.get(at) == '0' ? 1 : 0;
    }
    return upperRuns >= FEWEST_UPPER_RUNS
        && digits >= FEWEST_DIGITS
        && changes >= run.length() * RANDOM;
  }
}
