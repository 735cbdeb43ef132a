import * as v from 'valibot';
import { isRequirable } from '../../core/plan/required.ts';
import { TAG, TAGS, type Requires } from '../../core/releases/requires.ts';
import { isRange } from '../../registry/npm-range.ts';

/** More than any release requires. */
const MOST = 64;
const EXPECTED_KEY = 'expected platform-server, platform-agent, a module id or tags';

const range = v.pipe(
  v.string('expected a range as text'),
  v.check((text) => isRange(text), 'expected a range of npm such as >=1.4.0 <2'),
);

const ranges = v.union(
  [
    v.pipe(
      range,
      v.transform((text) => [text]),
    ),
    v.array(range),
  ],
  'expected a range of npm such as >=1.4.0 <2, or a list of ranges that must all fit',
);

const tags = v.pipe(
  v.array(
    v.pipe(
      v.string('expected a tag as text'),
      v.regex(TAG, 'expected a tag such as distro:debian'),
    ),
    'expected a list of tags',
  ),
  v.maxLength(MOST, `more than ${MOST} tags`),
);

/** What a release requires, as its author writes it. */
export const requirements: v.GenericSchema<unknown, Requires> = v.pipe(
  v.objectWithRest({ [TAGS]: v.optional(tags) }, ranges, 'expected an object of ranges'),
  v.check((all) => Object.keys(all).length > 0, EXPECTED_KEY),
  v.check((all) => Object.keys(all).length <= MOST, `more than ${MOST} requirements`),
  v.check(
    (all) => Object.keys(all).every((key) => key === TAGS || isRequirable(key)),
    EXPECTED_KEY,
  ),
  v.transform((all) =>
    // In one order, so that publishing the same again is no conflict.
    Object.fromEntries(
      Object.entries(all)
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
        .flatMap(([key, texts]) => (texts ? [[key, texts.toSorted()] as const] : [])),
    ),
  ),
);
