import { dirname, join, resolve } from 'node:path';
import { statSync } from 'node:fs';
import { withField } from '../../../config/added-field.ts';
import { DEFAULT_TERMS, isPin } from '../../../core/machine/update-policy.ts';
import type { Result } from '../../../core/index.ts';
import { quote } from '../../../core/text/quote.ts';
import { parseRegistryAddress } from '../../../registry/address.ts';
import { usage, type Problem } from '../../../base/problem.ts';
import type { World } from '../../../base/world.ts';
import { documentWithErrors } from '../../../host/document-findings.ts';
import { POLICY, readPolicyFor } from '../../../host/policy-file.ts';
import { namedRegistry, type RegistryOptions } from '../../../host/registry-choice.ts';

/** The options that say whom the machine trusts. */
export interface PinOptions {
  /** The digest of a trust document, `sha256:…`. */
  readonly trust?: string | undefined;
  readonly policy?: string | undefined;
  readonly registry?: string | undefined;
}

/** A policy that is to be written. */
export interface NewPolicy {
  readonly path: string;
  readonly text: string;
  readonly mode: number;
}

const PUBLIC = 0o644;
const VARIABLE = 'MODREG_TRUST';

/**
 * The policy with the digest that `--trust` or `MODREG_TRUST` names, for the machine config at `machine`; undefined if none is named, or
 * the policy has it (D174). A policy that says something else is not changed.
 */
export function policyWithPin(
  machine: string,
  { trust, registry, policy }: PinOptions,
  { environment }: World,
): Result<NewPolicy | undefined, Problem> {
  const pin = trust ?? (environment[VARIABLE] || undefined);
  if (pin === undefined) return { ok: true, value: undefined };
  if (!isPin(pin)) {
    const where = trust === undefined ? VARIABLE : '--trust';
    const expected = 'sha256: and 64 hexadecimal digits, as modreg keys show prints them';
    return { ok: false, error: usage(`${where} is ${quote(pin)}, expected ${expected}`) };
  }
  const path = resolve(policy ?? join(dirname(machine), POLICY));
  const found = readPolicyFor(machine, policy);
  if (!found.ok) return found;
  if (!found.value) {
    const text = `${JSON.stringify({ registry, trust: pin }, undefined, 2)}\n`;
    return { ok: true, value: { path, text, mode: PUBLIC } };
  }
  const { reading, file } = found.value;
  if (!reading.ok) {
    return { ok: false, error: documentWithErrors('the policy', path, reading, 'policy') };
  }
  const own = reading.value.terms.trust;
  if (own === pin) return { ok: true, value: undefined };
  if (own !== undefined) {
    const message = `the policy ${quote(path)} has "trust": "${own}", and nothing was changed`;
    return { ok: false, error: usage(message, `to trust ${pin}, change it there`) };
  }
  const text = withField(Buffer.from(file.bytes).toString(), 'trust', pin);
  return { ok: true, value: { path, text, mode: statSync(path).mode & 0o777 } };
}

/**
 * The warning that nobody has to sign what a machine runs, with the digest that its registry says to have, for comparison; undefined
 * if its policy says `trust`, or its registry is of another kind (D175). That digest proves nothing, so it is written nowhere.
 */
export async function offeredPin(
  machine: string,
  options: PinOptions & RegistryOptions,
  world: World,
): Promise<Problem | undefined> {
  const policy = readPolicyFor(machine, options.policy);
  const terms =
    policy.ok && policy.value?.reading.ok ? policy.value.reading.value.terms : DEFAULT_TERMS;
  const registry = namedRegistry(options, world) ?? terms.registry;
  const address = registry === undefined ? undefined : parseRegistryAddress(registry);
  if (registry === undefined || terms.trust !== undefined) return undefined;
  if (!address?.ok || address.value.kind !== 'modreg') return undefined;
  const { shownKeys } = await import('../../../site/keys.ts');
  const shown = await shownKeys({ registry }, world);
  const offer = shown.ok ? `it offers ${shown.value.pin}` : shown.error.message;
  return {
    severity: 'warning',
    kind: 'unsigned-releases',
    message: `releases of ${quote(registry)} need no signatures, because the policy names no trust document; ${offer}`,
    hint: shown.ok
      ? `compare it with what modreg keys show prints on the host of the registry, then run this again with --trust ${shown.value.pin}`
      : '"trust": "unsigned" in the policy says that this is meant',
  };
}
