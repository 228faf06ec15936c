"use strict";
// Plain old JavaScript, run before every npm script under whatever Node is there:
// installs what package-lock.json says when node_modules is missing, half made or made from another lockfile.
var childProcess = require("child_process");
var fs = require("fs");
var path = require("path");
var nodes = require("../bin/packaged-node.cjs");

var root = path.join(__dirname, "..");

if (!isInstalled()) install();

function isInstalled() {
  var wanted = packagesIn("package-lock.json");
  // npm's own record of what is there, which it writes last.
  var have = packagesIn("node_modules/.package-lock.json");
  if (!wanted || !have) return false;
  // Made on another platform: the optional binaries are that one's.
  var node = "node_modules/" + nodes.packageName;
  if (wanted[node] && !have[node]) return false;
  return Object.keys(wanted).every(function (at) {
    if (at === "") return true;
    if (!have[at]) return Boolean(wanted[at].optional || wanted[at].devOptional);
    return have[at].integrity === wanted[at].integrity;
  });
}

function packagesIn(file) {
  try {
    return JSON.parse(fs.readFileSync(path.join(root, file), "utf8")).packages;
  } catch {
    return undefined;
  }
}

function install() {
  console.error("holdfast: installing packages (npm ci)");
  // On stderr, so that a script's stdout stays its own. Errors only: npm warns of packages that want a newer Node,
  // which is among what it installs.
  var options = { cwd: root, stdio: ["ignore", 2, 2] };
  var args = ["ci", "--no-audit", "--no-fund", "--loglevel=error"];
  var npm = process.env.npm_execpath;
  var done = npm
    ? childProcess.spawnSync(process.execPath, [npm].concat(args), options)
    : childProcess.spawnSync("npm", args, options);
  if (done.status === 0) return;
  console.error(
    "holdfast: npm ci failed" + (done.error ? ": " + done.error.message : "; its message is above"),
  );
  process.exit(1);
}
