import { tokenFor } from '../../support/token.ts';
import { testRegistry, type TestRegistry } from './registry.ts';

/** A registry, and requests with tokens that are named after their scopes. */
export interface Asking {
  readonly registry: TestRegistry;
  readonly as: (
    scope: string,
    method: string,
    path: string,
    body?: object,
  ) => Promise<{ readonly status: number; readonly json: unknown }>;
}

export function asking(): Asking {
  const registry = testRegistry();
  const tokens = new Map<string, string>();
  return {
    registry,
    async as(scope, method, path, body) {
      const token =
        tokens.get(scope) ?? tokenFor(registry.catalogue, [scope], scope.replace(':', '-'));
      tokens.set(scope, token);
      const headers = { authorization: `Bearer ${token}` };
      const { status, json } = await registry.ask(method, path, { headers, ...(body && { body }) });
      return { status, json };
    },
  };
}
