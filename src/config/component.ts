import * as v from 'valibot';
import type { ModuleId, Result } from '../core/index.ts';
import type { Component, Model } from '../core/machine/machine.ts';
import { expectMembers, ofKind, TEXT } from '../core/text/argument.ts';
import { quote } from '../core/text/quote.ts';
import { fakeBoardAttributes, type FakeBoardAttributes } from './fake-board.ts';
import { badValue, type Fault } from './fault.ts';
import {
  anyObject,
  untransformed,
  choice,
  fields,
  listOf,
  parsedText,
  nonEmptyText,
  type Schema,
} from './fields/fields.ts';
import { name } from './fields/name.ts';

const PART = '[A-Za-z0-9][A-Za-z0-9_-]{0,62}';
const BUILT_IN = new RegExp(`^${PART}$`);
const TRIPLET = new RegExp(`^(${PART}:${PART}):(${PART})$`);

/** `<namespace>:<module_name>:<model_name>`, or one word for a model that is built into the server. */
const model: Schema<Model> = parsedText('a model', readModel, {
  pattern: `^${PART}(?::${PART}:${PART})?$`,
});

const entries = {
  name,
  model,
  type: nonEmptyText('the subtype of an API, such as sensor'),
  namespace: nonEmptyText('the namespace of an API, such as rdk'),
  depends_on: v.optional(listOf(name, 'a list of component names'), []),
};

/** A resource entry. A fake board's attributes are checked but not transformed. */
export const component: Schema<Component> = v.pipe(
  choice(
    { model: 'fake', type: 'board' },
    {
      matching: fields({ ...entries, attributes: untransformed(fakeBoardAttributes) }),
      otherwise: fields({ ...entries, attributes: v.optional(anyObject, {}) }),
    },
  ),
  v.transform(({ depends_on, ...entry }) => ({ ...entry, dependsOn: depends_on })),
);

const COMPONENT = { model: ofKind('a model'), type: TEXT };

/**
 * The attributes of a component that is a fake board (model `fake`, type `board`); undefined for any other
 * component. `entry` comes from `readMachine`, which has validated the attributes.
 *
 * @example
 * ```ts
 * import { fakeBoardOf, readMachine } from 'modreg/config';
 *
 * const machine = readMachine('{ "components": [], "modules": [] }');
 * if (machine.ok) {
 *   for (const component of machine.value.components) console.log(fakeBoardOf(component)?.analogs);
 * }
 * ```
 */
export function fakeBoardOf(entry: Component): FakeBoardAttributes | undefined {
  expectMembers('fakeBoardOf()', 'entry', entry, COMPONENT);
  const isFake = entry.model.kind === 'built-in' && entry.model.name === 'fake';
  if (!isFake || entry.type !== 'board') return undefined;
  return v.parse(fakeBoardAttributes, entry.attributes);
}

/** Whether `text` has the syntax of a model. */
export function isModel(text: string): boolean {
  return TRIPLET.test(text) || BUILT_IN.test(text);
}

function readModel(text: string): Result<Model, Fault> {
  const [, moduleId, last] = TRIPLET.exec(text) ?? [];
  if (moduleId !== undefined && last !== undefined) {
    // TRIPLET accepts only a module id as the first two parts.
    return { ok: true, value: { kind: 'modular', moduleId: moduleId as ModuleId, name: last } };
  }
  if (BUILT_IN.test(text)) return { ok: true, value: { kind: 'built-in', name: text } };
  const expected = '<namespace>:<module_name>:<model_name>, or one word for a built-in model';
  return { ok: false, error: badValue(`${quote(text)} is not a model, expected ${expected}`) };
}
