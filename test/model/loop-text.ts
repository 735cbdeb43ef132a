import { deployedText } from '../../src/core/decision/deployed.ts';
import { HOUR, MINUTE, NAMES, TARGETS, type Life } from './loop-world.ts';

/** The ages of times are told apart up to this: nothing of the model lasts longer. */
const LONGEST_MS = HOUR + 10 * MINUTE;

/**
 * All that decides what a process does next: what machine.db remembers, what the process knows, and what is outside. Times count from
 * now, and actions in the order in which they are named.
 */
export function textOf(life: Life): string {
  const { world, hands, consumer, heard, rounds, clock, file, delivered, failedHere } = life;
  const memory = file.state.memory();
  const now = clock.now();
  const known = [
    world,
    heard,
    Math.min(rounds, 2),
    consumer !== undefined,
    hands.map(({ delivery, isBegun }) => [delivery.action.id, isBegun, delivery.signal.aborted]),
    [...failedHere],
    memory.starts,
    NAMES.map((name) => {
      const { deployed, ...rest } = memory.of(TARGETS[name]);
      // The policy of the model counts no restarts.
      return [deployedText(deployed), { ...rest, restarts: undefined }];
    }),
    memory.open.map(({ action, state, notBefore, failures }) => {
      const { id, target, from, to, direction } = action;
      return [id, target.name, from, to, direction, state, notBefore, failures, delivered.has(id)];
    }),
  ];
  return withoutNames(JSON.stringify(known, plain), now);
}

function plain(_: string, value: unknown): unknown {
  if (value instanceof Set || value instanceof Map) return [...value];
  return value;
}

function withoutNames(text: string, now: number): string {
  const ids = new Map<string, string>();
  return text
    .replaceAll(/"model-\d+"|"[\da-f]{12}-\d+"/g, (id) => {
      const known = ids.get(id) ?? `#${ids.size}`;
      ids.set(id, known);
      return known;
    })
    .replaceAll(/\b1[5-9]\d{11}\b/g, (time) => String(Math.min(LONGEST_MS, now - Number(time))));
}
