/// The project's demo: a user's way from an empty cluster to operands on every GPU node and a new
/// driver, step by step on a real control plane, with each fact read from the cluster.
///
/// Owns the steps, what they check and how they are printed. Never asserts what it did not read
/// back, never touches a cluster that it did not start, and leaves no process and no file behind.
@NullMarked
package dev.pitcrew.testbed.demo;

import org.jspecify.annotations.NullMarked;
