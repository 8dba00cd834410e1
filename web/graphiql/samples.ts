import type { Ask } from './ask';
import query from './samples.graphql?raw';

/** Values for the variables of the examples, by name. */
export type Samples = Record<string, unknown>;

/** Finds samples on a chain: of each name the value that is found most often. */
export async function findSamples(ask: Ask, chain: string): Promise<Samples> {
  const { data, errors } = await ask({ query, variables: { chain } });
  if (!data) throw new Error(errors?.[0]?.message ?? 'Could not load example values from the chain.');
  const found = new Map<string, Map<unknown, number>>();
  count(data, found);
  return { chain, ...Object.fromEntries([...found].map(([name, values]) => [name, mostFrequent(values)])) };
}

function count(value: object, found: Map<string, Map<unknown, number>>): void {
  for (const [name, part] of Object.entries(value)) {
    if (part === null) continue;
    if (typeof part === 'object') {
      count(part, found);
    } else {
      const values = found.get(name) ?? new Map<unknown, number>();
      found.set(name, values.set(part, (values.get(part) ?? 0) + 1));
    }
  }
}

/** The first of those that were counted most often. */
function mostFrequent(values: Map<unknown, number>): unknown {
  const most = Math.max(...values.values());
  return [...values].find(([, times]) => times === most)?.[0];
}
