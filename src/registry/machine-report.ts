import * as v from 'valibot';
import { parsePlatform } from '../core/index.ts';
import { GROUP_FORM, GROUP_PATTERN } from '../core/rollout/group.ts';
import { MODULE_ID_FORM } from '../core/releases/module-id.ts';
import { parseTime } from '../core/text/rfc3339.ts';
import { factsProblem } from './reported-facts.ts';
import { rememberingValid } from './validated-modules.ts';

/*
 * The schema of a machine report. Its type and its part of the OpenAPI document are derived from it. A registry ignores fields that it
 * does not know.
 */

/** The most outcomes of a report. */
const MOST_OUTCOMES = 512;
/** The most modules and subsystems of a machine. */
const MOST_MODULES = 1000;
/** The most facts of a reason. */
export const MOST_FACTS = 16;
/** The longest text. Larger ones would take the space of many machines. */
const LONGEST_TEXT = 1000;

/**
 * The largest number of an outcome or of a state, and the most missing outcomes that are counted of a machine: more than any machine
 * needs. Sums of it stay within what SQLite can add (T246).
 */
export const LARGEST_NUMBER = 1_000_000_000_000;

type Text = v.GenericSchema<string, string>;

const text: Text = v.pipe(
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
  v.metadata({ format: 'date-time', description: 'By the clock of the machine' }),
);
export const moduleId = v.pipe(
  v.string('expected text'),
  v.regex(MODULE_ID_FORM, 'expected a module id, such as acme:lidar'),
);
/** The group of a machine. */
export const groupName = v.pipe(
  v.string('expected text'),
  v.regex(new RegExp(GROUP_PATTERN), `expected ${GROUP_FORM}`),
);
const kind = v.picklist(['module', 'subsystem'], 'expected module or subsystem');
export const facts = v.pipe(
  v.nullable(
    v.custom<object>((value) => typeof value === 'object' && value !== null, 'expected an object'),
  ),
  v.description(
    'What the decision depends on, besides the time and the release list; null if the machine does not report it',
  ),
);

const ONE_WORD = v.regex<string, string>(/^[a-z-]{1,40}$/, 'expected one word');

/** A reason without its times, which differ from machine to machine. Two with the same code and facts are the same. */
const reasonIn = (ofText: Text) =>
  v.pipe(
    v.object({
      code: v.pipe(ofText, ONE_WORD, v.description('Such as no-match or registry-timeout')),
      facts: v.pipe(
        v.array(ofText, 'expected a list'),
        v.readonly(),
        v.check((said) => said.some((fact) => fact !== ''), 'expected a fact'),
        v.maxLength(MOST_FACTS, `more than ${MOST_FACTS}`),
        v.description('What it says between its times'),
      ),
    }),
    v.readonly(),
  );

/** What a machine decides about a module. Nothing in it differs between machines that would decide alike. */
const decisionFields = (ofText: Text, ofModuleId: Text) => ({
  module_id: ofModuleId,
  constraint: v.pipe(v.nullable(ofText), v.description('As written; null if none is configured')),
  deployed: v.pipe(ofText, v.description('A version, none or unknown, or what the agent reported')),
  target: v.pipe(
    v.nullable(ofText),
    v.description('The version that the decision selects; null if there is none'),
  ),
  decision: v.pipe(ofText, v.description('One word, such as up-to-date, hold or stuck')),
  reason: v.pipe(
    v.nullable(ofText),
    v.description('Why it is stuck, with … in the place of each time; null for other decisions'),
  ),
  because: v.pipe(
    v.optional(reasonIn(ofText)),
    v.description('The reason as data; missing for other decisions, and from an earlier modreg'),
  ),
  held_by: v.pipe(
    v.optional(ofText),
    v.description(
      'The first reason of a hold as one word, such as window-closed; missing for other decisions, and from an earlier modreg',
    ),
  ),
  held_over_a_week: v.pipe(
    v.optional(v.boolean('expected true or false')),
    v.description(
      'Whether its replacements have been held for longer than a week; missing if not, and from an earlier modreg',
    ),
  ),
  stops: v.pipe(
    v.array(ofText),
    v.readonly(),
    v.description('The names of the components that stop for a restart'),
  ),
});

/** What fails of a module. It differs from machine to machine, and so is none of what they share. */
const failingFields = (ofText: Text) => ({
  version: v.pipe(ofText, v.description('The version that cannot be installed, or does not work')),
  blame: v.pipe(
    ofText,
    v.description(
      'machine: the machine or what it reaches, so it tries again; release: the release, which is in quarantine; undecided: the version before it fails in the same way',
    ),
  ),
  attempts: v.pipe(
    v.optional(number),
    v.description('How often the action failed; missing for a release in quarantine'),
  ),
  reason: v.pipe(v.nullable(ofText), v.description('Why it failed last')),
  next_at: v.pipe(
    v.nullable(time),
    v.description('When it is tried again at the earliest; null if nothing is known to do so'),
  ),
});

/** The same as a registry stores it. */
export const storedFailing = v.object(failingFields(v.string()));
const failing = failingFields(text);

const decided = decisionFields(text, moduleId);
/** The same as a registry stores it: an earlier or a later modreg may have taken it, with other limits. */
export const storedFields = decisionFields(
  v.string(),
  v.pipe(v.string(), v.metadata({ pattern: MODULE_ID_FORM.source })),
);
const module = v.pipe(
  v.object({
    kind,
    name: text,
    ...decided,
    decision: v.pipe(decided.decision, ONE_WORD),
    stops: v.pipe(decided.stops, v.maxLength(MOST_MODULES, `more than ${MOST_MODULES}`)),
    facts: v.pipe(
      facts,
      v.rawCheck(({ dataset, addIssue }) => {
        const found = dataset.typed ? dataset.value : null;
        const message = found === null ? undefined : factsProblem(found);
        if (message !== undefined) addIssue({ message });
      }),
    ),
    failing: v.pipe(
      v.optional(
        v.pipe(v.object({ ...failing, blame: v.pipe(failing.blame, ONE_WORD) }), v.readonly()),
      ),
      v.description('What fails of it; missing if nothing does, and from an earlier modreg'),
    ),
  }),
  v.readonly(),
);

export const reportedState = v.pipe(
  v.object({
    number: v.pipe(number, v.description('Higher than that of each earlier state')),
    at: v.pipe(time, v.description('When it was sent, by the clock of the machine')),
    modreg: v.pipe(text, v.description('The version of modreg')),
    platform: v.pipe(
      v.string('expected text'),
      v.check((value) => parsePlatform(value).ok, 'expected a platform, such as linux/arm64'),
      v.examples(['linux/arm64']),
    ),
    group: v.pipe(
      v.optional(groupName),
      v.description(
        'The group of the machine, which a rollout may include first; absent if it is in none',
      ),
    ),
    every_ms: v.pipe(
      v.optional(number),
      v.description(
        'The longest time between two of its requests to this registry in milliseconds; absent if its lists come from another one, and from an earlier modreg',
      ),
    ),
    pinned: v.pipe(
      v.optional(v.boolean('expected true or false')),
      v.description('Whether its policy names a trust document; missing if not'),
    ),
    synchronized: v.pipe(
      v.optional(v.boolean('expected true or false')),
      v.description(
        'Whether the system of the machine says that its clock is synchronized; missing if it says nothing, and from an earlier modreg',
      ),
    ),
    modules: v.pipe(
      v.array(rememberingValid(module), 'expected a list'),
      v.readonly(),
      v.maxLength(MOST_MODULES, `more than ${MOST_MODULES} modules`),
      v.check(
        (modules) =>
          new Set(modules.map((one) => `${one.kind} ${one.name}`)).size === modules.length,
        'two modules with one name',
      ),
    ),
  }),
  v.readonly(),
);

export const reportedOutcome = v.pipe(
  v.object({
    number,
    at: time,
    action: v.pipe(text, v.description('The id of the action, which no other action has')),
    kind,
    name: text,
    module_id: moduleId,
    direction: text,
    from: v.nullable(text),
    to: text,
    result: v.pipe(
      v.picklist(['done', 'failed', 'withdrawn'], 'expected done, failed or withdrawn'),
      v.description('withdrawn: it was delivered, and ended without an acknowledgement'),
    ),
    reason: v.pipe(v.nullable(text), v.description('Why it failed; null if it did not')),
    undecided: v.pipe(
      v.optional(v.boolean('expected true or false')),
      v.description(
        'Whether the version before it failed in the same way: it counts as failed until it has run for an hour',
      ),
    ),
  }),
  v.readonly(),
);

/** What a machine reports at once: its state, if that has changed, and the outcomes of actions, which it numbers. */
export const machineReport = v.pipe(
  v.object({
    queue: v.pipe(id, v.description('Random. The numbers belong to this queue')),
    instance: v.pipe(id, v.description('Random for each process: two of one machine are noticed')),
    after: v.pipe(number, v.description('The number before the first outcome')),
    to: v.pipe(
      number,
      v.description('The last number. One that has no outcome was dropped by the machine'),
    ),
    state: v.nullish(reportedState),
    outcomes: v.pipe(
      v.array(reportedOutcome, 'expected a list'),
      v.readonly(),
      v.maxLength(MOST_OUTCOMES, `more than ${MOST_OUTCOMES} outcomes`),
    ),
  }),
  v.readonly(),
  v.check(({ after, to, outcomes }) => {
    const numbers = [after, ...outcomes.map((one) => one.number)];
    const isAscending = numbers.every((one, place) => one > (numbers[place - 1] ?? -1));
    return isAscending && to >= (numbers.at(-1) ?? 0);
  }, 'the numbers of outcomes must ascend, after "after" and up to "to"'),
);

export type MachineReport = v.InferOutput<typeof machineReport>;
/** The full state of a machine. */
export type ReportedState = v.InferOutput<typeof reportedState>;
/** The state of a module entry or a subsystem. */
export type ReportedModule = v.InferOutput<typeof module>;
/** What fails of a module. */
export type FailingModule = NonNullable<ReportedModule['failing']>;
/** The outcome of an action. */
export type ReportedOutcome = v.InferOutput<typeof reportedOutcome>;
