import type { Result } from '../core/index.ts';
import type { WebRegistryAddress } from './address.ts';
import type { Connection } from './http/connection.ts';
import { withErrorContext } from './http/error-context.ts';
import type { Reply } from './http/exchange.ts';
import type { RegistryError } from './registry-error.ts';
import { tokenRegistry, type TokenRegistryOptions } from './token-registry.ts';

/** Sends a request about what a registry serves to a machine, or to those of a group, and reads the answer. */
export type AskingOfMachine = <T>(
  of: string | { readonly group: string },
  path: string,
  how: {
    readonly ask: (to: Connection, address: URL) => Promise<Reply>;
    readonly read: (reply: Reply) => T;
  },
) => Promise<T>;

/** Texts of documents are few tokens, and escapes make them longer. */
export const MACHINE_BOUNDS = {
  accept: 'application/json',
  largest: 8 * 1024 * 1024,
  mostTokens: 100_000,
  readsDenial: true,
  answered: new Set([204, 404, 409, 422]),
} as const;

/** Opens a registry for what it serves to machines in one `folder`. The error is `bad-address` as for reports. */
export function machineClient(
  address: WebRegistryAddress,
  folder: 'config' | 'commands',
  options: TokenRegistryOptions,
): Result<AskingOfMachine, RegistryError> {
  const opened = tokenRegistry(address, 'configure machines of', options);
  if (!opened.ok) return opened;
  const { where, base, connection } = opened.value;
  const asking: AskingOfMachine = async (of, path, { ask, read }) => {
    const to = await connection();
    const [kind, id] = typeof of === 'string' ? ['machines', of] : ['groups', of.group];
    const at = new URL(`v1/${kind}/${encodeURIComponent(id)}/${folder}${path}`, base);
    return await to.redacting(async () => {
      const reply = await ask(to, at);
      return withErrorContext(where, () => read(reply));
    });
  };
  return { ok: true, value: asking };
}
