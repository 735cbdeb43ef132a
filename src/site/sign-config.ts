import type { Result } from '../core/index.ts';
import { usage, type Problem } from '../base/problem.ts';
import type { World } from '../base/world.ts';
import { signedBy } from '../host/signing-program.ts';
import type { ShownConfig } from '../registry/config-documents.ts';
import { signedConfigText } from '../registry/trust/config-signatures.ts';
import { pinOf } from '../registry/trust/ed25519.ts';
import { configResult, withConfigs, type ConfigOptions } from './config-options.ts';
import { namedRegistry } from '../host/registry-choice.ts';
import { shownKeys } from './keys.ts';
import { signersOf, type SigningOptions } from './signing.ts';

export type SignConfigOptions = ConfigOptions &
  SigningOptions & {
    /** The digest of what was shown, so that nothing else is signed. */
    readonly seen?: string;
  };

/** A revision, and what its signatures are over. */
export interface SignedConfig {
  readonly shown: ShownConfig;
  readonly text: string;
  readonly seen: string;
  /** The keys that signed it now; empty if it was only shown. */
  readonly keyIds: readonly string[];
}

/** Signs the newest revision of a machine with keys of operators; without a key, only shows what that would be (D263). */
export async function signConfig(
  options: SignConfigOptions,
  world: World,
): Promise<Result<SignedConfig, Problem>> {
  const signers = signersOf(options, world);
  if (!signers.ok) return signers;
  return await withConfigs(options, world, async ({ machine, client }) => {
    const found = configResult(await client.shown(machine), machine);
    if (!found.ok) return found;
    const registry = namedRegistry(options, world) ?? '';
    const keys = await shownKeys({ registry }, world);
    if (!keys.ok) return keys;
    const shown = found.value;
    const { config, policy, revision } = shown;
    const of = { machine, revision, config, policy: policy ?? undefined };
    const text = signedConfigText(keys.value.document.name, of);
    const seen = pinOf(text);
    const first = { shown, text, seen, keyIds: [] };
    if (options.seen !== undefined && options.seen !== seen) {
      const hint = 'the same command without --key shows what the registry has now';
      return {
        ok: false,
        error: usage(`--seen is not the digest of this revision, ${seen}`, hint),
      };
    }
    if (signers.value.length === 0) return { ok: true, value: first };
    const own = signedBy(signers.value, text);
    if (!own.ok) return own;
    const signatures = Object.fromEntries(own.value);
    const done = configResult(
      await client.send(machine, '/signatures', { revision, signatures }),
      machine,
    );
    return done.ok ? { ok: true, value: { ...first, keyIds: Object.keys(signatures) } } : done;
  });
}
