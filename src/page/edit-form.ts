import type { DocumentEdit } from '../config/document-edit.ts';
import { parseConstraint, parseModuleId, formatConstraint } from '../core/index.ts';
import type { Result } from '../core/text/result.ts';
import { parseDuration } from '../core/text/duration.ts';
import { quote } from '../core/text/quote.ts';
import { nameComplaint } from '../config/text/name.ts';
import { fieldOf } from './request-input.ts';
import { refused, type PageProblem } from './page-problem.ts';

/** The forms of edits, by the ends of their addresses (D416). */
export const EDITS = [
  'add',
  'remove',
  'window',
  'no-window',
  'blackout',
  'no-blackout',
  'age',
] as const;
export type EditForm = (typeof EDITS)[number];

/** The days on which a window opens, as cron has them. */
export const DAYS: ReadonlyMap<string, string> = new Map([
  ['*', 'every day'],
  ['MON-FRI', 'Monday to Friday'],
  ['SAT,SUN', 'Saturday and Sunday'],
  ['MON', 'Monday'],
  ['TUE', 'Tuesday'],
  ['WED', 'Wednesday'],
  ['THU', 'Thursday'],
  ['FRI', 'Friday'],
  ['SAT', 'Saturday'],
  ['SUN', 'Sunday'],
]);

type Read = Result<DocumentEdit, PageProblem[]>;

/** The edit that a form says, or what is wrong with it. */
export function editIn(form: EditForm, fields: URLSearchParams): Read {
  const field = (name: string): string => fieldOf(fields, name) ?? '';
  switch (form) {
    case 'add':
      return addIn(field);
    case 'remove':
      return { ok: true, value: { kind: 'remove', name: field('name') } };
    case 'window':
      return windowIn(field);
    case 'no-window':
      return { ok: true, value: { kind: 'drop', from: 'maintenance', entry: field('entry') } };
    case 'blackout':
      return blackoutIn(field);
    case 'no-blackout':
      return { ok: true, value: { kind: 'drop', from: 'blackout', entry: field('entry') } };
    case 'age': {
      const age = field('age');
      const read = parseDuration(age);
      return read.ok ? { ok: true, value: { kind: 'age', age } } : wrong(`age: ${read.error}`);
    }
  }
}

type Field = (name: string) => string;

function addIn(field: Field): Read {
  const moduleId = parseModuleId(field('module_id'));
  if (!moduleId.ok) {
    return wrong(`${moduleId.error.message}, expected <namespace>:<name>, such as acme:lidar`);
  }
  const constraint = parseConstraint(field('version'));
  if (!constraint.ok) {
    return wrong(
      `${constraint.error.message}, expected 1.2.3, 1.2.*, 1.*, latest or latest-with-prerelease`,
    );
  }
  const name = field('name') || moduleId.value.replace(':', '_');
  const fault = nameComplaint(name);
  if (fault !== undefined) return wrong(`name is ${quote(name)}: ${fault}`);
  const version = formatConstraint(constraint.value);
  return { ok: true, value: { kind: 'add', moduleId: moduleId.value, name, version } };
}

function windowIn(field: Field): Read {
  const [, hour, minute] = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(field('at')) ?? [];
  if (hour === undefined || minute === undefined) {
    return wrong(`at is ${quote(field('at'))}, expected a time of day such as 02:00`);
  }
  const days = field('days');
  if (!DAYS.has(days)) return wrong(`days is ${quote(days)}, expected one of the list`);
  const entry = {
    start: `${Number(minute)} ${Number(hour)} * * ${days}`,
    duration: field('duration'),
    time_zone: field('time_zone'),
  };
  return { ok: true, value: { kind: 'append', to: 'maintenance', entry } };
}

function blackoutIn(field: Field): Read {
  const [from, to, reason] = [field('from'), field('to'), field('why')];
  const span = to === '' || to === from ? { day: from } : { from, to };
  const entry = { ...span, time_zone: field('time_zone'), ...(reason !== '' && { reason }) };
  return { ok: true, value: { kind: 'append', to: 'blackout', entry } };
}

function wrong(message: string): ReturnType<typeof refused> {
  return refused('BAD_FIELD', message);
}
