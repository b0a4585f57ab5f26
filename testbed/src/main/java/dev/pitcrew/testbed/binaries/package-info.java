/// The programs that the test bed runs, each in exactly the version that `tools/` pins: found on
/// this machine, taken from the cache folder, built with Go, or downloaded, in this order.
///
/// Owns the cache folder's `binaries/` and everything under it. Never touches a program that it did
/// not put there, and never runs one except to ask for its version.
@NullMarked
package dev.pitcrew.testbed.binaries;

import org.jspecify.annotations.NullMarked;
