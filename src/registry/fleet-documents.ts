import * as v from 'valibot';
import { facts, groupName, storedFailing, storedFields } from './machine-report.ts';

/*
 * The schemas of what a registry answers about its fleet. Their types, their readers and the OpenAPI document are derived from them. The
 * limits of reports are not checked again: an earlier or a later modreg may have taken what is stored.
 */

const count = v.pipe(v.number(), v.integer(), v.minValue(0));
const text = v.string();
const textOrNull = v.nullable(text);
const time = v.pipe(text, v.metadata({ format: 'date-time' }));
const moduleId = storedFields.module_id;
const unreadable = v.pipe(
  v.optional(text),
  v.description('Why the registry cannot read all of it; what it cannot read is null'),
);

/** What machines report about a module. */
export const storedModule = v.object({ platform: text, ...storedFields, facts, unreadable });

/** What machines report about a module, and the machines that report the same. */
export const moduleStates = v.object({
  state: storedModule,
  machines: v.pipe(v.array(text), v.readonly()),
  groups: v.pipe(
    v.optional(v.array(v.object({ group: text, machines: v.pipe(v.array(text), v.readonly()) }))),
    v.description('Those of them that are in a group, by group; absent if none is'),
  ),
});
export type ModuleStates = Readonly<v.InferOutput<typeof moduleStates>>;

/** A page of the states of a module. */
const fleetModule = v.object({
  module_id: moduleId,
  states: v.array(moduleStates),
  next: v.pipe(
    v.nullable(v.pipe(v.number(), v.integer())),
    v.description('The value of after for the next page'),
  ),
});

const fleetCounts = v.object({
  machines: count,
  retired: v.pipe(count, v.description('Machines that were retired; no other count has them')),
  presence: v.pipe(
    v.object({ online: count, quiet: count, silent: count }),
    v.description('How many machines were heard lately, and how many not'),
  ),
  failing: v.pipe(count, v.description('Machines on which something fails')),
  refusing: v.pipe(
    count,
    v.description(
      'Machines that refuse the documents of this registry, as they said last, also if they have never reported',
    ),
  ),
  wrong_clocks: v.pipe(
    count,
    v.description('Machines whose clock was more than five minutes off when they last reported'),
  ),
  refusing_documents: v.pipe(
    v.array(v.object({ code: text, machines: count, first_machines: v.array(text) })),
    v.description('The same by the code of the reason, with at most 20 of the machines'),
  ),
  seen_in_24h: count,
  duplicates: count,
  without_pin: v.pipe(
    count,
    v.description('Machines whose policy names no trust document, as far as they reported'),
  ),
  missing_outcomes: count,
  groups: v.pipe(
    v.array(v.object({ group: groupName, machines: count, seen_in_24h: count })),
    v.description('The groups of the machines that are in use: at most 2,000'),
  ),
  modules: v.array(
    v.object({ module_id: moduleId, deployed: text, decision: text, machines: count }),
  ),
  modules_left_out: v.pipe(
    count,
    v.description('How many counts `modules` lacks: it has at most 2,000'),
  ),
  held_over_a_week: v.pipe(
    v.array(v.object({ module_id: moduleId, deployed: text, machines: count })),
    v.description(
      'Modules whose replacements have been held for longer than a week: at most 2,000 counts',
    ),
  ),
  failing_modules: v.pipe(
    v.array(v.object({ module_id: moduleId, version: text, blame: text, machines: count })),
    v.description('What fails now, and on how many machines: at most 2,000 counts'),
  ),
  outcomes_in_24h: v.array(
    v.object({ module_id: moduleId, version: text, result: text, outcomes: count }),
  ),
  outcomes_left_out: v.pipe(
    count,
    v.description('How many counts `outcomes_in_24h` lacks: it has at most 2,000'),
  ),
});
/** An earlier registry lists all counts, and does not say so, nor what is held for long, or fails. */
export const fleetCountsAnswer = v.partial(fleetCounts, [
  'retired',
  'failing',
  'presence',
  'failing_modules',
  'refusing',
  'refusing_documents',
  'wrong_clocks',
  'without_pin',
  'groups',
  'modules_left_out',
  'outcomes_left_out',
  'held_over_a_week',
]);
export type FleetCounts = v.InferOutput<typeof fleetCountsAnswer>;

/** The body of a request to join. */
export const joining = v.strictObject(
  {
    machine: v.pipe(
      v.string('expected text'),
      v.description('The id of the machine, for which the code was made'),
    ),
  },
  'expected an object with machine alone',
);

/** What a machine that joins gets for its code: the fields of its credentials file. */
export const joinedMachine = v.object({
  api_key_id: text,
  api_key: v.pipe(text, v.description('The token of the machine, which is not shown again')),
  part_id: text,
  group: v.pipe(v.optional(text), v.description('The group that the code names')),
});
export type JoinedAnswer = v.InferOutput<typeof joinedMachine>;

const reportedClock = v.object({
  ahead_ms: v.pipe(
    v.number(),
    v.integer(),
    v.description('How far it was ahead of that of the registry; negative if it was behind'),
  ),
  synchronized: v.pipe(
    v.nullable(v.boolean()),
    v.description('What the machine says of it; null if it does not know'),
  ),
});

const refusedDocuments = v.object({ revision: count, code: text, detail: text });

/** A page of machines. */
const fleetMachines = v.object({
  machines: v.array(
    v.object({
      id: text,
      seen_at: v.pipe(time, v.description('When it last reported')),
      heard_at: v.pipe(
        v.nullable(time),
        v.description('When it was last heard, also by other requests; null if that is not known'),
      ),
      presence: v.pipe(text, v.description('online, quiet, silent or retired')),
      platform: textOrNull,
      modreg: textOrNull,
      group: v.pipe(
        textOrNull,
        v.description('Its group as the registry counts it; null if it is in none'),
      ),
      is_duplicate: v.boolean(),
      missing_outcomes: count,
      clock: v.pipe(
        v.nullable(reportedClock),
        v.description('Its clock when it reported its state last; null if that is not known'),
      ),
      retired: v.pipe(
        v.nullable(v.object({ at: time, by: text })),
        v.description('When it was retired, and by whom; null while it is in use'),
      ),
      refuses: v.pipe(
        v.nullable(refusedDocuments),
        v.description(
          'Which documents of this registry it refuses, and why, as it said last; null if none',
        ),
      ),
      modules: v.array(
        v.object({
          name: text,
          ...storedFields,
          failing: v.pipe(
            v.optional(storedFailing),
            v.description('What fails of it; missing if nothing does'),
          ),
          unreadable,
        }),
      ),
    }),
  ),
  unreported: v.pipe(
    v.optional(v.array(v.object({ id: text, refuses: refusedDocuments }))),
    v.description(
      'Machines that refuse documents of this registry and have never reported; on the first page of all machines, if there are any: at most limit',
    ),
  ),
  unreported_left_out: v.pipe(v.optional(count), v.description('How many further ones there are')),
  next: v.pipe(textOrNull, v.description('The value of after for the next page')),
});

/** Failures of a release for one reason. */
const failureGroup = v.object({
  module_id: moduleId,
  version: text,
  blame: v.pipe(text, v.description('release, undecided, or machine for what is tried again now')),
  reason: v.pipe(textOrNull, v.description('Of the last one')),
  last_at: v.pipe(
    v.nullable(time),
    v.description('When the registry heard of the last one; null for what is tried again now'),
  ),
  machines: count,
  first_machines: v.pipe(
    v.array(text),
    v.description('Those that failed last, at most 20'),
    v.readonly(),
  ),
});
export type FailureGroup = v.InferOutput<typeof failureGroup>;

/** What failed lately, and what is tried again now. */
export const fleetFailures = v.object({
  failures: v.pipe(
    v.array(failureGroup),
    v.description('Those of most machines first: at most 200'),
  ),
  left_out: v.pipe(count, v.description('How many further ones there are')),
});

export type FleetFailures = v.InferOutput<typeof fleetFailures>;

/** Machines of a platform and a group with one outcome of a version. */
const outcomeGroup = v.object({
  version: text,
  outcome: v.pipe(
    v.picklist(['running', 'failed', 'undecided', 'retrying', 'rolled-back']),
    v.description(
      'running: they run it now. failed: because of the release. undecided: as the version before it does. retrying: tried again now, because of the machine. rolled-back: they left it for the version before',
    ),
  ),
  platform: v.pipe(textOrNull, v.description('null if the machines reported none')),
  group: v.pipe(textOrNull, v.description('null if the machines are in none')),
  reason: v.pipe(
    textOrNull,
    v.description(
      'Of the last one, with the last line that the program wrote; null if it has none',
    ),
  ),
  last_at: v.pipe(
    v.nullable(time),
    v.description('When the registry heard of the last one; null for what is so now'),
  ),
  machines: count,
  first_machines: v.pipe(v.array(text), v.description('At most 20 of them'), v.readonly()),
});
export type OutcomeGroup = v.InferOutput<typeof outcomeGroup>;

/** What became of a module on the machines of a registry. */
export const moduleOutcomes = v.object({
  module_id: moduleId,
  outcomes: v.pipe(
    v.array(outcomeGroup),
    v.description('Those of the newest versions first: at most 200'),
    v.readonly(),
  ),
  left_out: v.pipe(count, v.description('How many further ones there are')),
});
export type ModuleOutcomes = v.InferOutput<typeof moduleOutcomes>;

/** The answer to a retirement. */
export const retiredMachine = v.object({ id: text, retired: v.object({ at: time, by: text }) });

export type RetiredAnswer = v.InferOutput<typeof retiredMachine>;

/** The answers about a fleet, by the names of their schemas. */
export const FLEET_DOCUMENTS = {
  FleetCounts: fleetCounts,
  FleetMachines: fleetMachines,
  FleetFailures: fleetFailures,
  FleetModule: fleetModule,
  ModuleOutcomes: moduleOutcomes,
  RetiredMachine: retiredMachine,
  Joining: joining,
  JoinedMachine: joinedMachine,
  Known: v.object({
    known_to: count,
    older_state: v.pipe(
      v.optional(v.literal(true)),
      v.description(
        'The state was not taken, because its number is lower than one of this queue, or an outcome, because its number is that of another one. Begin another queue',
      ),
    ),
  }),
};
