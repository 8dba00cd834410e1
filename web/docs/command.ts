/** What stands in a shown command where the real request has a secret. */
const placeholders: Record<string, string> = {
  'X-Service-Api-Key': 'YOUR_API_KEY',
  'X-Api-Key': 'YOUR_API_KEY',
  Authorization: 'Bearer YOUR_SESSION',
  Cookie: 'service_session=YOUR_SESSION',
};

/** The part of Swagger UI's request that its shown command is made of. */
interface Shown {
  headers: Record<string, string>;
}

/** The part of Swagger UI's system that knows the document. */
interface System {
  specSelectors: { specJson(): { hasIn(path: (string | number)[]): boolean } };
}

type SetRequest = (path: string, method: string, request: Shown) => unknown;

/**
 * A plugin of Swagger UI: the command that is shown for a request can be copied
 * to others. Secrets are replaced, and where a key is needed there is a place
 * for one, whatever this page used itself.
 */
export const commandWithoutSecrets = () => ({
  statePlugins: {
    spec: {
      wrapActions: {
        setMutatedRequest:
          (original: SetRequest, { specSelectors }: System): SetRequest =>
          (path, method, request) => {
            const needsKey = specSelectors.specJson().hasIn(['paths', path, method, 'security', 0, 'ApiKey']);
            return original(path, method, { ...request, headers: withPlaceholders(request.headers, needsKey) });
          },
      },
    },
  },
});

function withPlaceholders(headers: Record<string, string>, needsKey: boolean): Record<string, string> {
  const shown = { ...headers };
  for (const [name, placeholder] of Object.entries(placeholders)) {
    if (name in shown) shown[name] = placeholder;
  }
  if (needsKey && !('X-Api-Key' in shown)) shown['X-Service-Api-Key'] = 'YOUR_API_KEY';
  return shown;
}
