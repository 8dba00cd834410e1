// Asks graphql-http's audit whether a server keeps to the GraphQL-over-HTTP
// specification: node audit.mjs <url>, with an API key in ASTROLABE_API_KEY. It
// prints how many of the points hold and what does not, and fails unless all do.
import { auditServer } from 'graphql-http';

const url = process.argv[2];
const key = process.env.ASTROLABE_API_KEY;
if (!url || !key) {
  console.error('usage: ASTROLABE_API_KEY=<key> node audit.mjs <url of the GraphQL endpoint>');
  process.exit(2);
}

/** Sends what the audit sends, with the key. */
function fetchFn(target, init = {}) {
  const headers = new Headers(init.headers);
  headers.set('X-Service-Api-Key', key);
  return fetch(target, { ...init, headers });
}

const results = await auditServer({ url, fetchFn });
const failing = results.filter((result) => result.status !== 'ok');
for (const { id, name, status, reason } of failing) {
  console.log(`${status} ${id} ${name}: ${reason}`);
}
console.log(`${results.length - failing.length}/${results.length}`);
process.exit(failing.length === 0 ? 0 : 1);
