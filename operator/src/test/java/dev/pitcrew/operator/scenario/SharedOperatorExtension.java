package dev.pitcrew.operator.scenario;

import java.io.IOException;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/// Keeps the operator of a [SharedOperator] class from test to test, as long as each test leaves
/// the cluster as it found it.
final class SharedOperatorExtension implements BeforeEachCallback, AfterEachCallback {
  private boolean isSpoiled;

  @Override
  public void beforeEach(ExtensionContext context) throws IOException, InterruptedException {
    var operator = operator(context);
    if (isSpoiled) {
      operator.leave();
      operator.renew();
      isSpoiled = false;
    }
    operator.begin();
  }

  @Override
  public void afterEach(ExtensionContext context) throws IOException, InterruptedException {
    isSpoiled = true;
    if (context.getExecutionException().isEmpty()) {
      operator(context).restore();
      isSpoiled = false;
    }
  }

  private static SharedOperator operator(ExtensionContext context) {
    return (SharedOperator) context.getRequiredTestInstance();
  }
}
