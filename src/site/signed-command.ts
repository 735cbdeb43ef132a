import type { Result } from '../core/index.ts';
import { formatTime } from '../core/text/rfc3339.ts';
import { commandText } from '../core/trust/command-text.ts';
import { usage, type Problem } from '../base/problem.ts';
import type { World } from '../base/world.ts';
import { namedRegistry } from '../host/registry-choice.ts';
import { signedBy } from '../host/signing-program.ts';
import { newKey, type CommandToGive } from '../registry/command-client.ts';
import type { ConfigOptions } from './config-options.ts';
import { shownKeys } from './keys.ts';
import { signersOf, type SigningOptions } from './signing.ts';

/** A command to give, and who signed it. */
export interface SignedToGive {
  readonly command: CommandToGive;
  /** Undefined if it is not signed: the options name no key, or it is a hold, which needs none. */
  readonly signed: { readonly keyIds: readonly string[]; readonly site: string } | undefined;
}

/** A command to a machine with the signatures of the keys that the options name, for the site of its registry (D392). */
export async function signedCommand(
  machine: string,
  command: CommandToGive,
  options: ConfigOptions & SigningOptions,
  world: World,
): Promise<Result<SignedToGive, Problem>> {
  const signers = command.kind === 'hold' ? NONE : signersOf(options, world);
  if (!signers.ok) return signers;
  if (signers.value.length === 0) return { ok: true, value: { command, signed: undefined } };
  const keys = await shownKeys({ registry: namedRegistry(options, world) ?? '' }, world);
  if (!keys.ok) return keys;
  const { name: site } = keys.value.document;
  const { kind, module, version, reason, expires_in: expiresIn } = command;
  const id = newKey();
  const givenAt = world.clock();
  const expiresAt = givenAt + expiresIn * 1000;
  const about = { kind, module: module ?? undefined, version: version ?? undefined, reason };
  const text = commandText(site, { machine, id, ...about, givenAt, expiresAt });
  const own = signedBy(signers.value, text);
  if (!own.ok) return own;
  const signatures = Object.fromEntries(own.value);
  const times = { given_at: formatTime(givenAt), expires_at: formatTime(expiresAt) };
  const signed = { ...times, signatures };
  return {
    ok: true,
    value: {
      command: { ...command, key: id, signed },
      signed: { keyIds: Object.keys(signatures), site },
    },
  };
}

const NONE = { ok: true, value: [] } as const;

/** Why a command to a group is not given: a signature names one machine. */
export function signedGroupFault({ key, signWith }: SigningOptions): Problem | undefined {
  if (key === undefined && signWith === undefined) return undefined;
  const option = key === undefined ? '--sign-with' : '--key';
  return usage(
    `${option} and --group are given, and operators sign for one machine: nothing was given`,
  );
}
