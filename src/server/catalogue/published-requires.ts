import * as v from 'valibot';
import { isRequirable } from '../../core/plan/required.ts';
import { TAG, TAGS, type Requires } from '../../core/releases/requires.ts';
import { quote } from '../../core/text/quote.ts';
import { isRange } from '../../registry/npm-range.ts';

/** More than any release requires. */
const MOST = 64;
const EXPECTED_KEY = 'expected platform-server, platform-agent, a module id or tags';

const range = v.pipe(
  v.string('expected a range as text'),
  v.check(
    (text) => isRange(text),
    ({ input }) => `${quote(input)} is not a range, expected a range of npm such as >=1.4.0 <2`,
  ),
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
      v.regex(
        TAG,
        ({ input }) => `${quote(input)} is not a tag, expected one such as distro:debian`,
      ),
    ),
    'expected a list of tags',
  ),
  v.maxLength(MOST, `more than ${MOST} tags`),
);

/** What nothing can be required of. */
function unknownKey(all: object): string | undefined {
  return Object.keys(all).find((key) => key !== TAGS && !isRequirable(key));
}

/** What a release requires, as its author writes it. */
export const requirements: v.GenericSchema<unknown, Requires> = v.pipe(
  v.objectWithRest({ [TAGS]: v.optional(tags) }, ranges, 'expected an object of ranges'),
  v.check((all) => Object.keys(all).length > 0, EXPECTED_KEY),
  v.check((all) => Object.keys(all).length <= MOST, `more than ${MOST} requirements`),
  v.check(
    (all) => unknownKey(all) === undefined,
    ({ input }) => `${quote(unknownKey(input) ?? '')} is not a module id, ${EXPECTED_KEY}`,
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
