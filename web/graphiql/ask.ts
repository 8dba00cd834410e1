import type { Credentials } from '../shared/credentials';

/** An operation, as it is sent. */
export interface Operation {
  query: string;
  variables?: Record<string, unknown>;
  operationName?: string;
  extensions?: Record<string, unknown>;
}

/** What an operation may cost, and how much it may cost at most. */
export interface Cost {
  requested: number;
  limit: number;
}

/** What /graphql answers. */
export interface Answer {
  data?: unknown;
  errors?: { message: string; extensions?: { limit?: { name: string; max: number; actual: number } } }[];
  extensions?: { cost?: Cost };
}

/** Sends an operation of the page's own, beside those that the visitor runs. */
export type Ask = (operation: Operation) => Promise<Answer>;

/** Asks /graphql with what the visitor shows. */
export function createAsk(credentials: Credentials): Ask {
  return async (operation) => {
    const response = await credentials.fetch('/graphql', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Accept: 'application/json' },
      body: JSON.stringify(operation),
    });
    return response.json();
  };
}
