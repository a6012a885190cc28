import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vitest/config";

/** The server that `npm run dev` shows. It checks Host and Origin exactly, so both are made its own. */
const server = process.env["ABIDE_URL"] ?? "http://127.0.0.1:7433";
// The page proves itself to that server, so it says the server's address in place of its own.
if (!process.env["VITEST"]) process.env["VITE_AUTHORITY"] = new URL(server).host;
const toServer = {
  target: server,
  changeOrigin: true,
  rewriteWsOrigin: true,
  ws: true,
  headers: { origin: server },
};

export default defineConfig({
  plugins: [svelte()],
  server: { host: "127.0.0.1", proxy: { "/api": toServer, "/ws": toServer } },
  build: {
    target: "es2022",
    sourcemap: false,
    // The directory above it is kept in the repository, so that cargo can watch it.
    outDir: "dist/site",
    emptyOutDir: true,
    // The server's CSP allows scripts and fonts from its own files alone: nothing may be put inline.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  resolve: process.env["VITEST"] ? { conditions: ["browser"] } : {},
  // Tests share what is slow to make, a document; each cleans up what it puts into it.
  test: { include: ["src/**/*.test.ts"], environment: "happy-dom", isolate: false },
});
