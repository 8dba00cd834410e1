// Asks graphql-http's audit whether a server keeps to the GraphQL-over-HTTP
// specification: node audit.mjs <url>. It prints how many of the points hold
// and what does not, and fails unless all do.
import { auditServer } from 'graphql-http';

const url = process.argv[2];
if (!url) {
  console.error('usage: node audit.mjs <url of the GraphQL endpoint>');
  process.exit(2);
}

const results = await auditServer({ url });
const failing = results.filter((result) => result.status !== 'ok');
for (const { id, name, status, reason } of failing) {
  console.log(`${status} ${id} ${name}: ${reason}`);
}
console.log(`${results.length - failing.length}/${results.length}`);
process.exit(failing.length === 0 ? 0 : 1);
