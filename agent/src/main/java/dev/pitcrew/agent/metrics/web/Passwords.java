package dev.pitcrew.agent.metrics.web;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import org.mindrot.jbcrypt.BCrypt;

/// Compares the passwords of requests with bcrypt hashes. That takes a tenth of a second of
/// processor time by design, so the digest of what was right is remembered.
final class Passwords {
  static final Pattern HASH = Pattern.compile("\\$2[aby]?\\$\\d\\d\\$[./A-Za-z0-9]{53}");

  private static final String SCHEME = "Basic ";
  private static final int MOST_REMEMBERED = 100;

  /// Of no password: who is not known takes as long as who has the wrong password.
  private static final String NOBODY =
      "$2a$10$abcdefghijklmnopqrstuuAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

  private final Set<String> right = ConcurrentHashMap.newKeySet();

  /// @param authorization the header of the request
  boolean areRight(Map<String, String> users, String authorization) {
    if (!authorization.regionMatches(true, 0, SCHEME, 0, SCHEME.length())) {
      return false;
    }
    String decoded;
    try {
      decoded =
          new String(
              Base64.getDecoder().decode(authorization.substring(SCHEME.length()).strip()),
              StandardCharsets.UTF_8);
    } catch (IllegalArgumentException _) {
      return false;
    }
    int colon = decoded.indexOf(':');
    return colon >= 0 && isRight(users, decoded.substring(0, colon), decoded.substring(colon + 1));
  }

  private boolean isRight(Map<String, String> users, String user, String password) {
    boolean isKnown = users.containsKey(user);
    String hash = users.getOrDefault(user, NOBODY);
    String digest = digest(user + "\0" + hash + "\0" + password);
    if (isKnown && right.contains(digest)) {
      return true;
    }
    // All of these revisions are the same for right implementations; the library knows one.
    boolean isRight = BCrypt.checkpw(password, "$2a$" + hash.substring(hash.indexOf('$', 1) + 1));
    if (isRight && isKnown) {
      if (right.size() >= MOST_REMEMBERED) {
        right.clear();
      }
      right.add(digest);
    }
    return isRight && isKnown;
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
