import { explorerPlugin } from '@graphiql/plugin-explorer';
import { useGraphiQLActions } from '@graphiql/react';
import { GraphiQL, HISTORY_PLUGIN } from 'graphiql';
import { useEffect, useMemo } from 'react';
import type { Bar } from '../shared/bar';
import { createCredentials } from '../shared/credentials';
import { followSystemTheme } from '../shared/theme';
import defaultQuery from './default-query.graphql?raw';
import { createFetcher } from './fetcher';
import { storageWithoutHeaders } from './storage';

const plugins = [explorerPlugin(), HISTORY_PLUGIN];
const storage = storageWithoutHeaders(localStorage);

/** GraphiQL, asking /graphql with the key of the bar, or as this page without one. */
export function Console({ bar }: { bar: Bar }) {
  const fetcher = useMemo(() => createFetcher(createCredentials(bar)), [bar]);
  return (
    <GraphiQL
      fetcher={fetcher}
      plugins={plugins}
      storage={storage}
      defaultQuery={defaultQuery}
      defaultEditorToolsVisibility="variables"
      forcedTheme="system"
      shouldPersistHeaders={false}
      showPersistHeadersSettings={false}
    >
      <GraphiQL.Logo>
        <></>
      </GraphiQL.Logo>
      <Followers bar={bar} />
    </GraphiQL>
  );
}

/**
 * Follows what happens outside of GraphiQL: another key may see another part of
 * the schema, and the editors do not notice by themselves that night has come.
 */
function Followers({ bar }: { bar: Bar }) {
  const { introspect, setTheme } = useGraphiQLActions();
  useEffect(() => bar.onKeyChange(introspect), [bar, introspect]);
  useEffect(() => followSystemTheme(() => setTheme(null)), [setTheme]);
  return null;
}
