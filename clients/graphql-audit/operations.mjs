// Runs the operations of clients/graphql-operations with graphql-ws, queries
// included: node operations.mjs <url>, with an API key in ASTROLABE_API_KEY.
import { createClient } from 'graphql-ws';
import WebSocket from 'ws';
import { check, given } from '../graphql-operations/operations.mjs';

const { socketURL, apiKey } = given();
const client = createClient({ url: socketURL, webSocketImpl: WebSocket, retryAttempts: 0, connectionParams: { apiKey } });

/** Returns the first result, whether its errors are a result or thrown. */
async function first(query, variables) {
  try {
    for await (const result of client.iterate({ query, variables })) return result;
  } catch (thrown) {
    if (Array.isArray(thrown)) return { errors: thrown };
    throw thrown;
  }
  throw new Error('the operation ended without a result');
}

await check('graphql-ws', { ask: first, first });
await client.dispose();
