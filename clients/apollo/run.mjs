// Runs the operations of clients/graphql-operations with Apollo Client, each
// query by its hash first: node run.mjs <url>, with an API key in
// ASTROLABE_API_KEY. Then it reads one list page by page into the cache.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { ApolloClient, ApolloLink, CombinedGraphQLErrors, HttpLink, InMemoryCache, gql } from '@apollo/client';
import { PersistedQueryLink } from '@apollo/client/link/persisted-queries';
import { GraphQLWsLink } from '@apollo/client/link/subscriptions';
import { relayStylePagination } from '@apollo/client/utilities';
import { OperationTypeNode } from 'graphql';
import { createClient } from 'graphql-ws';
import { firstValueFrom } from 'rxjs';
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
const persisted = new PersistedQueryLink({
  sha256: (text) => createHash('sha256').update(text).digest('hex'),
  useGETForHashedQueries: true,
});
const http = new HttpLink({ uri: url, headers: { 'X-Service-Api-Key': apiKey }, fetch: fetchCounted });
const client = new ApolloClient({
  cache: new InMemoryCache({ typePolicies: { Query: { fields: { blocks: relayStylePagination(['chain', 'filter', 'order']) } } } }),
  link: ApolloLink.split(
    ({ operationType }) => operationType === OperationTypeNode.SUBSCRIPTION,
    new GraphQLWsLink(sockets),
    persisted.concat(http),
  ),
});

/** Makes the answer of Apollo Client one with errors. */
function answer({ data, error }) {
  if (error && !CombinedGraphQLErrors.is(error)) throw error;
  return { data, errors: error?.errors };
}

await check('Apollo Client', {
  ask: async (text, variables) => answer(await client.query({ query: gql(text), variables, errorPolicy: 'all', fetchPolicy: 'no-cache' })),
  first: async (text, variables) => answer(await firstValueFrom(client.subscribe({ query: gql(text), variables, errorPolicy: 'all' }))),
});
assert.ok(sent.bare > sent.whole, `by hash ${sent.bare}, with the text ${sent.whole}`);

const list = { query: gql(blocksPage), variables: { chain: 'SN_MAIN', first: 3 } };
const { data } = await client.query(list);
await client.query({ ...list, variables: { ...list.variables, after: data.blocks.pageInfo.endCursor }, fetchPolicy: 'network-only' });
checkBlocks(client.readQuery(list).blocks.edges.map((edge) => edge.node), 6);
console.log('Apollo Client: queries by their hash, and two pages joined in the cache');

client.stop();
await sockets.dispose();
