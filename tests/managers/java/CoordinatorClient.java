import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.samza.container.ContainerHeartbeatClient;
import org.apache.samza.container.SamzaContainer;
import org.apache.samza.job.model.JobModel;
import org.apache.samza.job.model.LocalityModel;
import org.apache.samza.job.model.ProcessorLocality;
import org.apache.samza.serializers.model.SamzaObjectMapper;
import org.apache.samza.util.ExponentialSleepStrategy;
import org.apache.samza.util.HttpUtil;

/** Reads what a job coordinator serves as Samza's containers do, from the {@code url} of a line. */
public final class CoordinatorClient {
  private static final ObjectMapper JSON = SamzaObjectMapper.getObjectMapper();

  public static void main(String[] arguments) throws IOException {
    JsonLines lines = new JsonLines();
    lines.config();
    lines.answer(CoordinatorClient::answer);
  }

  private static Object answer(JsonNode line) throws IOException {
    switch (line.get("call").textValue()) {
      case "job model":
        JobModel model = SamzaContainer.readJobModel(line.get("url").textValue(), 1);
        return List.of(new String(JSON.writeValueAsBytes(model), StandardCharsets.UTF_8), Map.copyOf(model.getConfig()));
      case "text":
        return HttpUtil.read(new URL(line.get("url").textValue()), 60000, new ExponentialSleepStrategy(2, 1, 1000));
      case "heartbeat":
        return new ContainerHeartbeatClient(line.get("url").textValue(), "container_1").requestHeartbeat().isAlive();
      case "localities":
        return JSON.writeValueAsString(new LocalityModel(localities(line.get("hosts"))));
      default:
        throw new IllegalArgumentException(line.toString());
    }
  }

  private static Map<String, ProcessorLocality> localities(JsonNode hosts) {
    Map<String, ProcessorLocality> found = new HashMap<>();
    JsonLines.texts(hosts).forEach((id, host) -> found.put(id, new ProcessorLocality(id, host)));
    return found;
  }
}
