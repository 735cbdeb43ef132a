import * as v from 'valibot';
import { parseModuleId, parsePlatform, type Result } from '../../core/index.ts';
import { jsonPointer } from '../../core/text/json-pointer.ts';
import { excerpt } from '../../core/text/quote.ts';
import { parseTime } from '../../core/text/rfc3339.ts';
import {
  LARGEST_NUMBER,
  MOST_FACTS,
  MOST_OUTCOMES,
  type MachineReport,
  type ReportedModule,
  type ReportedOutcome,
  type ReportedState,
} from '../../registry/machine-report.ts';
import { factsProblem } from '../../registry/reported-facts.ts';

/** The most modules and subsystems of a machine. */
const MOST_MODULES = 1000;
/** The longest text. Larger ones would take the space of many machines. */
const LONGEST_TEXT = 1000;

const text = v.pipe(
  v.string('expected text'),
  v.maxLength(LONGEST_TEXT, `longer than ${LONGEST_TEXT} characters`),
  v.check((value) => value.isWellFormed(), 'contains half a surrogate pair'),
);
const EXPECTED_NUMBER = `expected a whole number from 0 to ${LARGEST_NUMBER}`;
const number = v.pipe(
  v.number(EXPECTED_NUMBER),
  v.safeInteger(EXPECTED_NUMBER),
  v.minValue(0, EXPECTED_NUMBER),
  // T246
  v.maxValue(LARGEST_NUMBER, EXPECTED_NUMBER),
);
/** A random id that a machine chose. */
const id = v.pipe(
  v.string('expected text'),
  v.regex(/^[0-9A-Za-z-]{8,64}$/, 'expected 8 to 64 letters, digits and hyphens'),
);
const time = v.pipe(
  v.string('expected text'),
  v.check((value) => parseTime(value).ok, 'expected a time, such as 2026-11-21T01:02:03Z'),
);
const moduleId = v.pipe(
  v.string('expected text'),
  v.check((value) => parseModuleId(value).ok, 'expected a module id, such as acme:lidar'),
);
const kind = v.picklist(['module', 'subsystem'], 'expected module or subsystem');

const word = v.pipe(text, v.regex(/^[a-z-]{1,40}$/, 'expected one word'));

const module: v.GenericSchema<unknown, ReportedModule> = v.object({
  kind,
  name: text,
  module_id: moduleId,
  constraint: v.nullable(text),
  deployed: text,
  target: v.nullable(text),
  decision: word,
  reason: v.nullable(text),
  because: v.optional(
    v.object({
      code: word,
      facts: v.pipe(v.array(text), v.maxLength(MOST_FACTS, `more than ${MOST_FACTS}`)),
    }),
  ),
  stops: v.pipe(v.array(text), v.maxLength(MOST_MODULES, `more than ${MOST_MODULES}`)),
  facts: v.nullable(
    v.pipe(
      v.custom<object>(
        (value) => typeof value === 'object' && value !== null,
        'expected an object',
      ),
      v.rawCheck(({ dataset, addIssue }) => {
        const message = dataset.typed ? factsProblem(dataset.value) : undefined;
        if (message !== undefined) addIssue({ message });
      }),
    ),
  ),
});

const state: v.GenericSchema<unknown, ReportedState> = v.object({
  number,
  at: time,
  modreg: text,
  platform: v.pipe(
    v.string('expected text'),
    v.check((value) => parsePlatform(value).ok, 'expected a platform, such as linux/arm64'),
  ),
  modules: v.pipe(
    v.array(module, 'expected a list'),
    v.maxLength(MOST_MODULES, `more than ${MOST_MODULES} modules`),
    v.check(
      (modules) => new Set(modules.map((one) => `${one.kind} ${one.name}`)).size === modules.length,
      'two modules with one name',
    ),
  ),
});

const outcome: v.GenericSchema<unknown, ReportedOutcome> = v.object({
  number,
  at: time,
  action: text,
  kind,
  name: text,
  module_id: moduleId,
  direction: text,
  from: v.nullable(text),
  to: text,
  result: v.picklist(['done', 'failed', 'withdrawn'], 'expected done, failed or withdrawn'),
  reason: v.nullable(text),
});

const report: v.GenericSchema<unknown, MachineReport> = v.pipe(
  v.object({
    queue: id,
    instance: id,
    after: number,
    to: number,
    state: v.nullish(state),
    outcomes: v.pipe(
      v.array(outcome, 'expected a list'),
      v.maxLength(MOST_OUTCOMES, `more than ${MOST_OUTCOMES} outcomes`),
    ),
  }),
  v.check(({ after, to, outcomes }) => {
    const numbers = [after, ...outcomes.map((one) => one.number)];
    const isAscending = numbers.every((one, place) => one > (numbers[place - 1] ?? -1));
    return isAscending && to >= (numbers.at(-1) ?? 0);
  }, 'the numbers of outcomes must ascend, after "after" and up to "to"'),
);

/** Validates a report that was parsed from JSON. Fields that this modreg does not know are ignored. The errors are escaped lines. */
export function readReport(json: unknown): Result<MachineReport, readonly string[]> {
  // valibot accepts a list as an object.
  const result = v.safeParse(report, Array.isArray(json) ? null : json);
  if (result.success) return { ok: true, value: result.output };
  return { ok: false, error: result.issues.map(describe) };
}

function describe(issue: v.BaseIssue<unknown>): string {
  const keys = issue.path?.map(({ key }) => key as string | number) ?? [];
  const found = issue.type === 'object' ? 'missing or not an object' : issue.message;
  return excerpt(`${jsonPointer(keys)}${keys.length === 0 ? '' : ': '}${found}`);
}
