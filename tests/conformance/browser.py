"""A headless Chromium, driven by the WebDriver protocol over plain HTTP."""

import json
import os
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.request

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
DRIVER = shutil.which("chromedriver")
KEYS = {"Enter": "\ue007", "Tab": "\ue004", "Escape": "\ue00c"}


class Browser:
    """One browser window without a network; a context manager."""

    def __enter__(self):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self._address = f"http://127.0.0.1:{port}"
        # What the browser leaves behind goes with this directory.
        self._directory = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self._driver = subprocess.Popen(
            [DRIVER, f"--port={port}"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "TMPDIR": self._directory.name},
        )
        self._wait_for_driver()
        options = {
            "binary": CHROMIUM,
            "args": [
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
            ],
        }
        wanted = {"alwaysMatch": {"goog:chromeOptions": options}}
        session = self._call("POST", "/session", {"capabilities": wanted})
        self._session = f"/session/{session['sessionId']}"
        return self

    def __exit__(self, *error):
        try:
            self._call("DELETE", self._session)
        finally:
            self._driver.terminate()
            self._driver.wait(30)
            self._directory.cleanup()

    def _wait_for_driver(self):
        deadline = time.monotonic() + 60
        while True:
            try:
                self._call("GET", "/status")
                return
            except OSError:
                if time.monotonic() > deadline or self._driver.poll() is not None:
                    raise
                time.sleep(0.1)

    def _call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            self._address + path, data, {"Content-Type": "application/json"}
        )
        request.method = method
        with urllib.request.urlopen(request, timeout=120) as answer:
            return json.load(answer)["value"]

    def open(self, url):
        """Open a page and wait until it takes keys."""
        self._call("POST", self._session + "/url", {"url": url})
        deadline = time.monotonic() + 60
        ready = "return document.readyState === 'complete' && document.hasFocus()"
        while not self.run(ready) and time.monotonic() < deadline:
            time.sleep(0.1)

    def run(self, script):
        """Return what the body of a JavaScript function returns."""
        body = {"script": script, "args": []}
        return self._call("POST", self._session + "/execute/sync", body)

    def press(self, *keys):
        """Press keys, one after the other, wherever the focus is."""
        actions = []
        for key in keys:
            value = KEYS.get(key, key)
            actions += [
                {"type": "keyDown", "value": value},
                {"type": "keyUp", "value": value},
            ]
        keyboard = {"type": "key", "id": "keyboard", "actions": actions}
        self._call("POST", self._session + "/actions", {"actions": [keyboard]})
