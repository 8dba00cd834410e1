import { useGraphiQL, useGraphiQLActions } from '@graphiql/react';
import defaultQuery from './default-query.graphql?raw';
import { examples } from './examples';
import type { Shared } from './link';

const untouched = new Set(['', defaultQuery, ...examples.map(({ query }) => query)]);

/**
 * Puts an operation into a tab: a new one, unless the visitor has written
 * nothing into the tab that is open. Nothing runs by itself.
 */
export function useOpenInTab(): (shared: Shared) => void {
  const { addTab, stop, updateActiveTabValues } = useGraphiQLActions();
  const editors = useGraphiQL(({ queryEditor, variableEditor, responseEditor }) => ({
    queryEditor,
    variableEditor,
    responseEditor,
  }));
  return ({ query, variables }) => {
    if (untouched.has(editors.queryEditor?.getValue() ?? '')) {
      stop();
      editors.responseEditor?.setValue('');
      updateActiveTabValues({ response: '' });
    } else {
      addTab();
    }
    editors.queryEditor?.setValue(query);
    editors.variableEditor?.setValue(variables);
  };
}
