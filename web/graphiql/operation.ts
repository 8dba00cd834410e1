import { tryParseJSONC, useGraphiQL, useOperationsEditorState, useVariablesEditorState } from '@graphiql/react';
import { Kind, OperationTypeNode, parse } from 'graphql';
import { useMemo } from 'react';
import type { Operation } from './ask';
import type { Shared } from './link';

/** What the editors hold, and the operation that it makes. */
export interface Edited extends Shared {
  /** Absent while the editors hold none that could be sent. */
  operation?: Operation;
  streams: boolean;
}

/** The operation of the tab that is open, as the visitor types it. */
export function useEditedOperation(): Edited {
  const [query] = useOperationsEditorState();
  const [variables] = useVariablesEditorState();
  const operationName = useGraphiQL((state) => state.operationName);
  return useMemo(() => ({ query, variables, ...read(query, variables, operationName) }), [query, variables, operationName]);
}

function read(query: string, variables: string, operationName?: string): Pick<Edited, 'operation' | 'streams'> {
  try {
    const all = parse(query).definitions.filter((definition) => definition.kind === Kind.OPERATION_DEFINITION);
    const chosen = all.find(({ name }) => name?.value === operationName) ?? all[0];
    if (!chosen) return { streams: false };
    const given = tryParseJSONC(variables) as Operation['variables'];
    return {
      operation: {
        query,
        ...(given && { variables: given }),
        ...(all.length > 1 && { operationName: chosen.name?.value }),
      },
      streams: chosen.operation === OperationTypeNode.SUBSCRIPTION,
    };
  } catch {
    return { streams: false };
  }
}
