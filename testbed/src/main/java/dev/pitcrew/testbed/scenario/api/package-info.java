/// A thin view of the API server as raw JSON: exactly what it stores, with no typed model between
/// that could drop or default a field.
///
/// Owns requests, their errors and the choice of transport. Knows no kinds and no scenarios.
@NullMarked
package dev.pitcrew.testbed.scenario.api;

import org.jspecify.annotations.NullMarked;
