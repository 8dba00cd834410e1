// Waits until a program has blocks to show and checks that it publishes the
// schema file as it is: node ready.mjs <url of the program> <schema file>,
// with an API key in ASTROLABE_API_KEY.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

const [base, file] = process.argv.slice(2);
const headers = { 'X-Service-Api-Key': process.env.ASTROLABE_API_KEY };

const schema = await fetch(`${base}/schema.graphql`);
assert.equal(schema.headers.get('content-type'), 'application/graphql; charset=utf-8');
assert.equal(await schema.text(), readFileSync(file, 'utf8'));

const deadline = Date.now() + 60_000;
for (;;) {
  const status = await (await fetch(`${base}/v1/SN_MAIN/status`, { headers })).json();
  if (status.indexedBlockSpan >= 20) break;
  assert.ok(Date.now() < deadline, 'no blocks within a minute');
  await pause(100);
}
