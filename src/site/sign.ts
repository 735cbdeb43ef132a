import type { ModuleId, Result } from '../core/index.ts';
import { isJsonObject, type JsonObject } from '../registry/formats/json-object.ts';
import { releaseText } from '../core/trust/release-text.ts';
import { usage, type Problem } from '../base/problem.ts';
import type { World } from '../base/world.ts';
import { readRelease } from '../server/catalogue/published-release.ts';
import type { PublishedRelease } from '../server/index.ts';
import { releasesIn } from '../registry/publish-times.ts';
import { pinOf } from '../registry/trust/ed25519.ts';
import { withCatalogue } from './catalogue-options.ts';
import { moduleIdIn, unknownRelease } from './named-release.ts';
import { countsOf, publishOver, type Counts } from './publish.ts';
import { refusedIn } from './refused-publication.ts';
import { withWriter, type ChangeOptions } from './remote-registry.ts';
import { signedReleases, signersOf, type SigningOptions } from './signing.ts';
import type { Signer } from '../host/signing-program.ts';

export type SignOptions = ChangeOptions &
  SigningOptions & {
    /** The digest of what was shown, so that nothing else is signed. */
    readonly seen?: string;
  };

/** A release that can be signed. */
interface Signable {
  readonly version: string;
  /** What its signatures are over. */
  readonly text: string;
  /** The keys that signed it already, which were not checked. */
  readonly keyIds: readonly string[];
}

interface Signed {
  readonly moduleId: ModuleId;
  readonly releases: readonly Signable[];
  /** Versions that cannot be signed: with a file without a size, or that cannot be read. */
  readonly skipped: readonly string[];
  /** A digest of all the texts. */
  readonly seen: string;
  /** Undefined without a key: the releases were only read. */
  readonly counts: Counts | undefined;
}

type Outcome = Result<Signed, Problem>;

/** What to do with the releases of a list: read them, or sign them as well. */
interface Signing {
  readonly moduleId: ModuleId;
  readonly version: string | undefined;
  readonly signers: readonly Signer[];
  readonly seen: string | undefined;
}

/** Adds signatures to the releases of a module, or to one of them, as the registry has them. Without a key, only reads them (D147). */
export async function signReleases(
  moduleText: string,
  version: string | undefined,
  options: SignOptions,
  world: World,
): Promise<Outcome> {
  const signers = signersOf(options, world);
  if (!signers.ok) return signers;
  const moduleId = moduleIdIn(moduleText);
  if (!moduleId.ok) return moduleId;
  const signing = { moduleId: moduleId.value, version, signers: signers.value, seen: options.seen };
  if (options.registry !== undefined) {
    return await withWriter(options, world, async (writer): Promise<Outcome> => {
      const { releases } = await writer.times(signing.moduleId);
      const found = signableIn(releases, signing);
      if (!found.ok || found.value.signed.length === 0) return found;
      const { signed, ...shown } = found.value;
      const done = await publishOver(writer, signing.moduleId, signed, {});
      return done.ok ? { ok: true, value: { ...shown, counts: done.value } } : done;
    });
  }
  return withCatalogue(
    options,
    world,
    { mode: 'write', hasAddress: true },
    (catalogue): Outcome => {
      const found = signableIn(releasesIn(catalogue.document(signing.moduleId)?.bytes), signing);
      if (!found.ok || found.value.signed.length === 0) return found;
      const { signed, ...shown } = found.value;
      const results = catalogue.publishAll(signing.moduleId, signed, world.clock());
      const refused = refusedIn(catalogue, signing.moduleId, signed, results);
      if (refused) return { ok: false, error: refused };
      return { ok: true, value: { ...shown, counts: countsOf(results) } };
    },
  );
}

/** The releases of a list as they are shown, and as they are published again with signatures; none of these without a key. */
function signableIn(
  entries: readonly unknown[],
  { moduleId, version, signers, seen: expected }: Signing,
): Result<Signed & { readonly signed: readonly PublishedRelease[] }, Problem> {
  const named = entries.flatMap((entry) => {
    if (!isJsonObject(entry) || (version ?? entry['version']) !== entry['version']) return [];
    const release = publishedIn(entry);
    return { version: String(entry['version']), release, text: textOf(moduleId, release) };
  });
  if (named.length === 0) {
    const kind = entries.length === 0 ? 'unknown-module' : 'unknown-version';
    return { ok: false, error: unknownRelease(kind, { moduleId, version: version ?? '' }) };
  }
  const releases = named.flatMap(({ version: of, release, text }) =>
    text === undefined ? [] : { version: of, text, keyIds: Object.keys(release?.signatures ?? {}) },
  );
  const seen = pinOf(releases.map(({ text }) => text).join(''));
  if (expected !== undefined && expected !== seen) {
    const hint = 'the same command without --key shows what the registry has now';
    return { ok: false, error: usage(`--seen is not the digest of these releases, ${seen}`, hint) };
  }
  const skipped = named.flatMap(({ version: of, text }) => (text === undefined ? of : []));
  const shown = { moduleId, releases, skipped, seen, counts: undefined };
  if (signers.length === 0) return { ok: true, value: { ...shown, signed: [] } };
  const whole = named.flatMap(({ release, text }) => (text === undefined ? [] : (release ?? [])));
  const times = { now: Number.NaN, of: () => undefined };
  const signed = signedReleases(moduleId, { releases: whole, signers }, times);
  return signed.ok ? { ok: true, value: { ...shown, signed: signed.value } } : signed;
}

/** A release of a list as it was published, without what happened to it since; undefined if it cannot be read. */
function publishedIn({
  yanked: _yanked,
  rollout: _rollout,
  ...published
}: JsonObject): PublishedRelease | undefined {
  const release = readRelease(published);
  return release.ok ? release.value : undefined;
}

function textOf(moduleId: ModuleId, release: PublishedRelease | undefined): string | undefined {
  return release && releaseText(moduleId, release);
}
