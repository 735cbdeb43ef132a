import { createHash } from 'node:crypto';
import { commandText, type CommandKind } from '../../../src/core/trust/command-text.ts';
import { APPROVER } from '../../support/signed.ts';
import { IDS } from './documents.ts';
import { BROKEN, maybeKilled, NAMES, type Happening } from './ground.ts';
import { MACHINE } from './site.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** The site gives the machine a command. */
export function command(kind: CommandKind): Happening {
  return (ground) => {
    const { site, chance, mind, now, judge, isPinned } = ground;
    const isWhole = (kind === 'hold' || kind === 'unhold') && chance.is(0.3);
    const name = isWhole ? undefined : chance.one(NAMES);
    const module = name && IDS[name];
    const broken = `1.${chance.below((mind.published.get(module ?? '') ?? 0) + 1)}.${BROKEN}`;
    const at = now();
    const times = {
      givenAt: at - (at % SECOND),
      expiresAt: at - (at % SECOND) + chance.one([5 * MINUTE, HOUR, DAY]),
    };
    const said = {
      kind,
      module,
      version: kind === 'unquarantine' ? broken : undefined,
      reason: 'a test',
    };
    const key = createHash('sha256').update(`${mind.keys++}`).digest('base64url').slice(0, 21);
    const id = `${key}A`;
    const isSigned = isPinned && kind !== 'hold' && chance.is(0.7);
    const text = commandText('acme-plant', { ...said, ...times, machine: MACHINE, id });
    const signatures = { [APPROVER.id]: APPROVER.sign(text) };
    const signed = isSigned ? { id, givenAt: times.givenAt, signatures } : undefined;
    const term = kind === 'hold' ? chance.one(['1h', '12h', '3d']) : undefined;
    maybeKilled(ground);
    const { expiresAt } = times;
    const number = site.give({ key: id, term, ...said, expiresAt, signed });
    if (number === undefined) return undefined;
    judge.given({ number, kind, name, at, expiresAt, isSigned });
    return `command ${number} is given: ${kind} ${module ?? ''}, for ${(expiresAt - at) / MINUTE} min${isSigned ? ', signed' : ''}`;
  };
}
