import type * as ReactModule from 'react';

/** The part of the properties of Swagger UI's Execute button that is used here. */
interface ExecuteProperties {
  operation: { isEmpty(): boolean };
  disabled: boolean;
}

/** The part of Swagger UI's system that makes elements: its own React. */
interface System {
  React: typeof ReactModule;
}

/**
 * A plugin of Swagger UI: an operation can be executed once it is resolved.
 * Swagger UI offers the button before it knows the parameters, and whoever
 * pressed it then would wait for an answer to a request that was never sent.
 */
export const executeOnceResolved = () => ({
  wrapComponents: {
    execute: (Execute: ReactModule.ComponentType<ExecuteProperties>, { React }: System) => (properties: ExecuteProperties) =>
      React.createElement(Execute, { ...properties, disabled: properties.disabled || properties.operation.isEmpty() }),
  },
});
