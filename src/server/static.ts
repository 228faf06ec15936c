// The dashboard's files: the same bytes for everyone. Assets have their hash in their name and are kept for good; the page
// itself is asked for again each time, by its ETag.
import { createHash } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { extname, join, sep } from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { FastifyReply, FastifyRequest } from "fastify";
import { problem } from "../protocol/problem.ts";
import { sendProblem } from "./errors.ts";
import { isKnown } from "./etag.ts";

const TYPES: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json",
  ".webmanifest": "application/manifest+json",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".woff2": "font/woff2",
  ".txt": "text/plain; charset=utf-8",
};

export const PAGE_CSP = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "manifest-src 'self'",
  "worker-src 'self'",
  "frame-src 'self'",
  "font-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/**
 * An empty page without script, in which the dashboard shows a remote image once a person has asked for it. So the
 * dashboard itself never gets leave to load anything from elsewhere.
 */
const IMAGE_FRAME = "/image-frame.html";
const IMAGE_FRAME_CSP = "default-src 'none'; img-src http: https:; frame-ancestors 'self'";

/** `packed` is absent where it would save nothing. */
type StaticFile = { bytes: Buffer; packed?: Buffer; etag: string; type: string };

const PACKED_TYPES = new Set([".html", ".js", ".css", ".json", ".webmanifest", ".svg", ".txt"]);
const pack = promisify(gzip);

export class StaticFiles {
  readonly #folder: string;
  readonly #read = new Map<string, StaticFile & { mtimeMs: number }>();
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** For what no route answers: a file, a page of the dashboard, or a 404. */
  async answer(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const path = pathOf(request.url);
    const isRead = request.method === "GET" || request.method === "HEAD";
    if (isRead && path !== undefined) {
      const found = await this.#file(path === "/" ? "/index.html" : path);
      if (found !== undefined) return this.#send(request, reply, found, path);
      if (isPageUrl(path) && isNavigation(request)) return this.#page(request, reply);
    }
    return sendProblem(
      reply,
      problem("not_found", `There is nothing at ${request.method} ${request.url.slice(0, 200)}.`),
    );
  }

  async #page(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const page = await this.#file("/index.html");
    if (page !== undefined) return this.#send(request, reply, page, "/index.html");
    return sendProblem(
      reply,
      problem("not_found", "The dashboard is not built. Run `npm run build`, or use the API."),
    );
  }

  #send(request: FastifyRequest, reply: FastifyReply, file: StaticFile, path: string): FastifyReply {
    const isHashed = path.startsWith("/assets/");
    void reply
      .header("etag", file.etag)
      .header("cache-control", isHashed ? "public, max-age=31536000, immutable" : "no-cache")
      .header("content-security-policy", path === IMAGE_FRAME ? IMAGE_FRAME_CSP : PAGE_CSP);
    if (file.packed) void reply.header("vary", "accept-encoding");
    if (isKnown(request.headers["if-none-match"], file.etag)) return reply.code(304).send();
    void reply.type(file.type);
    if (!file.packed || !takesGzip(request)) return reply.send(file.bytes);
    // The same file in other bytes: its ETag is a weak one.
    return reply.header("content-encoding", "gzip").header("etag", `W/${file.etag}`).send(file.packed);
  }

  async #file(path: string): Promise<StaticFile | undefined> {
    const type = TYPES[extname(path)];
    const full = join(this.#folder, path);
    if (type === undefined || !full.startsWith(this.#folder + sep)) return undefined;
    const info = await stat(full).catch(ignoreMissing);
    if (!info?.isFile()) return undefined;
    const known = this.#read.get(path);
    if (known?.mtimeMs === info.mtimeMs) return known;
    const bytes = await readFile(full);
    const etag = `"${createHash("sha256").update(bytes).digest("base64url").slice(0, 22)}"`;
    const packed = PACKED_TYPES.has(extname(path)) ? await pack(bytes) : undefined;
    const isSmaller = packed !== undefined && packed.length < bytes.length;
    const file = { bytes, ...(isSmaller && { packed }), etag, type, mtimeMs: info.mtimeMs };
    this.#read.set(path, file); // as many as there are files
    return file;
  }
}

function pathOf(url: string): string | undefined {
  const path = url.split(/[?#]/, 1).join();
  try {
    const decoded = decodeURIComponent(path);
    return decoded.includes("\0") || decoded.split("/").includes("..") ? undefined : decoded;
  } catch {
    return undefined; // a broken escape names no file
  }
}

/** Files have a dot in their names, pages don't, and none begins like an API. */
function isPageUrl(path: string): boolean {
  return !path.includes(".") && !/^\/(api|mcp|v1|metrics|healthz|readyz)\b/.test(path);
}

function isNavigation({ headers }: FastifyRequest): boolean {
  return (headers.accept ?? "").includes("text/html");
}

function takesGzip({ headers }: FastifyRequest): boolean {
  const offers = String(headers["accept-encoding"] ?? "").split(",");
  return offers.some((offer) => /^\s*gzip\s*(;\s*q=(?!0(\.0*)?\s*$).*)?$/i.test(offer));
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code === "ENOENT" || error.code === "ENOTDIR" || error.code === "ENAMETOOLONG") return undefined;
  throw error;
}
