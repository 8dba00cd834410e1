// Follows a chain with the two clients that people use for subscriptions:
// node subscribe.mjs <url>, with an API key in ASTROLABE_API_KEY. Each must be
// told the status of the chain at once, have a query answered on the same
// transport, and see an invalid operation refused with our code; without the
// key each must be turned away. It fails unless all of that holds.
import assert from 'node:assert/strict';
import { createClient as createSocketClient } from 'graphql-ws';
import { createClient as createEventClient } from 'graphql-sse';
import WebSocket from 'ws';

const url = process.argv[2];
const apiKey = process.env.ASTROLABE_API_KEY;
if (!url || !apiKey) {
  console.error('usage: ASTROLABE_API_KEY=<key> node subscribe.mjs <url of the GraphQL endpoint>');
  process.exit(2);
}

const follow = {
  query: 'subscription ($chain: ChainId!) { chainStatus(chain: $chain) { chainId asOf indexer { state } } }',
  variables: { chain: 'SN_MAIN' },
};

/** Returns the first result of an operation and ends it. */
async function first(client, operation) {
  for await (const result of client.iterate(operation)) return result;
  throw new Error('the operation ended without a result');
}

/** Returns the errors of an operation, whether they are a result or thrown. */
async function errorsOf(client, operation) {
  try {
    return (await first(client, operation)).errors ?? [];
  } catch (thrown) {
    return [thrown].flat();
  }
}

async function check(name, client) {
  const told = await first(client, follow);
  assert.equal(told.errors, undefined);
  assert.equal(told.data.chainStatus.chainId, 'SN_MAIN');
  assert.ok(!Number.isNaN(Date.parse(told.data.chainStatus.asOf)));
  assert.ok(told.extensions.cost.requested > 0);

  const answered = await first(client, { query: '{ service { version } }' });
  assert.equal(typeof answered.data.service.version, 'string');

  const [refused] = await errorsOf(client, { query: 'subscription { nothing }' });
  assert.equal(refused.extensions.code, 'invalid_request');
  assert.ok(refused.extensions.requestId);
  console.log(`${name}: a subscription, a query and a refusal as expected`);
}

const deadline = setTimeout(() => {
  console.error('no answer within 30 seconds');
  process.exit(1);
}, 30_000);

/** Makes the client of graphql-ws; the key goes into connection_init. */
function socketClient(connectionParams) {
  return createSocketClient({
    url: url.replace(/^http/, 'ws'), webSocketImpl: WebSocket, retryAttempts: 0, connectionParams,
  });
}

const sockets = socketClient({ apiKey });
await check('graphql-ws', sockets);
await sockets.dispose();
const [closed] = await errorsOf(socketClient({}), follow);
assert.equal(closed.code, 4401);

const events = createEventClient({ url, retryAttempts: 0, headers: { 'X-Service-Api-Key': apiKey } });
await check('graphql-sse', events);
events.dispose();
const [refused] = await errorsOf(createEventClient({ url, retryAttempts: 0 }), follow);
assert.equal(refused.response.status, 401);
console.log('both are turned away without a key');

clearTimeout(deadline);
