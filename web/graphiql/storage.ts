import type { Storage as GraphiQLStorage } from '@graphiql/toolkit';

/**
 * GraphiQL's memory of tabs, history and layout, less every request header.
 * GraphiQL leaves headers out of its tabs when asked to, but its history keeps
 * them; a header may be a credential, so none reaches the disk.
 */
export function storageWithoutHeaders(store: Storage): GraphiQLStorage {
  const ownNames = () => Object.keys(store).filter((name) => name.startsWith('graphiql:'));
  return {
    getItem: (name) => store.getItem(name),
    setItem: (name, value) => store.setItem(name, withoutHeaders(value)),
    removeItem: (name) => store.removeItem(name),
    clear: () => ownNames().forEach((name) => store.removeItem(name)),
    get length() {
      return ownNames().length;
    },
  };
}

function withoutHeaders(value: string): string {
  if (!value.includes('"headers"')) return value;
  try {
    return JSON.stringify(JSON.parse(value, (name, part) => (name === 'headers' ? null : part)));
  } catch {
    return value;
  }
}
