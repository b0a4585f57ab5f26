/// The scenario player: plays recorded situations against a running control plane and an operator,
/// and compares the facts that result with the expected ones.
///
/// Owns the command, its options and its report. How facts are recorded, compared and how a
/// scenario is played is in the packages `facts`, `compare` and `play`; `api` talks to the API
/// server. Starts no control plane: the caller gives a kubeconfig.
@NullMarked
package dev.pitcrew.testbed.scenario;

import org.jspecify.annotations.NullMarked;
