import type { PublishedRelease } from '../server/index.ts';
import { parseVersion, type Result } from '../core/index.ts';
import { GROUP_FORM, isGroup, MOST_GROUPS } from '../core/rollout/group.ts';
import { parseDuration } from '../core/text/duration.ts';
import { describeValue, excerpt, quote } from '../core/text/quote.ts';
import { readRelease } from '../server/catalogue/published-release.ts';
import { duplicateKey } from '../registry/formats/duplicate-key.ts';
import { countOf } from '../base/count.ts';
import { readRegularFile } from '../host/document-file.ts';
import { parseProblem, type Problem } from '../base/problem.ts';
import { notJson } from './not-json.ts';
import type { Upload } from './uploads.ts';
import { utf8Text } from './utf8-text.ts';

/** The options that describe the releases to publish. */
export interface ReleaseOptions {
  readonly file?: string;
  readonly upload?: readonly string[];
  readonly artifact?: readonly string[];
  readonly digest?: readonly string[];
  readonly size?: readonly string[];
  readonly publishedAt?: string;
  readonly deprecated?: string;
  readonly requires?: readonly string[];
  readonly floor?: true;
  readonly rollout?: true;
  readonly soak?: string;
  /** Groups, separated by commas. */
  readonly first?: string;
}

/** The release that the options describe, with the artifacts of `uploads`, or all releases of a file. */
export function releasesFrom(
  [moduleId, version]: readonly [moduleId: string, version: string | undefined],
  options: ReleaseOptions,
  uploads: readonly Upload[],
): Result<readonly PublishedRelease[], Problem> {
  return options.file === undefined
    ? fromFlags(version, options, uploads)
    : fromFile(moduleId, version, options);
}

function fromFlags(
  version: string | undefined,
  { artifact = [], digest = [], size = [], ...others }: ReleaseOptions,
  uploads: readonly Upload[],
): Result<readonly PublishedRelease[], Problem> {
  const { publishedAt, deprecated, requires, floor, ...staging } = others;
  if (version === undefined) return usage('expected a version, or --file with a file of releases');
  const parsed = parseVersion(version);
  if (!parsed.ok) return { ok: false, error: parseProblem(parsed.error) };
  if (digest.length !== artifact.length || ![0, artifact.length].includes(size.length)) {
    return usage(
      `found ${artifact.length} --artifact, ${digest.length} --digest and ${size.length} --size, expected a --digest for each --artifact, and a --size for each or none`,
    );
  }
  const named = artifact.map((text, place) => {
    const equals = text.indexOf('=');
    const bytes = size[place];
    return {
      platform: text.slice(0, Math.max(0, equals)),
      url: text.slice(equals + 1),
      digest: digest[place],
      ...(bytes === undefined ? {} : { size: /^\d{1,15}$/.test(bytes) ? Number(bytes) : bytes }),
    };
  });
  const artifacts = [...named, ...uploads.map((upload) => upload.artifact)];
  const rollout = rolloutFrom(staging);
  if (!rollout.ok) return rollout;
  const read = readRelease({
    version,
    ...rollout.value,
    ...(artifacts.length === 0 ? {} : { artifacts }),
    ...(publishedAt === undefined ? {} : { published_at: publishedAt }),
    ...(deprecated === undefined ? {} : { deprecated }),
    ...(requires === undefined ? {} : { requires: requirementsIn(requires) }),
    ...(floor && { floor }),
  });
  if (read.ok) return { ok: true, value: [read.value] };
  return usage(`not a release: ${read.error[0]}`, read.error.slice(1));
}

/** `platform-server=>=1.4.0 <2` as a field: each name with its ranges or tags. A text without `=` has no range. */
function requirementsIn(texts: readonly string[]): Readonly<Record<string, readonly string[]>> {
  const named = texts.map((text) => {
    const equals = text.indexOf('=');
    return equals < 0
      ? ([text, text] as const)
      : ([text.slice(0, equals), text.slice(equals + 1)] as const);
  });
  const groups = Map.groupBy(named, ([name]) => name);
  return Object.fromEntries(Array.from(groups, ([name, all]) => [name, all.map(([, one]) => one)]));
}

/** The field that publishes a release into a rollout; nothing without `--rollout`. */
function rolloutFrom({
  rollout,
  soak,
  first,
}: Pick<ReleaseOptions, 'rollout' | 'soak' | 'first'>): Result<object, Problem> {
  if (!rollout) {
    if (soak === undefined && first === undefined) return { ok: true, value: {} };
    const given = soak === undefined ? '--first' : '--soak';
    return usage(`${given} is given without --rollout: pass both, or neither`);
  }
  const soakMs = readSoak(soak);
  if (!soakMs.ok) return soakMs;
  const groups = readFirst(first);
  if (!groups.ok) return groups;
  return { ok: true, value: { rollout: { ...soakMs.value, ...groups.value } } };
}

/** The value of `--first` as the field of a request; no field without it. */
export function readFirst(first: string | undefined): Result<{ first?: string[] }, Problem> {
  if (first === undefined) return { ok: true, value: {} };
  const groups = first.split(',').map((group) => group.trim());
  const wrong = groups.find((group): boolean => !isGroup(group));
  if (wrong !== undefined) {
    return usage(`--first: ${quote(wrong)} is not ${GROUP_FORM}; several are separated by commas`);
  }
  if (groups.length > MOST_GROUPS) {
    return usage(`--first names ${groups.length} groups, expected at most ${MOST_GROUPS}`);
  }
  const twice = groups.find((group, place) => groups.indexOf(group) !== place);
  return twice === undefined
    ? { ok: true, value: { first: groups } }
    : usage(`--first names the group ${twice} twice`);
}

/** The value of `--soak` as the field of a request; no field without it. */
export function readSoak(soak: string | undefined): Result<{ soak_ms?: number }, Problem> {
  if (soak === undefined) return { ok: true, value: {} };
  const ms = parseDuration(soak);
  if (ms.ok) return { ok: true, value: { soak_ms: ms.value } };
  return usage(`--soak: ${ms.error}`);
}

/** The releases of a file with a list of releases, or with a module document in the form that the registry serves. */
function fromFile(
  moduleId: string,
  version: string | undefined,
  { file: path = '', ...flags }: ReleaseOptions,
): Result<readonly PublishedRelease[], Problem> {
  const { upload, artifact, digest, size, publishedAt, deprecated, requires, floor, ...staging } =
    flags;
  const about = [upload, artifact, digest, size, publishedAt, deprecated, requires, floor];
  const { rollout, soak, first: groups } = staging;
  const described = [version, ...about, rollout, soak, groups];
  if (described.some((flag) => flag !== undefined)) {
    return usage(
      '--file describes its releases completely: pass no version and no other option about a release',
    );
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

/** The unparsed releases of a file. A module document must be for `moduleId`, and complete if it has a count. */
function listOf(path: string, moduleId: string): Result<readonly unknown[], Problem> {
  const file = readRegularFile(path, LARGEST_FILE);
  if (!file.ok) return file;
  if (file.value.bytes.length > LARGEST_FILE)
    return badFile(path, `more than ${LARGEST_FILE} bytes`);
  const text = utf8Text(file.value.bytes);
  const json = text === undefined ? undefined : parse(text);
  if (text === undefined || json === undefined) {
    return { ok: false, error: notJson(path, file.value.bytes) };
  }
  const twice = duplicateKey(text, json);
  if (twice !== undefined) {
    return badFile(path, `it has the key ${quote(twice)} twice in one object`);
  }
  if (Array.isArray(json)) return { ok: true, value: json };
  const { releases, count, module_id, version } = Object(json) as Readonly<Record<string, unknown>>;
  if (releases === undefined && version !== undefined) return { ok: true, value: [json] };
  if (!Array.isArray(releases)) {
    return badFile(
      path,
      'expected a release, a list of releases, or an object with such a list in "releases"',
    );
  }
  if (module_id !== undefined && module_id !== moduleId) {
    return badFile(
      path,
      `its module_id is ${describeValue(module_id)}, expected ${excerpt(moduleId)}`,
    );
  }
  if (count !== undefined && count !== releases.length) {
    return badFile(
      path,
      `its count is ${describeValue(count)}, but it has ${countOf(releases.length, 'release')}`,
    );
  }
  return { ok: true, value: releases };
}

/** Undefined if `text` is not JSON. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The same limit as for a release list from any registry. */
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
