#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""A headless Chromium, by chromedriver (W3C WebDriver), for tests/page*.sim.

    browser.py begin DIRECTORY            starts both; what they keep is in DIRECTORY
    browser.py DIRECTORY open URL         loads a page
    browser.py DIRECTORY is SCRIPT        until the JavaScript expression is true; else says its last value
    browser.py DIRECTORY tell SCRIPT      prints what the expression is
    browser.py DIRECTORY press KEY COUNT  keys of the keyboard: Tab, Enter, ArrowRight, ArrowDown
    browser.py DIRECTORY size WIDTH HEIGHT
    browser.py DIRECTORY quiet ORIGIN     no message on the console, no request to anywhere but ORIGIN
    browser.py DIRECTORY shoot FILE.png
    browser.py DIRECTORY paper FILE.pdf   as printed
    browser.py DIRECTORY end
"""
import base64
import json
import os
import subprocess
import sys
import time
import urllib.error
import urllib.request

DEADLINE_S = 60
KEYS = {"Tab": "\ue004", "Enter": "\ue007", "ArrowRight": "\ue014", "ArrowDown": "\ue015"}


def ask(state, method, path, body=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(f"http://127.0.0.1:{state['port']}{path}", data, method=method,
                                     headers={"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=DEADLINE_S) as answer:
            return json.load(answer)["value"]
    except urllib.error.HTTPError as error:
        sys.exit("chromedriver: " + json.load(error)["value"]["message"][:500])


def begin(directory):
    driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                              cwd=directory)
    words = next((line for line in driver.stdout if "successfully on port" in line), "on port 0.")
    state = {"port": int(words.rsplit("on port", 1)[1].strip(" .\n")), "pid": driver.pid}
    options = {"args": ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                        "--disable-background-networking", "--no-first-run", f"--user-data-dir={directory}/profile",
                        *os.environ.get("BROWSER_ARGS", "").split()]}
    session = ask(state, "POST", "/session", {"capabilities": {"alwaysMatch": {
        "browserName": "chrome", "goog:chromeOptions": options,
        "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"}}}})
    state["session"] = session["sessionId"]
    with open(f"{directory}/state", "w", encoding="utf-8") as f:
        json.dump(state, f)


class Browser:
    def __init__(self, directory):
        with open(f"{directory}/state", encoding="utf-8") as f:
            self.state = json.load(f)
        self.path = f"/session/{self.state['session']}"

    def ask(self, method, path, body=None):
        return ask(self.state, method, self.path + path, body)

    def open(self, url):
        # What was before is not of this page.
        for kind in ("browser", "performance"):
            self.ask("POST", "/se/log", {"type": kind})
        self.ask("POST", "/url", {"url": url})

    def value(self, script):
        return self.ask("POST", "/execute/sync", {"script": f"return ({script})", "args": []})

    def tell(self, script):
        value = self.value(script)
        print(value if isinstance(value, str) else json.dumps(value))

    def is_(self, script):
        end = time.monotonic() + DEADLINE_S
        # What it asks of an element that is not there yet is not true yet.
        script = f"(() => {{ try {{ return {script}; }} catch (error) {{ return String(error); }} }})()"
        while (value := self.value(script)) is not True:
            if time.monotonic() > end:
                sys.exit(f"still {json.dumps(value)}: {script}")
            time.sleep(0.05)

    def press(self, key, count="1"):
        keys = [{"type": kind, "value": KEYS[key]} for kind in ("keyDown", "keyUp")] * int(count)
        self.ask("POST", "/actions", {"actions": [{"type": "key", "id": "keyboard", "actions": keys}]})

    def size(self, width, height):
        self.ask("POST", "/goog/cdp/execute", {"cmd": "Emulation.setDeviceMetricsOverride", "params": {
            "width": int(width), "height": int(height), "deviceScaleFactor": 1, "mobile": int(width) < 600}})

    def scheme(self, name):
        self.ask("POST", "/goog/cdp/execute", {"cmd": "Emulation.setEmulatedMedia", "params": {
            "features": [{"name": "prefers-color-scheme", "value": name}]}})

    def quiet(self, origin):
        wrong = [entry["message"] for entry in self.ask("POST", "/se/log", {"type": "browser"})]
        for entry in self.ask("POST", "/se/log", {"type": "performance"}):
            message = json.loads(entry["message"])["message"]
            url = message["params"].get("request", {}).get("url", "")
            if message["method"] == "Network.requestWillBeSent" and not url.startswith((origin + "/", "data:")):
                wrong.append("asks for " + url)
        if wrong:
            sys.exit("\n".join(wrong))

    def shoot(self, path):
        with open(path, "wb") as f:
            f.write(base64.b64decode(self.ask("GET", "/screenshot")))

    def paper(self, path):
        with open(path, "wb") as f:
            f.write(base64.b64decode(self.ask("POST", "/print", {})))

    def end(self):
        self.ask("DELETE", "")
        os.kill(self.state["pid"], 15)


if __name__ == "__main__":
    if sys.argv[1] == "begin":
        begin(sys.argv[2])
    else:
        getattr(Browser(sys.argv[1]), {"is": "is_"}.get(sys.argv[2], sys.argv[2]))(*sys.argv[3:])
