import { defineConfig } from "vitest/config";

/** Tests in a real browser against the real program; with `--mode pictures`, the pictures of the documents instead. */
export default defineConfig(({ mode }) => ({
  test: {
    include: mode === "pictures" ? ["e2e/pictures.ts"] : ["e2e/*.test.ts"],
    environment: "node",
    // One server and one browser at a time: others work on this machine too.
    fileParallelism: false,
    testTimeout: 60_000,
    hookTimeout: 30_000,
  },
}));
