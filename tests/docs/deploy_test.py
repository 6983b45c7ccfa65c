"""The files of docs/deploy must be valid, fit together, and name flags, routes and metrics that exist."""

import json
import re
import subprocess
import unittest

import yaml

from command_runner import BUILD
from doc_pages import ROOT

DEPLOY = ROOT / "docs/deploy"
# The name of a metric in a query. A histogram has three series.
METRIC = re.compile(r"\b(?:tandem|process)_[a-z_]+?(?=(?:_bucket|_sum|_count)?\b(?!_))")
FAREWELL = 10  # seconds in which WebSockets close after --drain


def documents(name):
    return [d for d in yaml.safe_load_all((DEPLOY / name).read_text()) if d]


def documented_metrics():
    page = (ROOT / "docs/metrics.md").read_text()
    rows = [line.split("|")[1] for line in page.splitlines() if re.match(r"\| `(tandem|process)_", line)]
    return {name for row in rows for name in re.findall(r"`((?:tandem|process)_\w+)`", row)}


def seconds(text):
    return int(re.fullmatch(r"(\d+)s", text)[1])


def value_of(flag, arguments):
    return next(a.partition("=")[2] for a in arguments if a.startswith(flag + "="))


class Containers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.compose = documents("compose.yaml")[0]["services"]
        cls.manifests = [d for path in sorted((DEPLOY / "kubernetes").glob("*.yaml"))
                         for d in documents(f"kubernetes/{path.name}")]
        help_text = subprocess.run([BUILD / "tools/tandem", "serve", "--help=all"], capture_output=True, text=True, check=True)
        cls.flags = set(re.findall(r"--[a-z-]+", help_text.stdout))

    def manifest(self, kind, name):
        return next(d for d in self.manifests if (d["kind"], d.get("metadata", {}).get("name")) == (kind, name))

    def gateway_pod(self):
        return self.manifest("Deployment", "tandem")["spec"]["template"]["spec"]

    def test_all_yaml_is_tidy(self):
        done = subprocess.run(["yamllint", "-s", "."], cwd=DEPLOY, capture_output=True, text=True, check=False)
        self.assertEqual("", done.stdout + done.stderr)

    def test_haproxy_accepts_its_configuration(self):
        done = subprocess.run(["/usr/sbin/haproxy", "-c", "-f", DEPLOY / "haproxy.cfg"], capture_output=True, text=True, check=False)
        self.assertEqual(0, done.returncode, done.stdout + done.stderr)

    def test_haproxy_asks_the_compose_service_whether_it_is_ready(self):
        text = (DEPLOY / "haproxy.cfg").read_text()
        name, port = re.search(r"server-template \S+ \d+ (\w+):(\d+)", text).groups()
        self.assertIn(name, self.compose)
        self.assertEqual(value_of("--listen", self.compose[name]["command"]), f"0.0.0.0:{port}")
        self.assertIn("uri /readyz", text)

    def test_the_image_has_two_stages_no_root_and_a_health_check(self):
        text = (DEPLOY / "Containerfile").read_text()
        self.assertEqual(["debian:12", "debian:12-slim"], re.findall(r"^FROM (\S+)", text, re.M))
        self.assertRegex(text, r"(?m)^USER [1-9]\d*:[1-9]\d*$")
        self.assertRegex(text, r"HEALTHCHECK[^#]*/livez")
        for source in re.findall(r"^COPY (?!--)(\S+)", text, re.M):
            self.assertTrue((ROOT / source).exists(), source)

    def test_compose_names_files_that_exist(self):
        build = self.compose["gateway"]["build"]
        self.assertTrue((DEPLOY / build["context"] / build["dockerfile"]).exists())
        self.assertTrue((DEPLOY / self.compose["balancer"]["volumes"][0].split(":")[0]).exists())

    def test_each_flag_of_a_gateway_exists(self):
        for arguments in (self.compose["gateway"]["command"], self.gateway_pod()["containers"][0]["args"]):
            self.assertEqual("serve", arguments[0])
            for argument in arguments[1:]:
                self.assertIn(argument.partition("=")[0], self.flags)

    def test_gateways_find_servers_and_store_by_their_names(self):
        hosts = re.compile(r"//(\w+):(\d+)")
        arguments = self.compose["gateway"]["command"]
        for flag in ("--url", "--cluster"):
            self.assertIn(hosts.search(value_of(flag, arguments))[1], self.compose)
            name, port = hosts.search(value_of(flag, self.gateway_pod()["containers"][0]["args"])).groups()
            service = self.manifest("Service", name)["spec"]
            self.assertIn(int(port), [p["port"] for p in service["ports"]])
        # The addresses of the name are those of the servers.
        self.assertEqual("None", self.manifest("Service", "llama")["spec"]["clusterIP"])

    def test_a_gateway_has_time_to_drain(self):
        pod = self.gateway_pod()
        container = pod["containers"][0]
        pause = int(container["lifecycle"]["preStop"]["exec"]["command"][1])
        drain = seconds(value_of("--drain", container["args"]))
        self.assertEqual(60, pod["terminationGracePeriodSeconds"])
        self.assertLessEqual(pause + drain + FAREWELL, pod["terminationGracePeriodSeconds"])
        gateway = self.compose["gateway"]
        self.assertLessEqual(seconds(value_of("--drain", gateway["command"])) + FAREWELL, seconds(gateway["stop_grace_period"]))

    def test_probes_ask_what_they_should(self):
        container = self.gateway_pod()["containers"][0]
        self.assertEqual("/livez", container["livenessProbe"]["httpGet"]["path"])
        self.assertEqual("/readyz", container["readinessProbe"]["httpGet"]["path"])

    def test_selectors_match_pods(self):
        labels = [d["spec"]["template"]["metadata"]["labels"] for d in self.manifests if "template" in d.get("spec", {})]
        for d in self.manifests:
            selector = d.get("spec", {}).get("selector")
            if selector:
                self.assertIn(selector.get("matchLabels", selector), labels, d["metadata"]["name"])
        for name in ("tandem", "llama"):
            self.assertEqual(1, self.manifest("PodDisruptionBudget", name)["spec"]["maxUnavailable"])

    def test_the_kustomization_has_all_manifests(self):
        named = documents("kubernetes/kustomization.yaml")[0]["resources"]
        self.assertEqual({p.name for p in (DEPLOY / "kubernetes").glob("*.yaml")} - {"kustomization.yaml"}, set(named))

    def test_scaling_follows_queue_and_load(self):
        scaled = self.manifest("ScaledObject", "llama")["spec"]
        self.manifest(scaled["scaleTargetRef"]["kind"], scaled["scaleTargetRef"]["name"])
        queries = {name for t in scaled["triggers"] for name in METRIC.findall(t["metadata"]["query"])}
        self.assertLessEqual(queries, documented_metrics())
        self.assertLessEqual({"tandem_server_queue_depth", "tandem_speech_load"}, queries)


class Dashboard(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.dashboard = json.loads((DEPLOY / "grafana.json").read_text())
        cls.panels = [p for p in cls.dashboard["panels"] if p["type"] != "row"]
        cls.queries = [t["expr"] for p in cls.panels for t in p["targets"]]

    def test_shows_each_metric_and_no_other(self):
        self.assertEqual(documented_metrics(), {name for q in self.queries for name in METRIC.findall(q)})

    def test_has_panels_that_do_not_overlap(self):
        self.assertEqual(len(self.panels), len({p["title"] for p in self.panels}))
        cells = [(x, y) for p in self.dashboard["panels"] for g in [p["gridPos"]]
                 for x in range(g["x"], g["x"] + g["w"]) for y in range(g["y"], g["y"] + g["h"])]
        self.assertEqual(len(cells), len(set(cells)))

    def test_has_queries_with_closed_brackets(self):
        for query in self.queries:
            for opening, closing in ("()", "{}", "[]"):
                self.assertEqual(query.count(opening), query.count(closing), query)


if __name__ == "__main__":
    unittest.main()
