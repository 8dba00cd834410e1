// Waits until a program has blocks to show and knows what a token is called, and
// checks that it publishes the schema file as it is: node ready.mjs <url of the program> <schema file>,
// with an API key in ASTROLABE_API_KEY.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

const [base, file] = process.argv.slice(2);
const headers = { 'X-Service-Api-Key': process.env.ASTROLABE_API_KEY };

const schema = await fetch(`${base}/schema.graphql`);
assert.equal(schema.headers.get('content-type'), 'application/graphql; charset=utf-8');
assert.ok(await schema.text() === readFileSync(file, 'utf8'), 'the published schema is not the file');

const read = async (path) => (await fetch(`${base}/v1/SN_MAIN${path}`, { headers })).json();
const strk = '0x4718f5a0fc34cc1af16a1cdee98ffb20c31f5cd61d6ab07201858f4287c938d';
const deadline = Date.now() + 120_000;
while ((await read('/status')).indexedBlockSpan < 20 || (await read(`/token/${strk}`)).symbol !== 'STRK') {
  assert.ok(Date.now() < deadline, 'nothing to show within two minutes');
  await pause(200);
}
