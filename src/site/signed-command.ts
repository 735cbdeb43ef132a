import type { Result } from '../core/index.ts';
import { formatTime } from '../core/text/rfc3339.ts';
import { commandText } from '../core/trust/command-text.ts';
import type { Problem } from '../base/problem.ts';
import type { World } from '../base/world.ts';
import { namedRegistry } from '../host/registry-choice.ts';
import { signedBy } from '../host/signing-program.ts';
import { newKey, type CommandToGive } from '../registry/command-client.ts';
import type { FleetOptions } from './fleet-options.ts';
import { shownKeys } from './keys.ts';
import { namedSigners, type SigningOptions } from './signing.ts';

/** Who signed a command, and for which site. */
export interface SignedBy {
  readonly keyIds: readonly string[];
  readonly site: string;
}

/** A command to give, and who signed it. */
export interface SignedToGive {
  readonly command: CommandToGive;
  readonly signed: SignedBy;
}

/** Signs one command for each machine, at one time. */
export interface CommandSigning {
  readonly expiresAt: string;
  /** The error is why a key did not sign. */
  readonly sign: (machine: string) => Result<SignedToGive, Problem>;
}

/** Signs `command` with the keys that the options name, for the site of the registry (D392); undefined if they name none. The environment names none (D405). */
export async function commandSigning(
  command: CommandToGive,
  options: FleetOptions & SigningOptions,
  world: World,
): Promise<Result<CommandSigning | undefined, Problem>> {
  const signers = namedSigners(options, world);
  if (!signers.ok) return signers;
  if (signers.value.length === 0) return { ok: true, value: undefined };
  const keys = await shownKeys({ registry: namedRegistry(options, world) ?? '' }, world);
  if (!keys.ok) return keys;
  const { name: site } = keys.value.document;
  const givenAt = world.clock();
  const expiresAt = givenAt + command.expires_in * 1000;
  const times = { given_at: formatTime(givenAt), expires_at: formatTime(expiresAt) };
  const { kind, module, version, reason } = command;
  const about = { kind, module: module ?? undefined, version: version ?? undefined, reason };
  const sign: CommandSigning['sign'] = (machine) => {
    const id = newKey();
    const text = commandText(site, { machine, id, ...about, givenAt, expiresAt });
    const own = signedBy(signers.value, text);
    if (!own.ok) return own;
    const signatures = Object.fromEntries(own.value);
    const signed = { keyIds: Object.keys(signatures), site };
    const one = { ...command, key: id, signed: { ...times, signatures } };
    return { ok: true, value: { command: one, signed } };
  };
  return { ok: true, value: { expiresAt: times.expires_at, sign } };
}
