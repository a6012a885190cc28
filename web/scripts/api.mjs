// Makes src/api/schema.ts from the server's own description; with --check it only says whether that is up to date.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import openapi, { astToString } from "openapi-typescript";

const description = JSON.parse(readFileSync(new URL("../../docs/openapi.json", import.meta.url), "utf8"));
const schema = fileURLToPath(new URL("../src/api/schema.ts", import.meta.url));

// Only what is sent and answered is needed as types, not where.
const types = astToString(await openapi({ ...description, paths: {} }, { silent: true }));
const made = `// Generated from docs/openapi.json by \`npm run api\`.\n\n${types}`;

if (!process.argv.includes("--check")) {
  writeFileSync(schema, made);
} else if (readFileSync(schema, "utf8") !== made) {
  console.error("src/api/schema.ts is not what docs/openapi.json says: run `npm run api`");
  process.exit(1);
}
