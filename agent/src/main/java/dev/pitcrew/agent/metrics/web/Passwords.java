package dev.pitcrew.agent.metrics.web;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.Collections;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.BiPredicate;
import java.util.regex.Pattern;
import org.mindrot.jbcrypt.BCrypt;

/// Compares the passwords of requests with bcrypt hashes.
///
/// bcrypt takes a tenth of a second of processor time by design, and it does not yield. So it runs
/// on one platform thread: virtual threads share as many carriers as there are processors, and on
/// those run the device plugin and the answers to the container runtime. The queue of that thread
/// is bounded, and the results are remembered.
final class Passwords {
  static final Pattern HASH = Pattern.compile("\\$2[aby]?\\$\\d\\d\\$[./A-Za-z0-9]{53}");

  /// How many comparisons wait for the thread: about a second's worth.
  static final int MOST_WAITING = 8;

  private static final String SCHEME = "Basic ";
  private static final int MOST_RIGHT = 100;
  private static final int MOST_WRONG = 1000;
  private static final int IDLE_SECONDS = 10;

  private final BiPredicate<String, String> matches;

  // Two sets, so that wrong passwords push no right one out.
  private final Set<String> right = digests(MOST_RIGHT);
  private final Set<String> wrong = digests(MOST_WRONG);
  private final ThreadPoolExecutor thread;

  /// What is said about the password of a request.
  enum Verdict {
    RIGHT,
    WRONG,
    /// Not compared, since too many comparisons wait.
    BUSY
  }

  Passwords() {
    // All of these revisions are the same for right implementations; the library knows one.
    this((password, hash) ->
        BCrypt.checkpw(password, "$2a$" + hash.substring(hash.indexOf('$', 1) + 1)));
  }

  /// @param matches whether a password, the first, has the hash
  Passwords(BiPredicate<String, String> matches) {
    this.matches = matches;
    thread =
        new ThreadPoolExecutor(
            1,
            1,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(MOST_WAITING),
            Thread.ofPlatform().name("passwords").daemon().factory());
    thread.allowCoreThreadTimeOut(true);
  }

  /// @param users hashes by name; at least one
  /// @param authorization the header of the request
  Verdict check(Map<String, String> users, String authorization) {
    if (!authorization.regionMatches(true, 0, SCHEME, 0, SCHEME.length())) {
      return Verdict.WRONG;
    }
    String decoded;
    try {
      decoded =
          new String(
              Base64.getDecoder().decode(authorization.substring(SCHEME.length()).strip()),
              StandardCharsets.UTF_8);
    } catch (IllegalArgumentException _) {
      return Verdict.WRONG;
    }
    int colon = decoded.indexOf(':');
    return colon < 0
        ? Verdict.WRONG
        : check(users, decoded.substring(0, colon), decoded.substring(colon + 1));
  }

  private Verdict check(Map<String, String> users, String user, String password) {
    boolean isKnown = users.containsKey(user);
    String digest = digest(user + "\0" + users.getOrDefault(user, "") + "\0" + password);
    Optional<Verdict> remembered = remembered(digest);
    if (remembered.isPresent()) {
      return remembered.get();
    }
    // An unknown user takes as long as a known one, whose hash has the cost of the file.
    String hash = users.getOrDefault(user, users.values().iterator().next());
    try {
      return thread.submit(() -> compare(digest, password, hash, isKnown)).get();
    } catch (RejectedExecutionException _) {
      return Verdict.BUSY;
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      return Verdict.BUSY;
    } catch (ExecutionException e) {
      throw new IllegalStateException("comparing a password", e.getCause());
    }
  }

  private Verdict compare(String digest, String password, String hash, boolean isKnown) {
    // The same password may have been compared while this one waited.
    return remembered(digest)
        .orElseGet(() -> {
          boolean isRight = matches.test(password, hash) && isKnown;
          (isRight ? right : wrong).add(digest);
          return isRight ? Verdict.RIGHT : Verdict.WRONG;
        });
  }

  private Optional<Verdict> remembered(String digest) {
    if (right.contains(digest)) {
      return Optional.of(Verdict.RIGHT);
    }
    return wrong.contains(digest) ? Optional.of(Verdict.WRONG) : Optional.empty();
  }

  /// The newest digests, and no more than `most`.
  private static Set<String> digests(int most) {
    return Collections.synchronizedSet(
        Collections.newSetFromMap(
            new LinkedHashMap<>() {
              @Override
              protected boolean removeEldestEntry(Map.Entry<String, Boolean> eldest) {
                return size() > most;
              }
            }));
  }

  private static String digest(String text) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(digest);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }
}
