import * as v from 'valibot';
import { isWritable } from '../core/text/rfc3339.ts';
import { COMMAND_KINDS } from '../core/trust/command-text.ts';
import { RESULTS } from '../registry/command-documents.ts';
import type { MachineChanges } from '../server/configs/machine-change.ts';

/** Of the events that fronts of modreg without documents and commands in a cluster do not understand (D397). */
export const MACHINE_SCHEMA = 3;

/** Kinds of changes of what is served to machines. */
const KINDS: Readonly<Record<keyof MachineChanges, true>> = {
  config: true,
  'config-signatures': true,
  fragment: true,
  commands: true,
  secret: true,
  heard: true,
};

/** Whether an event has what machines are served, or what they say of it. */
export function isOfMachines<E extends { readonly kind: string }>(
  event: E,
): event is Extract<E, { readonly kind: keyof MachineChanges }> {
  return Object.hasOwn(KINDS, event.kind);
}

const text = v.string();
const number = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const schema = v.literal(MACHINE_SCHEMA);
const time = v.pipe(
  v.number(),
  v.integer(),
  v.check(isWritable, 'expected a time of the years 0 to 9999'),
);

/** JSON has null for what is undefined. */
function absent<T>(of: v.GenericSchema<unknown, T>): v.GenericSchema<unknown, T | undefined> {
  return v.pipe(
    v.nullable(of),
    v.transform((found) => found ?? undefined),
  );
}

const saved = { at: time, author: text, reason: text };
const source = v.strictObject({ config: text, policy: absent(text), fragments: v.array(text) });
const documents = {
  machine: text,
  basedOn: number,
  config: text,
  policy: absent(text),
  source: v.optional(absent(source)),
  ...saved,
};
const signatures = v.record(text, text);

const wish = v.strictObject({
  key: text,
  kind: v.picklist(COMMAND_KINDS),
  module: absent(text),
  term: absent(text),
  version: absent(text),
  ...saved,
  expiresAt: time,
  signed: v.optional(absent(v.strictObject({ id: text, givenAt: time, signatures }))),
});

const outcome = v.strictObject({ number, result: v.picklist(RESULTS), detail: text });
const refused = v.strictObject({ revision: number, code: text, detail: text });
const word = v.variant('about', [
  v.strictObject({
    about: v.literal('documents'),
    machine: text,
    at: time,
    applied: absent(number),
    refused: absent(refused),
  }),
  v.strictObject({
    about: v.literal('commands'),
    machine: text,
    at: time,
    outcomes: v.array(outcome),
  }),
  v.strictObject({ about: v.literal('asking'), machine: text }),
]);

/** Events with what machines are served, and with what they say of it. */
export const MACHINE_EVENTS = [
  v.strictObject({ schema, kind: v.literal('config'), ...documents }),
  v.strictObject({
    schema,
    kind: v.literal('config-signatures'),
    machine: text,
    revision: number,
    signatures,
  }),
  v.strictObject({
    schema,
    kind: v.literal('fragment'),
    next: v.strictObject({ name: text, revision: number, ...saved, content: text }),
    users: text,
    documents: v.array(v.strictObject(documents)),
  }),
  v.strictObject({ schema, kind: v.literal('commands'), wish, machines: v.array(text) }),
  v.strictObject({
    schema,
    kind: v.literal('secret'),
    machine: text,
    name: text,
    secret: v.nullable(v.strictObject({ places: v.array(text), key: text, sealed: text })),
  }),
  v.strictObject({ schema, kind: v.literal('heard'), words: v.array(word) }),
] as const;
