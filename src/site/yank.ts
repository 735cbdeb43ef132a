import { indexReleases, type Result, type Secret } from '../core/index.ts';
import { yankText } from '../core/trust/yank-text.ts';
import { usage, type Problem } from '../base/problem.ts';
import { fetchIn } from '../base/network.ts';
import type { World } from '../base/world.ts';
import { signedBy } from '../host/signing-program.ts';
import { tokensIn } from '../host/registry-token.ts';
import { openRegistries } from '../registries/open-registries.ts';
import { RegistryError } from '../registry/registry-error.ts';
import type { Catalogue } from '../server/index.ts';
import { databaseProblem, withCatalogue } from './catalogue-options.ts';
import { recordsIn } from './catalogue-records.ts';
import { unknownRelease, type NamedRelease } from './named-release.ts';
import { refusalProblem, withWriter, type ChangeOptions } from './remote-registry.ts';
import { signersOf, type SigningOptions } from './signing.ts';
import { yankEffects, type YankEffect } from './yank-effect.ts';

/** A release, and the reason to yank it; null to unyank it. */
export interface Yank extends NamedRelease {
  readonly reason: string | null;
}

/** What a yank came to. */
export interface Yanked {
  /** Whether it changed something, as far as the registry says it. */
  readonly isNew: boolean;
  readonly effects: readonly YankEffect[];
  /** Why the effects are not known. */
  readonly problems: readonly Problem[];
}

/** Yanks or unyanks a release, in a file or over HTTP. */
export async function yankRelease(
  yank: Yank,
  options: ChangeOptions & SigningOptions,
  world: World,
): Promise<Result<Yanked, Problem>> {
  const signatures = signaturesOf(yank, options, world);
  if (!signatures.ok) return signatures;
  const signed = { ...yank, signatures: signatures.value };
  if (options.registry === undefined) return yankInFile(signed, options, world);
  return await withWriter(options, world, async (writer) => {
    const { moduleId, version, reason } = yank;
    const result = await writer.yank(moduleId, version, reason, signatures.value);
    if (result.kind !== 'done') return { ok: false, error: refusalProblem(result) };
    const effects = reason === null ? [] : await effectsOver(yank, options, world);
    return { ok: true, value: { isNew: true, effects, problems: [] } };
  });
}

const WRITE = { mode: 'write', hasAddress: true } as const;

/** A yank with the signatures of authors. */
interface SignedYank extends Yank {
  readonly signatures: Readonly<Record<string, string>> | undefined;
}

/** The signatures of the keys that the options name (D166); undefined without a key, and for what reverts a yank. */
function signaturesOf(
  { moduleId, version, reason }: Yank,
  options: SigningOptions,
  world: World,
): Result<SignedYank['signatures'], Problem> {
  const signers = signersOf(options, world);
  if (!signers.ok) return signers;
  if (reason === null || signers.value.length === 0) return { ok: true, value: undefined };
  const text = yankText(moduleId, version, reason);
  const signed = signedBy(signers.value, text);
  return signed.ok ? { ok: true, value: Object.fromEntries(signed.value) } : signed;
}

function yankInFile(
  yank: SignedYank,
  options: ChangeOptions,
  world: World,
): Result<Yanked, Problem> {
  const { moduleId, version, reason, signatures } = yank;
  return withCatalogue(options, world, WRITE, (catalogue): Result<Yanked, Problem> => {
    const signed = { version, reason: reason ?? '', signatures };
    const fault = catalogue.trust.yankFault(moduleId, signed);
    if (fault !== undefined) return { ok: false, error: usage(`${fault}; nothing was changed`) };
    const now = world.clock();
    const result = catalogue.apply({ kind: 'yank', moduleId, version, reason, now, signatures });
    switch (result) {
      case 'unknown-module':
      case 'unknown-version':
        return { ok: false, error: unknownRelease(result, yank) };
      case 'done':
      case 'unchanged':
        return { ok: true, value: { isNew: result === 'done', ...effectsIn(catalogue, yank) } };
    }
  });
}

/** The effects according to the list that the file now has; a problem if a row of the module is damaged. */
function effectsIn(
  catalogue: Catalogue,
  { moduleId, version, reason }: Yank,
): Pick<Yanked, 'effects' | 'problems'> {
  try {
    const records = reason === null ? [] : recordsIn(catalogue, moduleId);
    const effects = reason === null ? [] : yankEffects(indexReleases(records), version);
    return { effects, problems: [] };
  } catch (error) {
    const problem = {
      ...databaseProblem(error),
      hint: `${moduleId} ${version} is yanked, but machines get no list of ${moduleId} until the row is repaired: modreg registry restore <folder> --replace restores a backup`,
    };
    return { effects: [], problems: [problem] };
  }
}

/** The effects according to the list that the registry now serves; none if it cannot be read. */
async function effectsOver(
  { moduleId, version }: Yank,
  { registry }: ChangeOptions,
  world: World,
): Promise<YankEffect[]> {
  const tokens = tokensIn(world, registry);
  const token = (url: URL): Secret | undefined => {
    const read = tokens(url);
    return read.ok ? read.value.token : undefined;
  };
  const opened = openRegistries({ token, fetch: fetchIn(world) }).open({ registry });
  if (!opened.ok) return [];
  try {
    const { records } = await opened.value.read(moduleId);
    return yankEffects(indexReleases(records), version);
  } catch (error) {
    // The release is yanked in any case, which is what the command says.
    if (error instanceof RegistryError) return [];
    throw error;
  }
}
