import type { Plan } from '../core/index.ts';

/** When the passing of time alone changes the plan. */
export function changesIn({ modules, subsystems }: Plan): number[] {
  return [...modules, ...subsystems].flatMap(({ nextChange }) => nextChange?.at ?? []);
}
