import org.apache.samza.system.IncomingMessageEnvelope;
import org.apache.samza.task.MessageCollector;
import org.apache.samza.task.StreamTask;
import org.apache.samza.task.TaskCoordinator;

/** A task that does nothing with its messages, for containers that a test starts. */
public final class EmptyTask implements StreamTask {
  @Override
  public void process(IncomingMessageEnvelope message, MessageCollector collector, TaskCoordinator coordinator) {
    // its offsets are committed nevertheless
  }
}
