package dev.pitcrew.agent.metrics.web;

import com.sun.net.httpserver.HttpsConfigurator;
import dev.pitcrew.core.web.AccessControl;
import dev.pitcrew.core.web.Answer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;

/// Admits the clients that a web configuration file allows. The file, and those that it names, may
/// change at any time; an invalid file leaves the last valid ones in force. Whether connections are
/// encrypted at all is settled at the start.
public final class WebConfigFile implements AccessControl {
  private static final Answer REFUSED = Answer.text(401, "Unauthorized");
  private static final Answer BUSY =
      Answer.text(429, "too many passwords to check at once; try again in a second");

  /// Between two looks at the files, while requests arrive.
  private static final Duration PACE = Duration.ofMillis(500);

  private final String path;
  private final Function<String, Path> places;
  private final Consumer<String> report;
  private final Passwords passwords;
  private State state;

  /// @param texts what each file said, the web configuration first; empty where it cannot be read
  /// @param wrong what is wrong with the newest version
  private record State(
      Map<String, Optional<String>> texts, WebConfig config, List<String> wrong, long lookedNanos) {
    State at(long nanos) {
      return new State(texts, config, wrong, nanos);
    }
  }

  /// What came of reading a file for the first time.
  public sealed interface Opened {
    record Right(AccessControl porter) implements Opened {}

    /// Nothing may be served without what was asked for.
    record Wrong(List<String> problems) implements Opened {}
  }

  private WebConfigFile(
      String path,
      Function<String, Path> places,
      Consumer<String> report,
      Passwords passwords,
      State state) {
    this.path = path;
    this.places = places;
    this.report = report;
    this.passwords = passwords;
    this.state = state;
  }

  /// @param path of the file; those that it names may be relative to it
  /// @param places where a path is now
  /// @param report receives later problems
  public static Opened open(String path, Function<String, Path> places, Consumer<String> report) {
    return open(path, places, report, new Passwords());
  }

  static Opened open(
      String path, Function<String, Path> places, Consumer<String> report, Passwords passwords) {
    var texts = new LinkedHashMap<String, Optional<String>>();
    var parsed = parse(path, places, texts);
    return parsed
        .config()
        .<Opened>map(config ->
            new Opened.Right(
                new WebConfigFile(
                    path,
                    places,
                    report,
                    passwords,
                    new State(texts, config, List.of(), System.nanoTime()))))
        .orElseGet(() -> new Opened.Wrong(parsed.problems()));
  }

  private static WebConfigParser.Parsed parse(
      String path, Function<String, Path> places, Map<String, Optional<String>> texts) {
    Function<String, Optional<String>> read =
        name -> texts.computeIfAbsent(name, it -> text(places.apply(it)));
    Optional<String> text = read.apply(path);
    return text.map(it ->
            WebConfigParser.parse(
                path, it, name -> read.apply(Path.of(path).resolveSibling(name).toString())))
        .orElseGet(() ->
            new WebConfigParser.Parsed(Optional.empty(), List.of(path + ": it cannot be read")));
  }

  private static Optional<String> text(Path file) {
    try {
      return Optional.of(Files.readString(file));
    } catch (IOException _) {
      return Optional.empty();
    }
  }

  private synchronized WebConfig now() {
    long nanos = System.nanoTime();
    if (nanos - state.lookedNanos() > PACE.toNanos()) {
      state = state.at(nanos);
      boolean isSame =
          state.texts().entrySet().stream()
              .allMatch(it -> text(places.apply(it.getKey())).equals(it.getValue()));
      if (!isSame) {
        reread(nanos);
      }
    }
    return state.config();
  }

  private void reread(long nanos) {
    var texts = new LinkedHashMap<String, Optional<String>>();
    var parsed = parse(path, places, texts);
    List<String> wrong = parsed.problems();
    boolean isOther =
        parsed
            .config()
            .filter(it -> it.encryption().isPresent() != state.config().encryption().isPresent())
            .isPresent();
    if (isOther) {
      wrong = List.of(path + ": tls_server_config comes or goes only with a restart");
    }
    if (!wrong.equals(state.wrong())) {
      wrong.forEach(it -> report.accept(it + "; what was read before stays in force"));
    }
    state =
        new State(
            texts, parsed.config().filter(_ -> !isOther).orElse(state.config()), wrong, nanos);
  }

  @Override
  public Optional<Answer> refuse(String authorization) {
    Map<String, String> users = now().users();
    if (users.isEmpty()) {
      return Optional.empty();
    }
    return switch (passwords.check(users, authorization)) {
      case RIGHT -> Optional.empty();
      case WRONG -> Optional.of(REFUSED);
      case BUSY -> Optional.of(BUSY);
    };
  }

  @Override
  public Optional<HttpsConfigurator> encryption() {
    return now().encryption().map(first -> Tls.by(() -> now().encryption().orElse(first)));
  }

  @Override
  public Map<String, String> headers() {
    return now().headers();
  }
}
