package dev.pitcrew.core.web;

import java.util.Optional;
import java.util.function.Supplier;

/// One thing that must hold before the process is ready.
///
/// @param name a short noun, such as `caches`
/// @param problem what is missing, in plain words; empty when ready. Asked for each probe, so it
///   must not block
public record ReadinessCheck(String name, Supplier<Optional<String>> problem) {}
