@NullMarked
package dev.pitcrew.agent.mig.config;

import org.jspecify.annotations.NullMarked;
