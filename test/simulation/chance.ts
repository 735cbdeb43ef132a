import { randomFrom } from '../support/mutate.ts';

/** Pseudo-random choices derived from a seed. */
export interface Chance {
  /** From 0 up to, and excluding, 1. */
  readonly next: () => number;
  /** A whole number from 0 up to, and excluding, `count`. */
  readonly below: (count: number) => number;
  readonly is: (probability: number) => boolean;
  readonly between: (least: number, most: number) => number;
  readonly one: <T>(of: readonly T[]) => T;
}

/** Each `actor` has its own sequence, so that choices of one do not shift those of another. */
export function chanceOf(seed: number, actor: string): Chance {
  const next = randomFrom(Array.from(actor).reduce(mix, seed | 0));
  const below = (count: number): number => Math.floor(next() * count);
  return {
    next,
    below,
    is: (probability) => next() < probability,
    between: (least, most) => least + next() * (most - least),
    one: <T>(of: readonly T[]) => of[below(of.length)] as T,
  };
}

function mix(state: number, character: string): number {
  return Math.imul(state ^ (character.codePointAt(0) ?? 0), 0x01000193);
}
