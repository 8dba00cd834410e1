// Runs what relay-compiler made of src/explorer.js with Relay's runtime, every
// operation by the id of its persisted document: node run.mjs <url>, with an
// API key in ASTROLABE_API_KEY and the program started with
// --graphql-documents persisted.json.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { createClient } from 'graphql-ws';
import WebSocket from 'ws';
import { checkBlocks, checkNested, given } from '../graphql-operations/operations.mjs';

const require = createRequire(import.meta.url);
const {
  Environment, Network, Observable, RecordSource, Store,
  createOperationDescriptor, fetchQuery, getSingularSelector, requestSubscription,
} = require('relay-runtime');
const compiled = (name) => require(`./src/__generated__/${name}.graphql.js`);

const { url, socketURL, apiKey } = given();
const sockets = createClient({ url: socketURL, webSocketImpl: WebSocket, retryAttempts: 0, connectionParams: { apiKey } });
const errors = []; // that were answered, as they came

/** Sends the id of a document. */
async function send({ id, text }, variables) {
  assert.ok(id && !text, 'the operation is not persisted');
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'application/graphql-response+json', 'X-Service-Api-Key': apiKey },
    body: JSON.stringify({ documentId: id, variables }),
  });
  const answer = await response.json();
  errors.push(...(answer.errors ?? []));
  return answer;
}

/** Follows a document by its id; graphql-ws insists on a text, which may be empty. */
function follow({ id }, variables) {
  return Observable.create((sink) => sockets.subscribe({ query: '', documentId: id, variables }, sink));
}

const environment = new Environment({ network: Network.create(send, follow), store: new Store(new RecordSource()) });

/** Asks and keeps the answer in the store; it returns the data. */
async function ask(name, variables) {
  const query = compiled(name);
  environment.retain(createOperationDescriptor(query, variables));
  return fetchQuery(environment, query, variables).toPromise();
}

/** Reads a fragment from the store. */
const read = (name, parent) => environment.lookup(getSingularSelector(compiled(name), parent)).data;
const nodes = (connection) => connection.edges.map((edge) => edge.node);

const chain = 'SN_MAIN';
const first = 4;
const root = await ask('explorerQuery', { chain, first });
for (let page = 1; page < 3; page++) {
  const { hasNextPage, endCursor } = read('explorer_blocks', root).blocks.pageInfo;
  assert.equal(hasNextPage, true);
  await ask('explorerBlocksPageQuery', { chain, first, after: endCursor });
}
const blocks = nodes(read('explorer_blocks', root).blocks);
checkBlocks(blocks, 3 * first);

const all = [];
for (const block of blocks) {
  for (;;) { // refetched as a node, by its id
    const { hasNextPage, endCursor } = read('explorer_transactions', block).transactions.pageInfo;
    if (!hasNextPage) break;
    await ask('explorerTransactionsPageQuery', { id: block.id, first: 50, after: endCursor });
  }
  all.push(...nodes(read('explorer_transactions', block).transactions));
}
checkNested(all);
assert.equal(new Set(all.map((transaction) => transaction.txHash)).size, all.length);

assert.deepEqual(errors, []);
const { status, transaction } = await ask('explorerMissingQuery', { chain, hash: '0x1' });
assert.equal(status.chainId, chain);
assert.equal(transaction.ok, false);
assert.equal(errors[0].extensions.code, 'not_found');

const told = await new Promise((onNext, onError) => {
  requestSubscription(environment, { subscription: compiled('explorerFollowSubscription'), variables: { chain }, onNext, onError });
});
assert.equal(told.chainStatus.chainId, chain);
console.log(`Relay: ${blocks.length} blocks and ${all.length} transactions in pages, an error and a subscription, all by persisted documents`);
await sockets.dispose();
process.exit(0);
