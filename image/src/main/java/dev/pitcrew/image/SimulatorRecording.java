package dev.pitcrew.image;

import dev.pitcrew.testbed.binaries.CommandRun;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/// What the simulated library answers for each of its boards, as files of the bundle: a machine
/// with a real GPU is compared with it, and has no simulator.
///
/// @param simulator the folder of its library and of `nvml-sim`
/// @param bundle with its programs already
record SimulatorRecording(Path simulator, FileTree bundle) {
  // What fields and MIG profiles a library knows depends on its branch: the long-term one that is
  // the most recent which a real GPU was compared with.
  private static final String DRIVER = "580.159.04";
  private static final String CUDA = "13.0";

  void add() {
    for (var profile :
        run(List.of(simulator.resolve("nvml-sim").toString(), "profiles")).lines().toList()) {
      var name = profile.substring(0, profile.indexOf(' '));
      bundle.write(
          NodeBundle.RECORDINGS + name + ".tsv", answers(name).getBytes(StandardCharsets.UTF_8));
    }
  }

  private String answers(String profile) {
    try {
      var state = Files.createTempFile("simulated", profile);
      try {
        run(
            List.of(
                simulator.resolve("nvml-sim").toString(),
                "create",
                state.toString(),
                "--profile",
                profile,
                "--gpus",
                "1",
                "--driver",
                DRIVER,
                "--cuda",
                CUDA));
        return run(
            List.of(
                "env",
                "NVML_SIM_STATE=" + state,
                "LD_LIBRARY_PATH=" + simulator,
                bundle.at("/real-gpu-check").toString(),
                "--record"));
      } finally {
        Files.delete(state);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("record the simulated " + profile, e);
    }
  }

  private String run(List<String> command) {
    var run = CommandRun.of(command, simulator);
    if (!run.succeeded()) {
      throw new ImageException(
          "'%s' failed: %s".formatted(String.join(" ", command), run.lastLines()));
    }
    return run.output();
  }
}
