import * as v from 'valibot';
import { parseConstraint, parseModuleId, parseVersion } from '../../core/index.ts';
import { MOST_REFUSED } from '../../core/machine/document-limits.ts';
import type { RefusedVersions } from '../../core/releases/eligibility-policy.ts';
import { quote } from '../../core/text/quote.ts';
import type { Result } from '../../core/text/result.ts';
import { badType, badValue, parseFault, type Fault } from '../fault.ts';
import { MODULE_ID_PATTERN, NUMBER, VERSION_PATTERN } from './patterns.ts';
import {
  fields,
  listOf,
  mapOf,
  parsed,
  parsedText,
  reading,
  textOr,
  type Schema,
} from './fields.ts';
import { reason } from './blackout.ts';

/** The key of what is refused of all modules. */
const ALL_MODULES = '*';

const FORMS = 'a version such as 1.2.7, or 1.3.* or 1.*';

/** What the policy of a site can refuse: one version, or all with the same first numbers. */
const versions: Schema<RefusedVersions['versions']> = parsedText(
  `${FORMS}, or an object with versions and reason`,
  (text) => {
    const read = parseConstraint(text);
    const found = read.ok ? read.value : undefined;
    if (found && found.kind !== 'latest' && found.kind !== 'latest-with-prerelease') {
      return { ok: true, value: found };
    }
    const suggestion = read.ok ? undefined : read.error.suggestion;
    const near = suggestion?.startsWith('latest') ? undefined : suggestion;
    return { ok: false, error: badValue(`${quote(text)} is not ${FORMS}`, near) };
  },
  { maxLength: 256, pattern: `^(?:${VERSION_PATTERN}|${NUMBER}\\.(?:${NUMBER}\\.)?\\*)$` },
);

const withReason = fields({ versions, reason: v.optional(reason) });

const refused: Schema<RefusedVersions> = v.pipe(
  textOr(versions, withReason),
  reading((read): Result<RefusedVersions, Fault> => {
    if ('kind' in read) return { ok: true, value: { versions: read } };
    const { versions: named, reason: because } = read;
    return { ok: true, value: { versions: named, ...(because !== undefined && { because }) } };
  }),
);

const moduleOrAll: Schema<string> = parsedText(
  'a module_id or *',
  (text) => {
    if (text === ALL_MODULES || parseModuleId(text).ok) return { ok: true, value: text };
    const message = `${quote(text)} is neither a module_id such as acme:lidar nor *, which means all modules`;
    return { ok: false, error: badValue(message) };
  },
  { pattern: `^(?:\\*|${MODULE_ID_PATTERN})$` },
);

const oneModule: Schema<string> = parsedText(
  'a module_id',
  (text) => {
    const read = parseModuleId(text);
    return read.ok ? read : { ok: false, error: parseFault(read.error) };
  },
  { pattern: `^${MODULE_ID_PATTERN}$` },
);

/** The version with exactly this text. */
const exactVersion: Schema<string> = parsed(
  (value) => {
    if (typeof value !== 'string') return { ok: false, error: badType(value, 'a version') };
    const read = parseVersion(value);
    return read.ok
      ? { ok: true, value: read.value.text }
      : { ok: false, error: parseFault(read.error) };
  },
  { type: 'string', maxLength: 256, pattern: `^${VERSION_PATTERN}$` },
);

/** What the site refuses, by module_id or `*` (D94). */
export const refusedByModule: Schema<ReadonlyMap<string, readonly RefusedVersions[]>> = v.pipe(
  mapOf(moduleOrAll, shortList(refused)),
  reading((all) => ({ ok: true, value: new Map(Object.entries(all)) })),
);

/** The versions that need no minimum age, by module_id (D98). */
export const exemptByModule: Schema<ReadonlyMap<string, readonly string[]>> = v.pipe(
  mapOf(oneModule, shortList(exactVersion)),
  reading((all) => ({ ok: true, value: new Map(Object.entries(all)) })),
);

function shortList<T>(item: Schema<T>): Schema<readonly T[]> {
  return v.pipe(
    listOf(item, 'a list of versions'),
    v.metadata({ maxItems: MOST_REFUSED }),
    reading((all): Result<readonly T[], Fault> => {
      if (all.length <= MOST_REFUSED) return { ok: true, value: all };
      const message = `found ${all.length} entries, expected at most ${MOST_REFUSED} in a list`;
      return { ok: false, error: { kind: 'out-of-range', message } };
    }),
  );
}
