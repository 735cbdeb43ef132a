import type { LogRecord } from '../../../src/logs/log-record.ts';
import { SERVER_LIMITS, type ServerLimits } from '../../../src/server/server-limits.ts';
import { exported } from '../../support/otlp-logs.ts';
import { tokenFor } from '../../support/token.ts';
import { testRegistry, type TestRegistry } from './registry.ts';

/** A registry to which machines send logs. */
export interface Logging {
  readonly registry: TestRegistry;
  /** Sends lines with the token of a machine, and returns the status and the body. */
  readonly send: (machine: string, lines: readonly LogRecord[]) => Promise<[number, unknown]>;
  /** The texts of a page, the newest first. */
  readonly texts: (query?: string) => Promise<unknown>;
  readonly read: (query?: string) => Promise<Record<string, unknown>>;
}

export function logging(limits: Partial<ServerLimits> = {}): Logging {
  const registry = testRegistry({ limits: { ...SERVER_LIMITS, ...limits } });
  const tokens = new Map<string, string>();
  const as = (scope: string): { authorization: string } => {
    const token =
      tokens.get(scope) ?? tokenFor(registry.catalogue, [scope], scope.replace(':', '-'));
    tokens.set(scope, token);
    return { authorization: `Bearer ${token}` };
  };
  const read = async (query = ''): Promise<Record<string, unknown>> => {
    const path = `/v1/fleet/logs${query}`;
    return Object((await registry.ask('GET', path, { headers: as('logs:read') })).json);
  };
  return {
    registry,
    async send(machine, lines) {
      const request = { headers: as(`machine:${machine}`), body: exported(lines, machine) };
      const { status, json } = await registry.ask('POST', '/v1/logs', request);
      return [status, json];
    },
    read,
    async texts(query) {
      const { lines } = await read(query);
      return (lines as { text: string }[]).map(({ text }) => text);
    },
  };
}

/** A line of the agent at the time of the registry, but for its text. */
export const LINE = {
  machine: 'rover-7',
  at: '2026-11-21T01:02:03Z',
  received_at: '2026-11-21T01:02:03Z',
  level: 'info',
  module: null,
  version: null,
  event: null,
};

/** Sends a body with these headers as rover-7. */
export async function posted(
  { registry }: Logging,
  body: string | Uint8Array,
  headers: Readonly<Record<string, string>> = {},
): Promise<[number, unknown]> {
  const token = tokenFor(registry.catalogue, ['machine:rover-7'], 'rover-7');
  const authorization = `Bearer ${token}`;
  const request = { headers: { authorization, ...headers }, body };
  const { status, json } = await registry.ask('POST', '/v1/logs', request);
  return [status, status === 200 ? json : Object(json).detail];
}
