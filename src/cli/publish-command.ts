import type { Result } from '../core/index.ts';
import { quote } from '../core/quote.ts';
import { readRelease, type PublishedRelease } from '../server/published-release.ts';
import { jsonLine } from './answer-json.ts';
import { readRegularFile } from './document-file.ts';
import type { Outcome, Problem } from './problem.ts';
import { failed, withCatalogue, withModuleId, type RegistryOptions } from './registry-options.ts';
import type { World } from './world.ts';

export interface PublishOptions extends RegistryOptions {
  readonly file?: string;
  readonly artifact?: readonly string[];
  readonly digest?: readonly string[];
  readonly size?: readonly string[];
  readonly publishedAt?: string;
  readonly deprecated?: string;
}

/** `modreg registry publish <module_id> [version]`: one release by flags, or those of a file. */
export function publishCommand(
  moduleIdText: string,
  version: string | undefined,
  options: PublishOptions,
  world: World,
): Outcome {
  const releases =
    options.file === undefined ? fromFlags(version, options) : fromFile(options.file, version);
  if (!releases.ok) return failed(releases.error);
  return withModuleId(moduleIdText, (moduleId) =>
    withCatalogue(options, world, { create: true }, (catalogue) => {
      const fates = catalogue.publishAll(moduleId, releases.value, world.clock());
      const conflict = releases.value[fates.indexOf('other-content')];
      if (conflict) {
        const message = `${moduleId} ${conflict.version} is published with other content, and nothing was changed`;
        const hint = 'a release never changes: yank it, and publish another version';
        return failed({ severity: 'error', kind: 'already-published', message, hint });
      }
      const published = fates.filter((fate) => fate === 'published').length;
      const unchanged = fates.length - published;
      const json = {
        schema: 'modreg/registry-publish@1',
        module_id: moduleId,
        published,
        unchanged,
      };
      const line = `${moduleId}: ${published} published, ${unchanged} unchanged`;
      return { answer: [options.json ? jsonLine(json) : line], notes: [], problems: [] };
    }),
  );
}

function fromFlags(
  version: string | undefined,
  { artifact = [], digest = [], size = [], publishedAt, deprecated }: PublishOptions,
): Result<readonly PublishedRelease[], Problem> {
  if (version === undefined) return usage('a version is needed, or a --file with releases');
  if (digest.length !== artifact.length || size.length > artifact.length) {
    return usage(
      `${artifact.length} --artifact, and ${digest.length} --digest: each needs its own`,
    );
  }
  const artifacts = artifact.map((text, place) => {
    const equals = text.indexOf('=');
    const bytes = size[place];
    return {
      platform: text.slice(0, Math.max(0, equals)),
      url: text.slice(equals + 1),
      digest: digest[place],
      ...(bytes === undefined ? {} : { size: Number(bytes) }),
    };
  });
  const read = readRelease({
    version,
    ...(artifacts.length === 0 ? {} : { artifacts }),
    ...(publishedAt === undefined ? {} : { published_at: publishedAt }),
    ...(deprecated === undefined ? {} : { deprecated }),
  });
  if (read.ok) return { ok: true, value: [read.value] };
  return usage(`not a release: ${read.error[0]}`, read.error.slice(1));
}

/** The releases of a file: a list of them, or a module document as the registry serves it. */
function fromFile(
  path: string,
  version: string | undefined,
): Result<readonly PublishedRelease[], Problem> {
  if (version !== undefined) return usage('either a version or a --file, not both');
  const file = readRegularFile(path);
  if (!file.ok) return file;
  const json = parse(file.value.bytes);
  const list = Array.isArray(json)
    ? json
    : (json as { readonly releases?: unknown } | null)?.releases;
  if (!Array.isArray(list))
    return badFile(path, 'it is no JSON list of releases, and has none in releases');
  const reads = list.map((release: unknown) => readRelease(release));
  const faults = reads.flatMap((read, place) =>
    read.ok ? [] : read.error.map((fault) => `release ${place + 1} of ${list.length}: ${fault}`),
  );
  const [first, ...others] = faults;
  if (first !== undefined) return badFile(path, first, others);
  return { ok: true, value: reads.flatMap((read) => (read.ok ? [read.value] : [])) };
}

/** Undefined for what is not JSON. */
function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
}

const SHOWN = 20;

function badFile(
  path: string,
  message: string,
  others: readonly string[] = [],
): Result<never, Problem> {
  const because = others.slice(0, SHOWN);
  const rest = others.length > SHOWN ? [`… and ${others.length - SHOWN} more`] : [];
  return {
    ok: false,
    error: {
      severity: 'error',
      kind: 'bad-value',
      message: `${quote(path)}: ${message}`,
      because: [...because, ...rest],
    },
  };
}

function usage(message: string, because: readonly string[] = []): Result<never, Problem> {
  const hint = 'modreg registry publish --help shows how';
  return { ok: false, error: { severity: 'error', kind: 'usage', message, because, hint } };
}
