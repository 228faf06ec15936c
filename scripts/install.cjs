"use strict";
// Plain old JavaScript, run before every npm script under whatever Node is there:
// installs what package-lock.json says when node_modules is missing or was made from another lockfile.
var childProcess = require("child_process");
var crypto = require("crypto");
var fs = require("fs");
var path = require("path");

var root = path.join(__dirname, "..");
var stamp = path.join(root, "node_modules", ".holdfast-installed");
var wanted = crypto
  .createHash("sha256")
  .update(fs.readFileSync(path.join(root, "package-lock.json")))
  .update(process.platform + "-" + process.arch)
  .digest("hex");

if (installed() !== wanted) {
  install();
  // Last, so that an interrupted install is done again.
  fs.writeFileSync(stamp, wanted);
}

function installed() {
  try {
    return fs.readFileSync(stamp, "utf8");
  } catch {
    return "";
  }
}

function install() {
  console.error("holdfast: installing packages (npm ci)");
  // On stderr, so that a script's stdout stays its own. Errors only: npm warns that commander and others want a newer Node, which they get.
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
