"""The pages in Chromium: `make test-pages`. Screenshots are kept in build/pages."""

import json
from base64 import b64decode
from typing import Any, Final

import pytest
from selenium.webdriver import Chrome
from selenium.webdriver.common.by import By

from tests.checkout import CHECKOUT
from tests.fixtures.coordstream.serve.site import Site

pytestmark = pytest.mark.browser

JOB: Final = "wordcount_pv/1"
SCREENSHOTS: Final = CHECKOUT / "build" / "pages"
WIDTHS: Final = (1280, 400)
TALLEST: Final = 4_000
LEAST_CONTRAST: Final = 4.5
"""WCAG 2.1, level AA, for normal text."""

_LOW_CONTRAST: Final = """
const least = arguments[0];
const parsed = text => text.match(/[\\d.]+/g).map(Number);
const luminance = color => {
  const [r, g, b] = color.slice(0, 3).map(c => c / 255).map(c => c <= .03928 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4);
  return .2126 * r + .7152 * g + .0722 * b;
};
const background = element => {
  for (let each = element; each; each = each.parentElement) {
    const color = parsed(getComputedStyle(each).backgroundColor);
    if (color.length === 3 || color[3] > 0) return color;
  }
  return [255, 255, 255];
};
return [...document.body.querySelectorAll('*')]
  .filter(element => [...element.childNodes].some(node => node.nodeType === 3 && node.textContent.trim()))
  .filter(element => element.checkVisibility())
  .map(element => {
    const colors = [parsed(getComputedStyle(element).color), background(element)];
    const [light, dark] = colors.map(luminance).sort((a, b) => b - a);
    return [(light + .05) / (dark + .05), element.tagName, element.className, element.textContent.trim().slice(0, 40)];
  })
  .filter(([ratio]) => ratio < least);
"""


def look(browser: Chrome, name: str) -> None:
    """Keep screenshots of a page in both widths and themes, and check that it fits and can be read."""
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    for theme in ("light", "dark"):
        feature = {"name": "prefers-color-scheme", "value": theme}
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})
        for width in WIDTHS:
            size = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": False}
            browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
            root = "document.documentElement"
            assert browser.execute_script(f"return {root}.scrollWidth") <= width, f"{name} is wider than {width} px"
            assert browser.execute_script(_LOW_CONTRAST, LEAST_CONTRAST) == [], f"{name}, {theme}"
            height = min(browser.execute_script(f"return {root}.scrollHeight"), TALLEST)
            clip = {"x": 0, "y": 0, "width": width, "height": height, "scale": 1}
            shot = browser.execute_cdp_cmd("Page.captureScreenshot", {"captureBeyondViewport": True, "clip": clip})
            (SCREENSHOTS / f"{name}-{width}-{theme}.png").write_bytes(b64decode(shot["data"]))
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def requested_hosts(browser: Chrome) -> set[str]:
    """The addresses of everything that was requested, up to the host, without the browser's own first page."""
    messages = [json.loads(entry["message"])["message"] for entry in logged(browser, "performance")]
    sent = [message for message in messages if message["method"] == "Network.requestWillBeSent"]
    addresses = ("/".join(message["params"]["request"]["url"].split("/")[:3]) for message in sent)
    return {address for address in addresses if not address.startswith(("chrome:", "data:"))}


def logged(browser: Chrome, kind: str) -> list[dict[str, Any]]:
    entries: list[dict[str, Any]] = browser.get_log(kind)  # type: ignore[no-untyped-call]
    return entries


def plot_heights(browser: Chrome) -> list[float]:
    """How high each line of a plot is drawn, in pixels."""
    lines = browser.find_elements(By.CSS_SELECTOR, ".offsets polyline")
    return [browser.execute_script("return arguments[0].getBoundingClientRect().height", line) for line in lines]


def test_from_the_fleet_to_a_task_as_of_a_time(recorded_site: Site, browser: Chrome) -> None:
    address = f"http://127.0.0.1:{recorded_site.served.port}"
    browser.get(address)
    look(browser, "fleet")
    browser.find_element(By.LINK_TEXT, "wordcount_pv").click()
    look(browser, "job")
    browser.find_element(By.LINK_TEXT, "Partition 3").click()
    assert browser.find_element(By.TAG_NAME, "h1").text == "Partition 3"
    assert max(plot_heights(browser)) > 50
    look(browser, "task")
    box = browser.find_element(By.NAME, "as_of")
    box.send_keys("2026-11-21 09:16:59")
    box.submit()
    assert "As of 2026-11-21 09:16:59 UTC." in browser.find_element(By.CLASS_NAME, "then").text
    assert browser.find_element(By.TAG_NAME, "h1").text == "Partition 3"
    assert plot_heights(browser)
    look(browser, "task-then")
    browser.find_element(By.LINK_TEXT, "Fleet").click()
    look(browser, "fleet-then")
    browser.find_element(By.LINK_TEXT, "Show the current state").click()
    assert not browser.find_elements(By.CLASS_NAME, "then")
    assert logged(browser, "browser") == []
    assert requested_hosts(browser) == {address}


def test_every_other_page_fits_and_can_be_read(recorded_site: Site, browser: Chrome) -> None:
    address = f"http://127.0.0.1:{recorded_site.served.port}"
    for name, path in {
        "config": f"/job/config?job={JOB}&from=2026-11-21T09:17Z",
        "deployments": f"/job/deployments?job={JOB}",
        "startpoints": f"/job/startpoints?job={JOB}",
        "anomalies": f"/job/anomalies?job={JOB}",
        "quarantine": "/quarantine",
    }.items():
        browser.get(f"{address}{path}")
        look(browser, name)
    assert logged(browser, "browser") == []
    assert requested_hosts(browser) == {address}


def test_an_error_is_a_page(recorded_site: Site, browser: Chrome) -> None:
    browser.get(f"http://127.0.0.1:{recorded_site.served.port}/job?job=wordcont_pv")
    assert 'Did you mean "wordcount_pv"?' in browser.find_element(By.CSS_SELECTOR, "[role=alert]").text
    look(browser, "error")
