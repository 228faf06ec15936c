#!/usr/bin/env node
"use strict";
// Plain old JavaScript: an old Node must get far enough to say what is wrong, or to hand over to the packaged one.
var nodes = require("./packaged-node.cjs");

var ONE_HEAP = { MALLOC_ARENA_MAX: "1" };

if (nodes.isNewEnough()) run();
else handOver();

function run() {
  if (process.env.HOLDFAST_HANDED_OVER && process.connected) dieWithLauncher();
  delete process.env.HOLDFAST_HANDED_OVER; // Only between two launchers: a tool may start a holdfast of its own.
  if (process.argv[2] === "serve") {
    if (needsOneHeap()) beginAnew();
    startUnoptimised();
  }
  var compiled = enableCompileCache();
  import("../src/main.ts").then(compiled, function (error) {
    console.error(error);
    process.exit(1);
  });
}

/** `kill -9` of what the person started must end what they meant, and no signal tells a child of that. */
function dieWithLauncher() {
  process.on("disconnect", function () {
    process.kill(process.pid, "SIGKILL");
  });
  process.channel.unref();
}

/**
 * glibc gives every thread a heap of its own, of which an idle server keeps 4 MB for nothing; it looks into the
 * environment for how many there may be, before any code of ours runs.
 */
function needsOneHeap() {
  return process.platform === "linux" && !process.env.MALLOC_ARENA_MAX;
}

/** The same process once more, 25 ms later. One that talks to a parent keeps its channel and does without. */
function beginAnew() {
  if (process.connected || !process.execve) return;
  var args = [process.execPath].concat(process.execArgv, __filename, process.argv.slice(2));
  process.execve(process.execPath, args, Object.assign({}, process.env, ONE_HEAP));
}

/**
 * What runs at the start runs once: V8's optimising compiler would be loaded for it, 4 MB that an idle server keeps.
 * src/settle-down.ts allows it again. Before the cache, which holds code for one set of flags. Maglev, the quicker
 * compiler, stays: a thread that begins without it never gets it back, which cost a fifth of a round trip.
 */
function startUnoptimised() {
  require("v8").setFlagsFromString("--no-opt");
}

/** Returns what to call once everything is loaded. */
function enableCompileCache() {
  var os = require("os");
  var path = require("path");
  // Not Node's default in the shared temporary folder: whoever creates that first decides what code we load.
  var cache = process.env.XDG_CACHE_HOME || path.join(os.homedir(), ".cache");
  var module = require("module");
  // In the environment, because a thread looks for it there: without it the store's writer costs 30 MB more.
  process.env.NODE_COMPILE_CACHE = process.env.NODE_COMPILE_CACHE || path.join(cache, "holdfast", "compile");
  module.enableCompileCache(process.env.NODE_COMPILE_CACHE);
  // Node writes the cache at exit only, and a server that is killed never gets there.
  return function () {
    module.flushCompileCache();
  };
}

function handOver() {
  var node = nodes.packagedNode();
  if (!node || process.env.HOLDFAST_HANDED_OVER) {
    console.error(
      "holdfast needs Node 24.15 or newer; this is " +
        process.version +
        (node ? "" : ", and no packaged Node is installed for " + process.platform + "-" + process.arch) +
        ". Run `npm install` again without --omit=optional, or install a newer Node.",
    );
    process.exit(1);
  }
  var env = Object.assign({}, process.env, { HOLDFAST_HANDED_OVER: "1" });
  if (process.argv[2] === "serve" && needsOneHeap()) Object.assign(env, ONE_HEAP);
  var child = require("child_process").spawn(node, [__filename].concat(process.argv.slice(2)), {
    stdio: ["inherit", "inherit", "inherit", "ipc"],
    env: env,
  });
  var signals = ["SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR2", "SIGINT"];
  signals.forEach(function (signal) {
    process.on(signal, function () {
      // A terminal sends Ctrl-C to the child as well, and a second one would read as "at once".
      if (signal === "SIGINT" && process.stdin.isTTY) return;
      child.kill(signal);
    });
  });
  child.on("error", function (error) {
    console.error("holdfast could not start " + node + ": " + error.message);
    process.exit(1);
  });
  child.on("exit", function (code, signal) {
    if (!signal) process.exit(code);
    signals.forEach(function (each) {
      process.removeAllListeners(each);
    });
    process.kill(process.pid, signal);
  });
}
