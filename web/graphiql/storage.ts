type Storage = NonNullable<React.ComponentProps<typeof import('graphiql').GraphiQL>['storage']>;

/**
 * GraphiQL's memory of tabs, history and layout, less every request header.
 * GraphiQL leaves headers out of its tabs when asked to, but its history keeps
 * them; a header may be a credential, so none reaches the disk.
 */
export function storageWithoutHeaders(store: Storage): Storage {
  return {
    getItem: (name) => store.getItem(name),
    setItem: (name, value) => store.setItem(name, withoutHeaders(value)),
    removeItem: (name) => store.removeItem(name),
    clear: () => store.clear(),
    get length() {
      return store.length;
    },
  };
}

function withoutHeaders(value: string): string {
  try {
    return JSON.stringify(JSON.parse(value, (name, part) => (name === 'headers' ? undefined : part)));
  } catch {
    return value;
  }
}
