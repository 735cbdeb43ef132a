import type { Result } from '../core/index.ts';
import { excerpt } from '../core/text/quote.ts';
import type { WebRegistryAddress } from './address.ts';
import { addressError } from './address-error.ts';
import { systemRandom } from './clock.ts';
import { baseOf, type HttpRegistryOptions } from './http-registry.ts';
import type { Connection } from './http/connection.ts';
import { withErrorContext } from './http/error-context.ts';
import type { Reply } from './http/exchange.ts';
import { DEFAULT_LIMITS } from './http/limits.ts';
import { memoizeUntilError } from './memoize-until-error.ts';
import type { RegistryError } from './registry-error.ts';

/** Sends a request about what a registry serves to a machine, and reads the answer. */
export type AskingOfMachine = <T>(
  machine: string,
  path: string,
  how: {
    readonly ask: (to: Connection, address: URL) => Promise<Reply>;
    readonly read: (reply: Reply) => T;
  },
) => Promise<T>;

export type MachineClientOptions = Omit<HttpRegistryOptions, 'allowHttp'> &
  Required<Pick<HttpRegistryOptions, 'clock'>>;

/** Texts of documents are few tokens, and escapes make them longer. */
export const MACHINE_BOUNDS = {
  accept: 'application/json',
  largest: 8 * 1024 * 1024,
  mostTokens: 100_000,
  readsDenial: true,
  answered: new Set([204, 404, 409]),
} as const;

/** Opens a registry for what it serves to machines in one `folder`. The error is `bad-address` as for reports. */
export function machineClient(
  { kind, url }: WebRegistryAddress,
  folder: 'config' | 'commands',
  options: MachineClientOptions,
): Result<AskingOfMachine, RegistryError> {
  const where = `the registry ${excerpt(`${url.origin}${url.pathname}`.replace(/\/$/, ''))}`;
  const error = addressError({ kind, url }, where, 'configure machines of');
  if (error) return { ok: false, error };
  const base = baseOf(kind, url);
  const connection = memoizeUntilError(async () => {
    const { connect } = await import('./http/connection.ts');
    const { random = systemRandom, onRetry = () => undefined } = options;
    const limits = { ...DEFAULT_LIMITS, ...options.limits };
    return connect(where, { ...options, random, onRetry, limits });
  });
  const asking: AskingOfMachine = async (machine, path, { ask, read }) => {
    const to = await connection();
    const address = new URL(`v1/machines/${encodeURIComponent(machine)}/${folder}${path}`, base);
    return await to.redacting(async () => {
      const reply = await ask(to, address);
      return withErrorContext(where, () => read(reply));
    });
  };
  return { ok: true, value: asking };
}
