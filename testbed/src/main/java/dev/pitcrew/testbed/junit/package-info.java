/// JUnit glue: one control plane for all tests of a run, injected as a parameter, and clean-up of
/// what each test leaves in the cluster.
///
/// Owns the shared control plane of the test run and the namespaces that tests ask for. Never
/// touches what was in the cluster before a test began.
@NullMarked
package dev.pitcrew.testbed.junit;

import org.jspecify.annotations.NullMarked;
