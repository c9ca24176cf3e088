import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Properties;
import java.util.TreeMap;

/**
 * Reads property files as Samza does (PropertiesConfigLoader): each line of the input is a file in hexadecimal, each line of the
 * output the same with what java.util.Properties reads: alternating keys and values, in hexadecimal UTF-16, or "error".
 */
class PropertyFiles {
  public static void main(String[] arguments) throws Exception {
    BufferedReader input = new BufferedReader(new InputStreamReader(System.in));
    for (String line = input.readLine(); line != null; line = input.readLine()) {
      System.out.println(line + "\t" + read(HexFormat.of().parseHex(line)));
    }
  }

  private static String read(byte[] file) throws Exception {
    Properties properties = new Properties();
    try {
      properties.load(new ByteArrayInputStream(file));
    } catch (IllegalArgumentException error) {
      return "error";
    }
    List<String> found = new ArrayList<>();
    new TreeMap<>(properties).forEach((key, value) -> {
      found.add(hex((String) key));
      found.add(hex((String) value));
    });
    return String.join(",", found);
  }

  private static String hex(String text) {
    StringBuilder hex = new StringBuilder();
    text.chars().forEach(unit -> hex.append(String.format("%04x", unit)));
    return hex.toString();
  }
}
