import type { Expected } from '../../core/text/argument.ts';
import * as v from 'valibot';
import { parseVersion, type Result } from '../../core/index.ts';
import { PLATFORMS, canonicalPlatform } from '../../core/releases/platform.ts';
import { quote } from '../../core/text/quote.ts';
import { formatTime, parseTime } from '../../core/text/rfc3339.ts';
import { readWebAddress } from '../../core/text/web-address.ts';
import { signatures } from './published-signatures.ts';
import { hostedSha256 } from '../../registry/formats/hosted-artifact.ts';
import { rolloutTerms, termsOf } from './rollout-terms.ts';
import { requirements } from './published-requires.ts';
import { describe, shape } from './schema-errors.ts';

/** What a program that no compiler checked must publish. */
export const PUBLISHED_RELEASE: Expected = {
  is: (release) => typeof Object(release).version === 'string',
  words: 'the value of readRelease()',
};

/** A release as its author publishes it. `readRelease` validates one. */
export interface PublishedRelease {
  /** SemVer 2.0.0, build metadata included. */
  readonly version: string;
  /** Milliseconds since the epoch; undefined to use the time of publishing. */
  readonly publishedAt: number | undefined;
  /** At most one for each platform. Undefined: the release runs on every platform. Empty: it runs on none. */
  readonly artifacts:
    | readonly {
        /** A platform such as `linux/arm64`, or a wildcard: `any`, `linux/any`, `any/amd64`, `any/arm64`. */
        readonly platform: string;
        /** The http: or https: address of the file, or `../../artifacts/sha256/<hex>` if the registry hosts it. */
        readonly url: string;
        /** `sha256:` and 64, or `sha512:` and 128, lowercase hexadecimal digits. */
        readonly digest: string;
        /** The size of the file in bytes; undefined if the author does not state it. */
        readonly size: number | undefined;
      }[]
    | undefined;
  /** Why the release should no longer be used; undefined if it is not deprecated. */
  readonly deprecated: string | undefined;
  /** Why the release is yanked, `''` without a reason; undefined if it is not published as yanked. */
  readonly yanked: string | undefined;
  /** What a machine must have to run it: ranges of npm, and tags. Absent: nothing. */
  readonly requires?: Readonly<Record<string, readonly string[]>> | undefined;
  /** Present if a machine has to run the release before any higher one (D90). */
  readonly floor?: true | undefined;
  /** Signatures over the text of the release, in base64, by the ids of their keys; absent if it has none (D132). */
  readonly signatures?: Readonly<Record<string, string>> | undefined;
  /** @internal Signatures of its yank, if it is published as yanked. */
  readonly yankSignatures?: Readonly<Record<string, string>> | undefined;
  /** Publishes it into a staged rollout. Absent: all machines may install it. */
  readonly rollout?:
    | {
        /** How long each step lasts at least, in milliseconds. */
        readonly soakMs: number;
        /** The groups that get it first, one after another; absent if there are none. */
        readonly first?: readonly string[] | undefined;
      }
    | undefined;
}

/** One escaped line for each error: a JSON Pointer, what was found, what was expected. */
export type ReleaseErrors = readonly string[];

/** The values of an artifact's `platform`: platforms, and wildcards for one or both of their parts. */
const ARTIFACT_PLATFORMS: readonly string[] = [
  ...PLATFORMS,
  'any',
  'linux/any',
  'any/amd64',
  'any/arm64',
];
const LONGEST_TEXT = 1000;

/** A reason, which people read. */
export const shortText: v.GenericSchema<unknown, string> = v.pipe(
  v.string('expected text'),
  v.check(
    (text) => Array.from(text).length <= LONGEST_TEXT,
    `longer than ${LONGEST_TEXT} characters`,
  ),
  v.check((text) => text.isWellFormed(), 'contains half a surrogate pair'),
  v.metadata({ maxLength: LONGEST_TEXT }),
);

/** What the OpenAPI document says about texts that a grammar reads. */
const VERSION = { description: 'SemVer 2.0.0, build metadata included' };
const PLATFORM = { examples: ['linux/arm64', 'any'] };
const URL_OF_FILE = {
  description:
    'The address of the file: absolute, or ../../artifacts/sha256/<hex> for a file that the registry hosts, relative to the address of the list',
};
const PUBLISHED_AT = {
  format: 'date-time',
  description:
    'The time of the request by default, and at most five minutes before or after it, unless the token has the scope import',
};

const artifactFields = v.strictObject(
  {
    platform: read(PLATFORM, (text) => {
      const platform = canonicalPlatform(text);
      if (ARTIFACT_PLATFORMS.includes(platform)) return { ok: true, value: platform };
      return { ok: false, error: `${quote(text)} is not one of ${ARTIFACT_PLATFORMS.join(', ')}` };
    }),
    url: read(URL_OF_FILE, (text) => {
      if (hostedSha256(text) !== undefined) return { ok: true, value: text };
      const url = readWebAddress(text);
      return url.ok
        ? { ok: true, value: text }
        : { ok: false, error: `not an address: ${url.error}` };
    }),
    digest: v.pipe(
      v.string('expected text'),
      v.regex(
        /^sha256:[0-9a-f]{64}$|^sha512:[0-9a-f]{128}$/,
        'expected sha256: and 64 or sha512: and 128 hexadecimal digits',
      ),
    ),
    size: v.optional(
      v.pipe(
        v.number('expected a number of bytes'),
        v.safeInteger('expected a whole number of bytes'),
        v.minValue(0, 'expected a number of bytes'),
        v.description('The size of the file in bytes'),
      ),
    ),
  },
  shape('an artifact', 'platform, url, digest and size'),
);

/** An artifact of a release, as its author and the registry write it. */
export const artifact = v.pipe(
  artifactFields,
  v.check(({ url, digest, size }) => {
    const sha256 = hostedSha256(url);
    return sha256 === undefined || (digest === `sha256:${sha256}` && size !== undefined);
  }, 'a file that the registry hosts needs a size, and the digest that its address has'),
);

/** A release to publish. */
export const newRelease = v.strictObject(
  {
    version: read(VERSION, (text) => {
      const version = parseVersion(text);
      return version.ok ? { ok: true, value: text } : { ok: false, error: version.error.message };
    }),
    published_at: v.optional(
      read(PUBLISHED_AT, (text) => {
        const time = parseTime(text);
        return time.ok ? time : { ok: false, error: time.error.message };
      }),
    ),
    artifacts: v.optional(
      v.pipe(
        v.array(artifact, 'expected a list of artifacts'),
        v.check(
          (artifacts) =>
            new Set(artifacts.map(({ platform }) => platform)).size === artifacts.length,
          'two artifacts for the same platform',
        ),
        v.metadata({
          maxItems: ARTIFACT_PLATFORMS.length,
          description: 'If absent, the release runs on every platform. If empty, it runs on none.',
        }),
      ),
    ),
    deprecated: v.nullish(shortText),
    yanked: v.pipe(
      v.nullish(shortText),
      v.description('The reason, to publish the release as yanked'),
    ),
    requires: v.pipe(
      v.nullish(requirements),
      v.description('What a machine must have to run the release; earlier machines ignore it'),
    ),
    floor: v.pipe(
      v.nullish(v.boolean('expected true or false')),
      v.description('Whether a machine has to run the release before any higher one'),
    ),
    notes: v.pipe(
      v.nullish(v.boolean('expected true or false')),
      v.description('Whether the list that it is from has notes of it; ignored'),
    ),
    signatures: v.pipe(
      v.nullish(signatures),
      v.description('Signatures of the release in base64, by the ids of their keys'),
    ),
    yank_signatures: v.pipe(
      v.nullish(signatures),
      v.description('Signatures of its yank, if it is published as yanked'),
    ),
    rollout: v.pipe(
      v.nullish(rolloutTerms),
      v.description('Publishes the release into a staged rollout, at its first step'),
    ),
  },
  shape(
    'a release',
    'version, published_at, artifacts, deprecated, yanked, requires, floor, signatures, yank_signatures and rollout',
  ),
);

/**
 * Validates a release that was parsed from JSON. Its fields are `version`, `published_at` (RFC 3339),
 * `artifacts`, `deprecated`, `yanked`, `requires`, `floor`, `signatures`, `yank_signatures` and `rollout`; only `version` is required.
 *
 * @example
 * ```ts
 * import { readRelease } from 'modreg/server';
 *
 * const release = readRelease({ version: '1.2', published_at: '2026-03-01T12:00:00Z' });
 * console.log(release.ok ? release.value : release.error); // [ '/version: "1.2" is not a version' ]
 * ```
 */
export function readRelease(json: unknown): Result<PublishedRelease, readonly string[]> {
  // valibot accepts a list as an object.
  const result = v.safeParse(newRelease, Array.isArray(json) ? null : json);
  if (!result.success) return { ok: false, error: result.issues.map(describe) };
  const { version, published_at, artifacts, deprecated, yanked, ...others } = result.output;
  const { requires, floor, signatures: signed, yank_signatures: ofYank, rollout: started } = others;
  return {
    ok: true,
    value: {
      version,
      publishedAt: published_at,
      artifacts: artifacts?.map(({ platform, url, digest, size }) => ({
        platform,
        url,
        digest,
        size,
      })),
      deprecated: deprecated ?? undefined,
      yanked: yanked ?? undefined,
      ...(requires ? { requires } : {}),
      ...(floor ? { floor } : {}),
      ...(signed && Object.keys(signed).length > 0 ? { signatures: signed } : {}),
      ...(ofYank ? { yankSignatures: ofYank } : {}),
      ...(started ? { rollout: termsOf(started) } : {}),
    },
  };
}

/** The artifacts of a release that the registry hosts. */
export function hostedArtifacts(
  artifacts: readonly { readonly url: string; readonly size?: number | undefined }[] = [],
): { readonly sha256: string; readonly size: number }[] {
  return artifacts.flatMap(({ url, size = 0 }) => {
    const sha256 = hostedSha256(url);
    return sha256 === undefined ? [] : [{ sha256, size }];
  });
}

/** A release as JSON that `readRelease` accepts. */
export function releaseAsJson({
  version,
  publishedAt,
  artifacts,
  deprecated,
  yanked,
  requires,
  floor,
  signatures: signed,
  yankSignatures: yank_signatures,
  rollout: started,
}: PublishedRelease): string {
  const published_at = publishedAt === undefined ? undefined : formatTime(publishedAt);
  const inRollout = started && { soak_ms: started.soakMs, first: started.first };
  return JSON.stringify({
    version,
    published_at,
    artifacts,
    deprecated,
    yanked,
    requires,
    floor,
    signatures: signed,
    yank_signatures,
    rollout: inRollout,
  });
}

function read<T>(
  about: Readonly<Record<string, unknown>>,
  grammar: (text: string) => Result<T, string>,
): v.GenericSchema<string, T> {
  return v.pipe(
    v.string('expected text'),
    v.metadata(about),
    v.rawTransform<string, T>(({ dataset, addIssue, NEVER }) => {
      const result = grammar(dataset.value);
      if (result.ok) return result.value;
      addIssue({ message: result.error });
      return NEVER;
    }),
  );
}
