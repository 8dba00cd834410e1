/** An operation as its text and the text of its variables. */
export interface Shared {
  query: string;
  variables: string;
}

/**
 * The address of this page with an operation in its fragment, which browsers
 * send to nobody. Neither key nor headers are part of it.
 */
export function linkTo({ query, variables }: Shared): string {
  const fragment = new URLSearchParams({ query });
  if (variables.trim()) fragment.set('variables', variables);
  return `${location.origin}${location.pathname}#${fragment}`;
}

/** Takes the operation out of the page's address, where there is one. */
export function takeLink(): Shared | undefined {
  const fragment = new URLSearchParams(location.hash.slice(1));
  const query = fragment.get('query');
  if (!query) return undefined;
  history.replaceState(null, '', location.pathname + location.search);
  return { query, variables: fragment.get('variables') ?? '' };
}
