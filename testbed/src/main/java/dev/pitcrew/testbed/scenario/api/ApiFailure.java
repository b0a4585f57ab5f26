package dev.pitcrew.testbed.scenario.api;

/// The API server cannot be reached or refuses what should be possible.
public final class ApiFailure extends RuntimeException {
  private static final int LONGEST_ANSWER = 300;

  ApiFailure(String method, String path, Exception cause) {
    super(method + " " + path + ": no answer from the API server", cause);
  }

  ApiFailure(String method, String path, int status, String answer) {
    super(method + " " + path + ": HTTP " + status + ": " + shortened(answer));
  }

  private static String shortened(String answer) {
    return answer.length() > LONGEST_ANSWER ? answer.substring(0, LONGEST_ANSWER) : answer;
  }
}
