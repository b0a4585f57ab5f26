package dev.pitcrew.cli.transport;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URLEncoder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// Runs kubectl. Safe for use by several threads.
public final class Kubectl {
  /// The first page comes soon. Of a large cluster each further page costs a process, and none of
  /// them is in memory as a whole.
  private static final int FIRST_PAGE = 500;

  private static final int PAGE = 5_000;

  /// A question of kubectl's would stand in the middle of an answer, and wait for ever.
  private static final File NO_ANSWERS = new File("/dev/null");

  /// kubectl's words where a program in a container was run, and has ended with an error.
  static final String PROGRAM_FAILED = "command terminated with exit code";

  /// Whom the API server remembers as the writer of a field.
  private static final String FIELD_MANAGER = "kubectl-gpu";

  @FunctionalInterface
  private interface Reading<T> {
    T read(InputStream answer) throws IOException;
  }

  private final String program;
  private final List<String> flags;
  private final Optional<Duration> limit;

  /// @param program a path, or a name to look for in PATH
  /// @param flags to pass through
  /// @param limit after which it is ended; empty for never
  public Kubectl(String program, List<String> flags, Optional<Duration> limit) {
    this.program = program;
    this.flags = List.copyOf(flags);
    this.limit = limit;
  }

  public Json get(String path) {
    return run(List.of("get", "--raw", path), JsonReading::document);
  }

  /// Reads a list page by page.
  ///
  /// @param again called where the list begins again from its first item: the API server forgets
  ///   the state of a list whose pages are read for minutes
  /// @return the version of the list, from which a watch goes on
  public String list(String path, Consumer<Json> each, Runnable again) {
    return list(path, each, again, JsonReading.OF_NO_USE);
  }

  /// Reads the changes of a list until the API server ends the watch.
  ///
  /// @param each gets events, with their fields `type` and `object`
  public void watch(String path, String version, Duration longest, Consumer<Json> each) {
    String query =
        "%s%swatch=1&allowWatchBookmarks=true&resourceVersion=%s&timeoutSeconds=%d"
            .formatted(
                path,
                path.contains("?") ? "&" : "?",
                URLEncoder.encode(version, UTF_8),
                longest.toSeconds());
    run(
        List.of("get", "--raw", query),
        answer -> {
          JsonReading.documents(answer, each);
          return true;
        });
  }

  /// The same, with all fields of each item.
  public void listWhole(String path, Consumer<Json> each, Runnable again) {
    list(path, each, again, Set.of());
  }

  private String list(String path, Consumer<Json> each, Runnable again, Set<String> skipped) {
    String query = path + (path.contains("?") ? "&" : "?") + "limit=";
    try {
      JsonReading.Page page = page(query + FIRST_PAGE, each, skipped);
      while (!page.next().isEmpty()) {
        page =
            page(
                query + PAGE + "&continue=" + URLEncoder.encode(page.next(), UTF_8), each, skipped);
      }
      return page.version();
    } catch (RefusedException refused) {
      if (refused.kind() != Refusal.Kind.EXPIRED) {
        throw refused;
      }
      again.run();
      return page(query + 0, each, skipped).version();
    }
  }

  private JsonReading.Page page(String path, Consumer<Json> each, Set<String> skipped) {
    return run(List.of("get", "--raw", path), answer -> JsonReading.items(answer, each, skipped));
  }

  /// Text, such as a log or a page of metrics.
  ///
  /// @param most bytes that are kept
  public Excerpt text(String path, int most) {
    return run(List.of("get", "--raw", path), answer -> Excerpt.read(answer, most));
  }

  /// Text that is too long to keep, line by line.
  ///
  /// @param most bytes; more are refused
  public void lines(String path, long most, Consumer<String> each) {
    run(
        List.of("get", "--raw", path),
        answer -> {
          Lines.read(answer, most, each);
          return true;
        });
  }

  /// What a program in a container prints on its standard output, also where it ends with an error.
  ///
  /// @param most bytes that are kept
  public Excerpt exec(
      String namespace, String pod, String container, List<String> program, int most) {
    var arguments =
        new ArrayList<>(List.of("exec", "--namespace=" + namespace, pod, "-c", container, "--"));
    arguments.addAll(program);
    return run(arguments, answer -> Excerpt.read(answer, most));
  }

  /// What a program has printed.
  public record Said(String out, String err) {}

  /// Runs a program in a container. Where it ends with an error, the exception has its own words.
  ///
  /// @param workload such as `deployment/gpu-operator`
  public Said say(String namespace, String workload, String container, List<String> program) {
    var arguments =
        new ArrayList<>(
            List.of("exec", "--namespace=" + namespace, workload, "-c", container, "--"));
    arguments.addAll(program);
    var errors = new StringBuilder();
    String out =
        run(
            arguments,
            answer -> new String(answer.readAllBytes(), UTF_8),
            failed -> {
              errors.append(failed);
              return false;
            });
    return new Said(out, errors.toString());
  }

  /// Whether the user may do that, by the API server's own word (SelfSubjectAccessReview).
  ///
  /// @param namespace empty for what has none
  public boolean may(String verb, String resource, String namespace) {
    var arguments = new ArrayList<>(List.of("auth", "can-i", verb, resource));
    if (!namespace.isEmpty()) {
      arguments.add("--namespace=" + namespace);
    }
    return run(
            arguments,
            answer -> new String(answer.readAllBytes(), UTF_8),
            errors -> errors.lines().allMatch(it -> it.isBlank() || it.startsWith("Warning: ")))
        .strip()
        .startsWith("yes");
  }

  /// Changes fields of one object, by a JSON merge patch under the name of this plugin.
  ///
  /// @param object such as `nodes/gpu-1`
  /// @param dryRun the API server only looks whether it would
  public void patch(String object, String patch, boolean dryRun) {
    run(
        List.of(
            "patch",
            object,
            "--type=merge",
            "--patch=" + patch,
            "--field-manager=" + FIELD_MANAGER,
            "--dry-run=" + (dryRun ? "server" : "none"),
            "--output=json"),
        JsonReading::document);
  }

  /// A value of the kubeconfig in force, without a call of the API server; empty where there is
  /// none.
  public String config(String jsonPath) {
    return run(
        List.of("config", "view", "--minify", "-o", "jsonpath=" + jsonPath),
        answer -> new String(answer.readAllBytes(), UTF_8).strip());
  }

  private <T> T run(List<String> arguments, Reading<T> reading) {
    return run(arguments, reading, errors -> errors.contains(PROGRAM_FAILED));
  }

  /// @param isAnswer whether what was read counts although kubectl ended with an error, by what it
  ///   printed on standard error; asked at every end
  private <T> T run(List<String> arguments, Reading<T> reading, Predicate<String> isAnswer) {
    Process process = start(arguments);
    limit.ifPresent(it -> endAfter(process, it));
    @Nullable T answer = null;
    String unreadable = "";
    try (InputStream output = process.getInputStream()) {
      answer = reading.read(output);
      output.transferTo(OutputStream.nullOutputStream()); // else kubectl fails at its last write
    } catch (IOException broken) {
      unreadable = "the answer cannot be read: " + broken.getMessage();
    }
    String errors = errors(process);
    int code = exitCode(process);
    boolean counts = isAnswer.test(errors) || code == 0;
    if (answer != null && counts) {
      return answer;
    }
    throw new RefusedException(
        code == 0
            ? new Refusal(Refusal.Kind.FAILED, unreadable)
            : Refusal.of(errors, code, limit.map(it -> it.toSeconds() + " s").orElse("")));
  }

  private Process start(List<String> arguments) {
    var line = new ArrayList<String>();
    line.add(program);
    line.add(arguments.getFirst());
    line.addAll(flags);
    line.addAll(arguments.subList(1, arguments.size()));
    try {
      return new ProcessBuilder(line).redirectInput(NO_ANSWERS).start();
    } catch (IOException absent) {
      throw new RefusedException(
          new Refusal(
              Refusal.Kind.UNREACHABLE,
              "cannot run %s, by which this plugin reaches the cluster: install kubectl in a folder of PATH, or set KUBECTL to its path"
                  .formatted(program)));
    }
  }

  /// A credential plugin that hangs would keep the pipe open after kubectl has ended.
  private static void endAfter(Process process, Duration limit) {
    Thread.ofPlatform()
        .daemon()
        .start(() -> {
          try {
            if (!process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
              List<ProcessHandle> started = process.descendants().toList();
              process.destroyForcibly();
              started.forEach(ProcessHandle::destroyForcibly);
            }
          } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
          }
        });
  }

  private static String errors(Process process) {
    try (InputStream errors = process.getErrorStream()) {
      return new String(errors.readAllBytes(), UTF_8);
    } catch (IOException broken) {
      return "kubectl's error cannot be read: " + broken.getMessage();
    }
  }

  private static int exitCode(Process process) {
    try {
      return process.waitFor();
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      throw new RefusedException(new Refusal(Refusal.Kind.INTERRUPTED, ""));
    }
  }
}
