// A vitest that is interrupted leaves its workers to finish the test they are in. Ending with it instead lets
// everything that hangs on a worker (a browser, a server's stdin) end too.
process.once("disconnect", () => process.exit(1));
