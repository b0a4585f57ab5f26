package dev.pitcrew.testbed.gpu;

/// A character device of the driver.
public record DeviceNode(String path, int major, int minor) {}
