"""Headless Chromium, driven over a pipe by its DevTools protocol: no packages, no network."""

import base64
import json
import os
import subprocess
import tempfile


class Browser:
    def __init__(self, program="chromium"):
        self.folder = tempfile.TemporaryDirectory()
        to_read, self.to_browser = os.pipe()
        self.from_browser, to_write = os.pipe()

        def descriptors():  # the browser reads commands from 3 and writes to 4
            os.dup2(to_read, 103)
            os.dup2(to_write, 104)
            os.dup2(103, 3)
            os.dup2(104, 4)

        self.process = subprocess.Popen(
            [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--hide-scrollbars",
             "--disable-background-networking", "--disable-extensions", "--disable-component-update", "--remote-debugging-pipe",
             "--user-data-dir=" + self.folder.name, "about:blank"],
            preexec_fn=descriptors, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(to_write)
        self.rest, self.number, self.events = b"", 0, []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = None
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in "Page", "Runtime", "Log", "Network":
            self.call(domain + ".enable")

    def receive(self):
        while b"\0" not in self.rest:
            got = os.read(self.from_browser, 1 << 20)
            if not got:
                raise EOFError("the browser is gone")
            self.rest += got
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if getattr(self, "session", None):
            message["sessionId"] = self.session
        os.write(self.to_browser, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(method + ": " + answer["error"]["message"])
                return answer["result"]
            self.events.append(answer)

    def wait(self, event):
        while not any(one.get("method") == event for one in self.events):
            self.events.append(self.receive())

    def open(self, url):
        self.events.clear()
        self.call("Page.navigate", url=url)
        self.wait("Page.loadEventFired")

    def run(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(json.dumps(result["exceptionDetails"])[:2000])
        return result["result"].get("value")

    def size(self, width, height=900):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def colours(self, scheme, media=""):
        self.call("Emulation.setEmulatedMedia", media=media, features=[{"name": "prefers-color-scheme", "value": scheme}])

    def point(self, x, y, kind="mouseMoved", **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def picture(self, path, **clip):
        """Of what is in the window, or of a part of the page: x, y, width, height."""
        data = self.call("Page.captureScreenshot", **({"clip": dict(clip, scale=1), "captureBeyondViewport": True} if clip else {}))["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

    def complaints(self):
        """What a console would show as wrong, and whatever was asked of a network."""
        found = []
        for event in self.events:
            parameters = event.get("params", {})
            if event.get("method") == "Runtime.exceptionThrown":
                found.append("exception: " + json.dumps(parameters)[:500])
            elif event.get("method") == "Runtime.consoleAPICalled" and parameters["type"] in ("error", "warning", "assert"):
                found.append("console: " + json.dumps(parameters["args"])[:500])
            elif event.get("method") == "Log.entryAdded" and parameters["entry"]["level"] in ("error", "warning"):
                found.append("log: " + parameters["entry"]["text"])
            elif event.get("method") == "Network.requestWillBeSent" and not parameters["request"]["url"].startswith("file:"):
                found.append("request: " + parameters["request"]["url"])
        return found

    def close(self):
        try:
            self.call("Browser.close")
        except (EOFError, OSError):
            pass
        self.process.wait(20)
        os.close(self.to_browser)
        os.close(self.from_browser)
        self.folder.cleanup()
