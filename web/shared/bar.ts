import './bar.css';

const pages = [
  { path: '/graphiql', label: 'GraphQL' },
  { path: '/docs', label: 'REST reference' },
];

/** The slim header that every page carries, with the box for the API key. */
export interface Bar {
  /** The key as it stands in the box; empty when there is none. */
  key(): string;
  /** Calls back when the visitor has entered another key. */
  onKeyChange(listener: () => void): void;
}

/**
 * Puts the header in front of the page at `path`. The key lives in the input
 * element alone: it is never written to storage, to the address or to a form.
 */
export function mountBar(path: string): Bar {
  const links = pages.map(({ path: href, label }) => {
    const link = element('a', { href, textContent: label });
    if (href === path) link.setAttribute('aria-current', 'page');
    return link;
  });
  const input = element('input', {
    id: 'api-key',
    type: 'password',
    autocomplete: 'off',
    spellcheck: false,
    placeholder: 'none',
    title: 'Sent as X-Service-Api-Key and forgotten when the page closes',
  });

  const nav = element('nav', {});
  nav.append(...links);
  const label = element('label', { textContent: 'API key' });
  label.append(input);
  const header = element('header', { className: 'bar' });
  header.append(element('strong', { textContent: 'Astrolabe' }), nav, label);
  document.body.prepend(header);

  return {
    key: () => input.value.trim(),
    onKeyChange: (listener) => input.addEventListener('change', listener),
  };
}

function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  properties: Partial<HTMLElementTagNameMap[Tag]>,
): HTMLElementTagNameMap[Tag] {
  return Object.assign(document.createElement(tag), properties);
}
