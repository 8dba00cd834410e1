import type { Bar } from './bar';
import { takePageToken } from './pagetoken';

/** The headers that tell who asks, in the visitor's name. */
const ownHeaders = ['X-Service-Api-Key', 'X-Api-Key', 'Authorization'];
const tokenHeader = 'X-Service-Page-Token';

/** Shows the service who asks, at the moment of asking. */
export interface Credentials {
  /**
   * Fetches with what the request itself shows, else with the key of the bar,
   * else with the page's token. A refused token is replaced, once.
   */
  fetch(address: RequestInfo | URL, request?: RequestInit): Promise<Response>;
  /** What the first message of a socket shows. */
  opening(): Promise<Record<string, string>>;
  /** Notes that a socket was refused. */
  refused(): void;
}

/** Credentials by the key of the bar and, without one, by the page's token. */
export function createCredentials(bar: Bar): Credentials {
  const token = takePageToken();
  return {
    async fetch(address, request) {
      const headers = new Headers(request?.headers);
      const ask = (name: string, value: string) => {
        headers.set(name, value);
        return fetch(address, { ...request, headers });
      };
      if (ownHeaders.some((name) => headers.has(name))) return fetch(address, request);
      if (bar.key()) return ask('X-Service-Api-Key', bar.key());

      const shown = await token.current();
      const answer = await ask(tokenHeader, shown);
      if (answer.status !== 401) return answer;
      token.forget();
      const next = await token.current();
      return next === shown ? answer : ask(tokenHeader, next);
    },
    async opening(): Promise<Record<string, string>> {
      return bar.key() ? { apiKey: bar.key() } : { pageToken: await token.current() };
    },
    refused: token.forget,
  };
}
