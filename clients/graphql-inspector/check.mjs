// Fails when a schema breaks clients of another: node check.mjs <released> <current>.
import { readFileSync } from 'node:fs';
import { breaking } from './breaking.mjs';

const [released, current] = process.argv.slice(2, 4).map((file) => readFileSync(file, 'utf8'));
const found = await breaking(released, current, new Date().toISOString().slice(0, 10));
for (const { message } of found) console.log(`breaks clients: ${message}`);
if (found.length > 0) {
  console.log('Deprecate what must go, with dates, and let it stay until then (docs/graphql-clients.md).');
  process.exit(1);
}
console.log('nothing that was released breaks');
