import type { PinRefusal, Refusal } from './refusal.ts';
import type { Release } from './release.ts';
import { refusal, type Question } from './resolve.ts';

/** A pin's release, and why it may not be chosen. */
export type RefusedPin = { readonly release: Release } & PinRefusal;

/** What a pin means, where that is published and refused; undefined where it is not published. (D20, D30) */
export function refusedPin(question: Question): RefusedPin | undefined {
  for (const release of question.index.candidates(question.constraint)) {
    const refused = refusal(question, release);
    if (refused && isOfPins(refused)) return { release, ...refused };
  }
  return undefined;
}

/** Of several builds those are not meant that the pin's own text stands beside. (D3) */
function isOfPins(refused: Refusal): refused is PinRefusal {
  return refused.reason !== 'other-version';
}
