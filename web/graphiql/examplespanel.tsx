import type { GraphiQLPlugin } from '@graphiql/react';
import { useEffect, useState } from 'react';
import type { Ask } from './ask';
import { Choice } from './choice';
import { type Example, examples, variablesOf } from './examples';
import { findSamples, type Samples } from './samples';
import { useOpenInTab } from './tab';

/** The plugin that lists the examples. */
export function examplesPlugin(ask: Ask): GraphiQLPlugin {
  return { title: 'Examples', icon: ExamplesIcon, content: () => <ExamplesPanel ask={ask} /> };
}

function ExamplesPanel({ ask }: { ask: Ask }) {
  const openInTab = useOpenInTab();
  const chains = useChains(ask);
  const [chosen, setChain] = useState<string>();
  const [samples, setSamples] = useState<Samples>();
  const [state, setState] = useState('');
  const chain = chosen ?? chains[0] ?? '';

  const open = async ({ query }: Example) => {
    try {
      const names = variablesOf(query);
      let known = samples;
      if (names.length > 0 && known?.chain !== chain) {
        setState('Loading example values …');
        known = await findSamples(ask, chain);
        setSamples(known);
      }
      setState('');
      openInTab({ query, variables: filled(names, known ?? {}) });
    } catch (error) {
      setState(error instanceof Error ? error.message : String(error));
    }
  };

  return (
    <section className="examples" aria-label="Examples">
      <h2>Examples</h2>
      <p>Each opens with variables from the newest blocks. Run it, then change what you like.</p>
      {chains.length > 1 && <Choice label="Chain" options={chains} value={chain} onChoose={setChain} />}
      <p role="status">{state}</p>
      <ul>
        {examples.map((example) => (
          <li key={example.title}>
            <button type="button" disabled={!chain} onClick={() => open(example)}>
              <strong>{example.title}</strong>
              <span>{example.description}</span>
              {example.permission && <em>needs a key with the permission {example.permission}</em>}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The variables of an example as text. One without a sample is left for the visitor to fill in. */
function filled(names: string[], samples: Samples): string {
  if (names.length === 0) return '';
  return JSON.stringify(Object.fromEntries(names.map((name) => [name, samples[name] ?? null])), null, 2);
}

/** The chains that are served. */
function useChains(ask: Ask): string[] {
  const [chains, setChains] = useState<string[]>([]);
  useEffect(() => {
    ask({ query: '{ service { chains } }' })
      .then(({ data }) => setChains((data as { service?: { chains?: string[] } } | undefined)?.service?.chains ?? []))
      .catch(() => undefined);
  }, [ask]);
  return chains;
}

function ExamplesIcon() {
  return (
    <svg viewBox="0 0 20 20" fill="none" stroke="currentColor" strokeWidth="1.5" aria-hidden="true">
      <path d="M7.5 14.5c0-2-2.5-3-2.5-6.2a5 5 0 0 1 10 0c0 3.2-2.5 4.2-2.5 6.2zM7.5 17.5h5" />
    </svg>
  );
}
