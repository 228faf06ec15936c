// The reference server of Durable Streams, storing in files.
import { DurableStreamTestServer } from "@durable-streams/server";
import { say, whenTold } from "./host.ts";

const [dataDir = ""] = process.argv.slice(2);

whenTold(() => {});
const server = new DurableStreamTestServer({ port: 0, dataDir });
say({ url: await server.start() });
