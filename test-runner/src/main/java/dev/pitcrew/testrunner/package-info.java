/// Runs the test classes of all modules in a few lanes, so that both cores are busy from the first
/// test to the last: Maven runs the tests of a module only after those of the modules that it is
/// built from.
///
/// 1. [RunTests] lists the test classes of each [TestModule] that Maven has built.
/// 2. [JobQueue] gives each lane the longest class that waits, of the module that the lane has
///    open.
/// 3. [Lane] runs one job after another; the classes of a module in a [TestProcess], which is a JVM
///    with the module's class path in which [TestWorker] runs JUnit.
/// 4. A class that fails runs once more, alone in a new JVM, and counts as failed all the same: the
///    second run only says whether the test is flaky.
/// 5. [Report] prints what failed, was skipped, was slow, and what each module cost.
///
/// Owns `target/test-logs` of each module. Never compiles anything.
@NullMarked
package dev.pitcrew.testrunner;

import org.jspecify.annotations.NullMarked;
