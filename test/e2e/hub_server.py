"""A hub on the loopback: the routes with which huggingface_hub lists and downloads repositories, here folders."""
import hashlib
import http.server
import json
import re
import threading
import urllib.parse
from pathlib import Path

ROUTE = re.compile(r"/(?P<api>api/)?(?:(?P<kind>models|datasets)/)?(?P<name>[\w.-]+/[\w.-]+)"
                   r"(?:/(?P<what>revision|tree|resolve)/(?P<revision>[\w.-]+)(?:/(?P<path>.+))?)?")


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        hub, url = self.server, urllib.parse.urlparse(self.path)
        asked = ROUTE.fullmatch(urllib.parse.unquote(url.path))
        kind = asked and (asked["kind"] or "models")
        if not asked or (kind, asked["name"]) not in hub.repositories:
            return self.refuse(404, "RepoNotFound")
        folder = hub.repositories[kind, asked["name"]]
        if folder is None:
            return self.refuse(403, "GatedRepo")
        if asked["revision"] not in (None, "main", hub.revision):
            return self.refuse(404, "RevisionNotFound")
        files = [file for file in sorted(folder.rglob("*")) if file.is_file()]
        if asked["api"] and asked["what"] == "tree":
            return self.send([{"type": "file", "path": str(file.relative_to(folder)), "size": file.stat().st_size,
                               "oid": hashlib.sha1(file.read_bytes()).hexdigest()} for file in files])
        if asked["api"]:
            return self.send({"id": asked["name"], "sha": hub.revision, "private": False, "tags": [], "downloads": 0, "likes": 0,
                              "siblings": [{"rfilename": str(file.relative_to(folder))} for file in files]})
        file = folder / (asked["path"] or "")
        if asked["what"] != "resolve" or not file.is_file():
            return self.refuse(404, "EntryNotFound")
        if self.command == "GET":
            hub.sent.append(asked["path"])
        return self.send(file.read_bytes())

    do_HEAD = do_GET

    def send(self, body):
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(data)))
        self.send_header("X-Repo-Commit", self.server.revision)
        self.send_header("ETag", f'"{hashlib.sha1(data).hexdigest()}"')
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(data)

    def refuse(self, status, code):
        self.send_response(status)
        self.send_header("X-Error-Code", code)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


class Hub(http.server.ThreadingHTTPServer):
    """Serves {("models", "owner/name"): a folder, or None if it is gated}; `sent` has the files that were asked for."""
    revision = "0123456789abcdef0123456789abcdef01234567"

    def __init__(self, repositories):
        super().__init__(("127.0.0.1", 0), Handler)
        self.repositories = {key: folder and Path(folder) for key, folder in repositories.items()}
        self.sent = []
        self.thread = threading.Thread(target=self.serve_forever, daemon=True)
        self.thread.start()

    @property
    def address(self):
        return f"http://127.0.0.1:{self.server_port}"

    def close(self):
        self.shutdown()
        self.server_close()
        self.thread.join()
