import { Kind, parse } from 'graphql';

/** A worked query: what it is about stands in the comments at its beginning. */
export interface Example {
  title: string;
  description: string;
  /** The permission that a key needs for it; a visitor without one may run the others. */
  permission?: string;
  query: string;
}

const files = import.meta.glob<string>('./examples/*.graphql', { query: '?raw', import: 'default', eager: true });

/** All examples, in the order of their files. */
export const examples: Example[] = Object.entries(files)
  .sort(([a], [b]) => (a < b ? -1 : 1))
  .map(([, text]) => readExample(text));

function readExample(query: string): Example {
  const [title = '', description = '', needs] = query
    .split('\n')
    .filter((line) => line.startsWith('# '))
    .map((line) => line.slice(2));
  return { title, description, permission: needs?.split(': ')[1], query };
}

/** The names of the variables that a query has. */
export function variablesOf(query: string): string[] {
  return parse(query).definitions.flatMap((definition) =>
    definition.kind === Kind.OPERATION_DEFINITION
      ? (definition.variableDefinitions ?? []).map(({ variable }) => variable.name.value)
      : [],
  );
}
