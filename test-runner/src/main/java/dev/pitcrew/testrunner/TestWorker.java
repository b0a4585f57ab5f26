package dev.pitcrew.testrunner;

import dev.pitcrew.testrunner.ClassResult.Note;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.Launcher;
import org.junit.platform.launcher.TagFilter;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/// Runs the test classes that the runner names, one after another, in one JUnit session, so that
/// they share what they keep in the session's store, such as a control plane.
public final class TestWorker {
  private static final Duration USUAL_WAIT = Duration.ofSeconds(60);

  private final List<String> excludedTags;

  private TestWorker(List<String> excludedTags) {
    this.excludedTags = excludedTags;
  }

  /// @param arguments the runner's socket, then the tags of tests that are left out
  public static void main(String[] arguments) throws IOException {
    lengthenWaits();
    var worker = new TestWorker(List.of(arguments).subList(1, arguments.length));
    try (var channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      channel.connect(UnixDomainSocketAddress.of(arguments[0]));
      worker.serve(
          new DataInputStream(Channels.newInputStream(channel)),
          new DataOutputStream(Channels.newOutputStream(channel)));
    }
    // Threads that tests have left do not keep the JVM.
    System.exit(0);
  }

  /// A wait without a limit of its own fails its test after ten seconds, which a busy machine may
  /// take to start a JVM. A module without Awaitility has no such waits.
  private static void lengthenWaits() {
    try {
      Class.forName("org.awaitility.Awaitility")
          .getMethod("setDefaultTimeout", Duration.class)
          .invoke(null, USUAL_WAIT);
    } catch (ClassNotFoundException _) {
      // Nothing waits.
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("the waits of the tests cannot be lengthened", e);
    }
  }

  private void serve(DataInputStream names, DataOutputStream results) throws IOException {
    try (var session = LauncherFactory.openSession()) {
      while (true) {
        run(session.getLauncher(), names.readUTF()).writeTo(results);
      }
    } catch (EOFException _) {
      // The runner has no more classes.
    }
  }

  private ClassResult run(Launcher launcher, String className) {
    var request =
        LauncherDiscoveryRequestBuilder.request()
            .selectors(DiscoverySelectors.selectClass(className));
    if (!excludedTags.isEmpty()) {
      request.filters(TagFilter.excludeTags(excludedTags));
    }
    var outcome = new Outcome();
    try {
      launcher.execute(request.build(), outcome);
    } catch (RuntimeException e) {
      return ClassResult.failed(className, stackTrace(e));
    }
    return outcome.result();
  }

  private static String stackTrace(Throwable failure) {
    var text = new StringWriter();
    failure.printStackTrace(new PrintWriter(text));
    return text.toString();
  }

  /// Collects what JUnit reports.
  private static final class Outcome implements TestExecutionListener {
    private final List<Note> failures = new ArrayList<>();
    private final List<Note> skips = new ArrayList<>();
    private int passed;

    synchronized ClassResult result() {
      return new ClassResult(passed, failures, skips);
    }

    @Override
    public synchronized void executionSkipped(TestIdentifier test, String reason) {
      skips.add(new Note(name(test), reason));
    }

    @Override
    public synchronized void executionFinished(TestIdentifier test, TestExecutionResult result) {
      switch (result.getStatus()) {
        case SUCCESSFUL -> passed += test.isTest() ? 1 : 0;
        case ABORTED -> skips.add(new Note(name(test), message(result)));
        case FAILED ->
            failures.add(
                new Note(name(test), result.getThrowable().map(TestWorker::stackTrace).orElse("")));
      }
    }

    private static String message(TestExecutionResult result) {
      return result
          .getThrowable()
          .flatMap(cause -> Optional.ofNullable(cause.getMessage()))
          .orElse("no reason given");
    }

    private static String name(TestIdentifier test) {
      var place =
          test.getSource()
              .map(source ->
                  switch (source) {
                    case MethodSource method ->
                        method.getClassName() + "." + method.getMethodName();
                    case ClassSource type -> type.getClassName();
                    default -> "";
                  })
              .orElse("");
      return place.endsWith("." + test.getDisplayName().replaceFirst("\\(.*", ""))
              || place.endsWith(test.getDisplayName())
          ? place
          : place + " [" + test.getDisplayName() + "]";
    }
  }
}
