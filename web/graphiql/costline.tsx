import { useSyncExternalStore } from 'react';
import type { Answer } from './ask';
import type { BudgetWatch } from './budget';
import type { Estimate } from './estimate';

/** Says what the operation would cost, what the last run did cost, and what is left. */
export function CostLine({ estimate, answer, watch }: { estimate?: Estimate; answer?: Answer; watch: BudgetWatch }) {
  const budget = useSyncExternalStore(watch.subscribe, watch.current);
  return (
    <p className="cost" role="status">
      <Before estimate={estimate} />
      {answer && <span className="cost-after">{after(answer)}</span>}
      {budget && (
        <span className="cost-budget" title="The rate limit refills continuously and is full again after one minute.">
          {digits(budget.remaining)} of {digits(budget.limit)} left
        </span>
      )}
    </p>
  );
}

function Before({ estimate }: { estimate?: Estimate }) {
  if (!estimate) return <span className="cost-before">Cost …</span>;
  if ('refusal' in estimate) {
    return (
      <span className="cost-before" title={estimate.refusal}>
        Cost unknown: {estimate.refusal}
      </span>
    );
  }
  const excessive = estimate.requested > estimate.limit;
  return (
    <span className={excessive ? 'cost-before cost-excessive' : 'cost-before'} title="Estimated cost in points, by the size of the response and the work of its fields">
      Cost {digits(estimate.requested)}
      {excessive ? `, over the limit of ${digits(estimate.limit)}` : ''}
    </span>
  );
}

function after({ extensions, errors = [] }: Answer): string {
  const failed = errors.length === 1 ? ', 1 error' : `, ${errors.length} errors`;
  const spent = extensions?.cost ? `Last run ${digits(extensions.cost.requested)}` : 'Last run refused';
  return errors.length > 0 ? spent + failed : spent;
}

const digits = (value: number) => value.toLocaleString('en');
