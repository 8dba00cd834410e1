import { createGraphiQLFetcher, type Fetcher } from '@graphiql/toolkit';
import { createClient } from 'graphql-ws';
import type { Bar } from '../shared/bar';

const endpoint = new URL('/graphql', location.href);

/**
 * Queries and mutations go by HTTP, subscriptions by graphql-transport-ws at
 * the same path. Both read the key at the moment of asking: a socket lives only
 * as long as a subscription runs, so a new key is used from the next one on.
 */
export function createFetcher(bar: Bar): Fetcher {
  return createGraphiQLFetcher({
    url: endpoint.href,
    enableIncrementalDelivery: false,
    fetch: (input, init) => {
      const headers = new Headers(init?.headers);
      if (bar.key()) headers.set('X-Service-Api-Key', bar.key());
      return fetch(input, { ...init, headers });
    },
    wsClient: createClient({
      url: endpoint.href.replace(/^http/, 'ws'),
      connectionParams: () => (bar.key() ? { apiKey: bar.key() } : {}),
    }),
  });
}
