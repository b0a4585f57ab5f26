@NullMarked
package dev.pitcrew.agent.metrics.web;

import org.jspecify.annotations.NullMarked;
