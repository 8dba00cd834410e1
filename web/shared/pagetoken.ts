/** The service accepts a token for an hour; the rest is for slow clocks. */
const freshFor = 50 * 60_000;

/** What a page shows in place of a key: it came with the page's HTML. */
export interface PageToken {
  /** The token, which is fetched again when it is not fresh. */
  current(): Promise<string>;
  /** Has the next one fetched, because the service refused this one. */
  forget(): void;
}

/**
 * Takes the token out of the page. A new one comes from the same address as
 * the page itself, without loading the page again; where that fails, the old
 * one stays in use and the service's answer tells the visitor.
 */
export function takePageToken(): PageToken {
  let token = tokenIn(document);
  let since = Date.now();
  let renewal: Promise<void> | undefined;

  const renew = async () => {
    try {
      const answer = await fetch(location.pathname, { credentials: 'same-origin', cache: 'no-store' });
      const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
      token = tokenIn(page) || token;
      since = Date.now();
    } finally {
      renewal = undefined;
    }
  };

  return {
    async current() {
      if (Date.now() - since >= freshFor) await (renewal ??= renew()).catch(() => undefined);
      return token;
    },
    forget: () => {
      since = -Infinity;
    },
  };
}

function tokenIn(page: Document): string {
  return page.querySelector<HTMLMetaElement>('meta[name="page-token"]')?.content ?? '';
}
