import type { PublishedRelease } from '../../server/index.ts';
import type { Result } from '../../core/index.ts';
import { describeValue, excerpt, quote } from '../../core/text/quote.ts';
import { readRelease } from '../../server/published-release.ts';
import { jsonLine } from '../output/answer-json.ts';
import { readRegularFile } from '../check/document-file.ts';
import type { Outcome, Problem } from '../problem.ts';
import { failed, withCatalogue, withModuleId, type CatalogueOptions } from './catalogue-options.ts';
import type { World } from '../world.ts';

export interface PublishOptions extends CatalogueOptions {
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
    options.file === undefined
      ? fromFlags(version, options)
      : fromFile(moduleIdText, version, options);
  if (!releases.ok) return failed(releases.error);
  return withModuleId(moduleIdText, (moduleId) =>
    withCatalogue(options, world, { mode: 'create' }, (catalogue) => {
      const fates = catalogue.publishAll(moduleId, releases.value, world.clock());
      const conflict = releases.value[fates.indexOf('other-content')];
      if (conflict) {
        const message = `${moduleId} ${conflict.version} is published with other content, and nothing was changed`;
        const hint = 'a release never changes: yank it, and publish another version';
        return failed({ severity: 'error', kind: 'already-published', message, hint });
      }
      const published = fates.filter((fate) => fate === 'published').length;
      const yanked = fates.filter((fate) => fate === 'yanked').length;
      const unchanged = fates.length - published - yanked;
      const json = {
        schema: 'modreg/registry-publish@1',
        module_id: moduleId,
        published,
        yanked,
        unchanged,
      };
      const line = `${moduleId}: ${published} published, ${unchanged} unchanged${yanked === 0 ? '' : `, ${yanked} yanked`}`;
      return { answer: [options.json ? jsonLine(json) : line], notes: [], problems: [] };
    }),
  );
}

function fromFlags(
  version: string | undefined,
  { artifact = [], digest = [], size = [], publishedAt, deprecated }: PublishOptions,
): Result<readonly PublishedRelease[], Problem> {
  if (version === undefined) return usage('a version is needed, or a --file with releases');
  if (digest.length !== artifact.length || ![0, artifact.length].includes(size.length)) {
    return usage(
      `${artifact.length} --artifact, ${digest.length} --digest and ${size.length} --size: each needs its own`,
    );
  }
  const artifacts = artifact.map((text, place) => {
    const equals = text.indexOf('=');
    const bytes = size[place];
    return {
      platform: text.slice(0, Math.max(0, equals)),
      url: text.slice(equals + 1),
      digest: digest[place],
      ...(bytes === undefined ? {} : { size: /^\d{1,15}$/.test(bytes) ? Number(bytes) : bytes }),
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
  moduleId: string,
  version: string | undefined,
  { file: path = '', ...flags }: PublishOptions,
): Result<readonly PublishedRelease[], Problem> {
  const { artifact, digest, size, publishedAt, deprecated } = flags;
  if (
    [version, artifact, digest, size, publishedAt, deprecated].some((flag) => flag !== undefined)
  ) {
    return usage('a --file says all of its releases: no version, and no other flag about one');
  }
  const list = listOf(path, moduleId);
  if (!list.ok) return list;
  const reads = list.value.map((release) => readRelease(release));
  const faults = reads.flatMap((read, place) =>
    read.ok ? [] : read.error.map((fault) => `release ${place + 1} of ${reads.length}: ${fault}`),
  );
  const [first, ...others] = faults;
  if (first !== undefined) return badFile(path, first, others);
  return { ok: true, value: reads.flatMap((read) => (read.ok ? [read.value] : [])) };
}

/** The entries of a file, unread. A module document is whole, and of the module that is published. */
function listOf(path: string, moduleId: string): Result<readonly unknown[], Problem> {
  const file = readRegularFile(path, LARGEST_FILE);
  if (!file.ok) return file;
  if (file.value.bytes.length > LARGEST_FILE)
    return badFile(path, `more than ${LARGEST_FILE} bytes`);
  const json = parse(file.value.bytes);
  if (json === undefined) return badFile(path, 'it is not JSON in UTF-8');
  if (Array.isArray(json)) return { ok: true, value: json };
  const { releases, count, module_id } = Object(json) as Readonly<Record<string, unknown>>;
  if (!Array.isArray(releases)) {
    return badFile(path, 'it is no list of releases, and has none in releases');
  }
  if (module_id !== undefined && module_id !== moduleId) {
    return badFile(
      path,
      `its module_id is ${describeValue(module_id)}, and not ${excerpt(moduleId)}`,
    );
  }
  if (count !== undefined && count !== releases.length) {
    return badFile(
      path,
      `it has ${releases.length} releases, and its count is ${describeValue(count)}`,
    );
  }
  return { ok: true, value: releases };
}

/** Undefined for what is not JSON. */
function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
}

/** As much as a release list has anywhere. */
const LARGEST_FILE = 64 * 1024 * 1024;
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
