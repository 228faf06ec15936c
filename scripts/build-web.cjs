"use strict";
// Builds web/ into web-dist/ when its sources have changed since the last build (always with --force).
// Plain old JavaScript: `npm start` runs it under the outer Node, before and after the first install.
require("./install.cjs");

var childProcess = require("child_process");
var crypto = require("crypto");
var fs = require("fs");
var path = require("path");
var nodes = require("../bin/packaged-node.cjs");

var root = path.join(__dirname, "..");
var stamp = path.join(root, "web-dist", ".built-from");
// Everything that can end up in the bundle, and what decides how it is made.
var SOURCES = [
  "web",
  "src/session",
  "src/task",
  "src/protocol",
  "src/client",
  "vite.config.ts",
  "package-lock.json",
];

var wanted = sourceHash();
if (process.argv.indexOf("--force") !== -1 || built() !== wanted) {
  build();
  // Last, so that an interrupted build is done again.
  fs.writeFileSync(stamp, wanted);
}

function sourceHash() {
  var hash = crypto.createHash("sha256");
  SOURCES.forEach(function (source) {
    filesUnder(source).forEach(function (file) {
      hash
        .update(file + "\0")
        .update(fs.readFileSync(path.join(root, file)))
        .update("\0");
    });
  });
  return hash.digest("hex");
}

function filesUnder(name) {
  var full = path.join(root, name);
  if (!fs.existsSync(full)) return [];
  if (!fs.statSync(full).isDirectory()) return /\.test\.tsx?$/.test(name) ? [] : [name];
  return fs
    .readdirSync(full)
    .sort()
    .reduce(function (files, entry) {
      return files.concat(filesUnder(name + "/" + entry));
    }, []);
}

function built() {
  try {
    return fs.readFileSync(stamp, "utf8");
  } catch {
    return "";
  }
}

function build() {
  var node = nodes.isNewEnough() ? process.execPath : nodes.packagedNode();
  if (!node) {
    console.error("holdfast: building the dashboard needs Node 24.15 or newer; this is " + process.version);
    process.exit(1);
  }
  console.error("holdfast: building the dashboard");
  var vite = path.join(root, "node_modules", "vite", "bin", "vite.js");
  var done = childProcess.spawnSync(node, [vite, "build", "--logLevel", "warn"], {
    cwd: root,
    stdio: ["ignore", 2, 2],
  });
  if (done.status === 0) return;
  console.error(
    "holdfast: vite build failed" + (done.error ? ": " + done.error.message : "; its message is above"),
  );
  process.exit(1);
}
