package org.apache.samza.startpoint;

import java.util.HashMap;
import java.util.Map;

/** Startpoints with a time of creation of the caller's choice, which Samza makes only where it reads them. */
public final class TimedStartpoints {
  private TimedStartpoints() {
  }

  /** A startpoint of a class, with the member that this class has, if any. */
  public static Startpoint of(String type, long created, String member, Object value) {
    Map<String, Object> fields = new HashMap<>(Map.of("@type", type, "creationTimestamp", created));
    if (member != null) {
      fields.put(member, value);
    }
    return StartpointObjectMapper.getObjectMapper().convertValue(fields, Startpoint.class);
  }
}
