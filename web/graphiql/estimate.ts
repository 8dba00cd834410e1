import { useEffect, useState } from 'react';
import type { Ask, Cost, Operation } from './ask';

/** How long the visitor must have stopped typing. */
const pause = 400;

/** What an operation would cost, or why it would be refused. */
export type Estimate = Cost | { refusal: string };

/**
 * Has the service work out what the operation costs, without running it. It
 * is undefined while there is no operation or no answer.
 */
export function useEstimate(ask: Ask, operation?: Operation): Estimate | undefined {
  const [estimate, setEstimate] = useState<Estimate>();
  useEffect(() => {
    setEstimate(undefined);
    if (!operation) return;
    let current = true;
    const timer = setTimeout(async () => {
      const found = await dryRun(ask, operation).catch(() => undefined);
      if (current) setEstimate(found);
    }, pause);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [ask, operation]);
  return estimate;
}

async function dryRun(ask: Ask, operation: Operation): Promise<Estimate | undefined> {
  const { errors, extensions } = await ask({ ...operation, extensions: { dryRun: true } });
  const passed = errors?.[0]?.extensions?.limit;
  if (passed?.name === 'cost') return { requested: passed.actual, limit: passed.max };
  return errors?.[0] ? { refusal: errors[0].message } : extensions?.cost;
}
