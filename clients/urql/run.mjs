// Runs the operations of clients/graphql-operations with urql, each query by
// its hash first: node run.mjs <url>, with an API key in ASTROLABE_API_KEY.
// Then it reads one list page by page into the normalised cache.
import assert from 'node:assert/strict';
import { Client, fetchExchange, subscriptionExchange } from '@urql/core';
import { cacheExchange } from '@urql/exchange-graphcache';
import { relayPagination } from '@urql/exchange-graphcache/extras';
import { persistedExchange } from '@urql/exchange-persisted';
import { createClient } from 'graphql-ws';
import { pipe, take, toPromise } from 'wonka';
import WebSocket from 'ws';
import { blocksPage, check, checkBlocks, given } from '../graphql-operations/operations.mjs';

const { url, socketURL, apiKey } = given();
const sent = { bare: 0, whole: 0 };

/** Counts requests with and without the text. */
function fetchCounted(target, init) {
  const query = init.method === 'GET' ? new URL(target).searchParams.get('query') : JSON.parse(init.body).query;
  sent[query ? 'whole' : 'bare']++;
  return fetch(target, init);
}

const sockets = createClient({ url: socketURL, webSocketImpl: WebSocket, retryAttempts: 0, connectionParams: { apiKey } });
const subscriptions = subscriptionExchange({
  forwardSubscription: (request) => ({
    subscribe: (sink) => ({ unsubscribe: sockets.subscribe(request, sink) }),
  }),
});

/** Makes a client with the exchanges that keep results, if any. */
function makeClient(...caches) {
  return new Client({
    url,
    fetch: fetchCounted,
    fetchOptions: { headers: { 'X-Service-Api-Key': apiKey } },
    exchanges: [...caches, persistedExchange({ preferGetForPersistedQueries: true }), fetchExchange, subscriptions],
  });
}

/** Makes the answer of urql one with errors. */
function answer({ data, error }) {
  if (error?.networkError) throw error.networkError;
  return { data, errors: error?.graphQLErrors };
}

const client = makeClient();
await check('urql', {
  ask: async (text, variables) => answer(await client.query(text, variables)),
  first: async (text, variables) => answer(await pipe(client.subscription(text, variables), take(1), toPromise)),
});
assert.ok(sent.bare > sent.whole, `by hash ${sent.bare}, with the text ${sent.whole}`);

const cached = makeClient(cacheExchange({ resolvers: { Query: { blocks: relayPagination() } } }));
const variables = { chain: 'SN_MAIN', first: 3 };
const before = answer(await cached.query(blocksPage, variables));
const joined = answer(await cached.query(blocksPage, { ...variables, after: before.data.blocks.pageInfo.endCursor }));
checkBlocks(joined.data.blocks.edges.map((edge) => edge.node), 6);
console.log('urql: queries by their hash, and two pages joined in the cache');

await sockets.dispose();
