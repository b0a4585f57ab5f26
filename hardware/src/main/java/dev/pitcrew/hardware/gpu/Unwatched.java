package dev.pitcrew.hardware.gpu;

import java.util.Optional;

/// A GPU whose events cannot be had.
///
/// @param uuid empty where not even that can be read
/// @param isSupported no where the GPU or the driver has no events, which is no fault
public record Unwatched(int index, Optional<String> uuid, boolean isSupported, String reason) {}
