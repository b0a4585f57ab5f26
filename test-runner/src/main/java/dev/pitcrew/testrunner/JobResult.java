package dev.pitcrew.testrunner;

import java.time.Duration;

/// What came of a job.
///
/// @param cpu of the process of the job and of all its children
record JobResult(Job job, ClassResult tests, Duration wall, Duration cpu) {}
