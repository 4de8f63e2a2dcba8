"""Draws a dashboard of the chart: Grafana's own components (page.jsx) ask a Prometheus, and headless Chromium takes the picture."""
import functools
import http.server
import json
import os
import pathlib
import shutil
import subprocess
import threading
import urllib.parse

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
BUILT = ROOT / "build/pictures"  # packages and page
WIDTH, ROW, HEAD = 1400, 38, 54  # pixels, as in page.jsx


def build():
    """The page, with Grafana's fonts and icons where it looks for them."""
    BUILT.mkdir(parents=True, exist_ok=True)
    for name in ("package.json", "package-lock.json", "page.html", "page.jsx"):
        shutil.copy(HERE / name, BUILT)
    subprocess.run(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"], cwd=BUILT, check=True)
    subprocess.run(["node_modules/.bin/esbuild", "page.jsx", "--bundle", "--minify", "--format=esm", "--jsx=automatic", "--outfile=page.js",
                    '--define:process.env.NODE_ENV="production"', "--loader:.ttf=empty", "--log-level=warning"], cwd=BUILT, check=True)
    for place, what in (("build/img", "@grafana/ui/dist/public/img"), ("fonts/inter", "inter-ui/web")):
        shutil.copytree(BUILT / "node_modules" / what, BUILT / "public" / place, dirs_exist_ok=True)


def collapse(panels, title):
    """The same dashboard, once somebody has clicked on this row, the last one."""
    at = next(i for i, panel in enumerate(panels) if panel["type"] == "row" and panel["title"] == title)
    return [*panels[:at], {**panels[at], "collapsed": True, "panels": panels[at + 1:]}]


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def draw(name, prometheus, minutes, picture, collapsed=None):
    """docs/pictures/PICTURE of charts/lips/dashboards/NAME."""
    dashboard = json.loads((ROOT / "charts/lips/dashboards" / name).read_text())
    if collapsed:
        dashboard["panels"] = collapse(dashboard["panels"], collapsed)
    (BUILT / "dashboard.json").write_text(json.dumps(dashboard))
    height = HEAD + ROW * max(panel["gridPos"]["y"] + panel["gridPos"]["h"] for panel in dashboard["panels"])
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(BUILT)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    asked = urllib.parse.urlencode({"prometheus": prometheus, "minutes": minutes})
    file = str(ROOT / "docs/pictures" / picture)
    options = ["--no-sandbox"] if os.geteuid() == 0 else []  # Chromium refuses to run its sandbox as root
    subprocess.run(["chromium", *options, "--headless", "--disable-gpu", "--hide-scrollbars", f"--window-size={WIDTH},{height}",
                    "--virtual-time-budget=20000", f"--screenshot={file}", f"http://127.0.0.1:{server.server_port}/page.html?{asked}"],
                   check=True, stderr=subprocess.DEVNULL)
    server.shutdown()
    subprocess.run(["pngquant", "--force", "--ext", ".png", "64", file], check=True)
