import { explorerPlugin } from '@graphiql/plugin-explorer';
import { useGraphiQLActions } from '@graphiql/react';
import { GraphiQL, HISTORY_PLUGIN } from 'graphiql';
import { useEffect, useMemo } from 'react';
import type { Bar } from '../shared/bar';
import { createCredentials } from '../shared/credentials';
import { followSystemTheme } from '../shared/theme';
import { createAsk } from './ask';
import { watchBudget } from './budget';
import defaultQuery from './default-query.graphql?raw';
import { examplesPlugin } from './examplespanel';
import { createFetcher } from './fetcher';
import { takeLink } from './link';
import { Results } from './results';
import { ShareButton } from './sharedialog';
import { storageWithoutHeaders } from './storage';
import { useOpenInTab } from './tab';

const storage = storageWithoutHeaders(localStorage);
const shared = takeLink();

/** GraphiQL, asking /graphql with the key of the bar, or as this page without one. */
export function Console({ bar }: { bar: Bar }) {
  const { fetcher, ask, watch, plugins } = useMemo(() => {
    const [credentials, watch] = watchBudget(createCredentials(bar));
    const ask = createAsk(credentials);
    return { fetcher: createFetcher(credentials), ask, watch, plugins: [examplesPlugin(ask), explorerPlugin(), HISTORY_PLUGIN] };
  }, [bar]);
  return (
    <GraphiQL
      fetcher={fetcher}
      plugins={plugins}
      storage={storage}
      initialQuery={shared?.query}
      initialVariables={shared?.variables}
      defaultQuery={defaultQuery}
      defaultEditorToolsVisibility="variables"
      forcedTheme="system"
      shouldPersistHeaders={false}
      showPersistHeadersSettings={false}
    >
      <GraphiQL.Logo>
        <></>
      </GraphiQL.Logo>
      <GraphiQL.Toolbar>
        {({ prettify, merge, copy }) => (
          <>
            {prettify}
            {merge}
            {copy}
            <ShareButton />
          </>
        )}
      </GraphiQL.Toolbar>
      <GraphiQL.Footer>
        <Results ask={ask} watch={watch} />
      </GraphiQL.Footer>
      <Followers bar={bar} />
    </GraphiQL>
  );
}

/**
 * Follows what happens outside of GraphiQL: another key may see another part of
 * the schema, the editors do not notice by themselves that night has come, and
 * a link that is pasted into the address of the open page loads nothing.
 */
function Followers({ bar }: { bar: Bar }) {
  const { introspect, setTheme } = useGraphiQLActions();
  const openInTab = useOpenInTab();
  useEffect(() => bar.onKeyChange(introspect), [bar, introspect]);
  useEffect(() => followSystemTheme(() => setTheme(null)), [setTheme]);
  useEffect(() => {
    const open = () => {
      const link = takeLink();
      if (link) openInTab(link);
    };
    addEventListener('hashchange', open);
    return () => removeEventListener('hashchange', open);
  }, [openInTab]);
  return null;
}
