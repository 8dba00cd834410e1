import type { Credentials } from '../shared/credentials';

/** How much of its budget the caller has left, and how much there is in a minute. */
export interface Budget {
  remaining: number;
  limit: number;
}

/** The budget as the newest answer tells it. */
export interface BudgetWatch {
  current(): Budget | undefined;
  subscribe(listener: () => void): () => void;
}

/** Reads the budget off every answer that comes through the returned credentials. */
export function watchBudget(credentials: Credentials): [Credentials, BudgetWatch] {
  const listeners = new Set<() => void>();
  let budget: Budget | undefined;
  const watched: Credentials = {
    ...credentials,
    async fetch(address, request) {
      const response = await credentials.fetch(address, request);
      const [remaining, limit] = ['X-Ratelimit-Remaining', 'X-Ratelimit-Limit'].map((name) => response.headers.get(name));
      if (remaining && limit) {
        budget = { remaining: Number(remaining), limit: Number(limit) };
        listeners.forEach((listener) => listener());
      }
      return response;
    },
  };
  const watch: BudgetWatch = {
    current: () => budget,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  return [watched, watch];
}
