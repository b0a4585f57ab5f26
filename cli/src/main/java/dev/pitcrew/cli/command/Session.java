package dev.pitcrew.cli.command;

import java.io.PrintStream;
import java.time.InstantSource;
import java.util.Map;

/// What a run of the plugin has around it.
record Session(
    Map<String, String> environment, PrintStream out, PrintStream err, InstantSource clock) {}
