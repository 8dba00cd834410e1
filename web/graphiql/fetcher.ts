import { createGraphiQLFetcher, type Fetcher } from '@graphiql/toolkit';
import { CloseCode, createClient } from 'graphql-ws';
import type { Credentials } from '../shared/credentials';

const endpoint = new URL('/graphql', location.href);

/**
 * Queries and mutations go by HTTP, subscriptions by graphql-transport-ws at
 * the same path. A socket lives only as long as a subscription runs, so a new
 * key is used from the next one on.
 */
export function createFetcher(credentials: Credentials): Fetcher {
  return createGraphiQLFetcher({
    url: endpoint.href,
    enableIncrementalDelivery: false,
    fetch: credentials.fetch,
    wsClient: createClient({
      url: endpoint.href.replace(/^http/, 'ws'),
      connectionParams: credentials.opening,
      on: {
        closed: (event) => {
          if ((event as CloseEvent).code === CloseCode.Unauthorized) credentials.refused();
        },
      },
    }),
  });
}
