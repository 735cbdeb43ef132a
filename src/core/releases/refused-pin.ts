import type { PinRefusal, Refusal } from './refusal.ts';
import type { Release } from './release.ts';
import { refusal, type ResolveInput } from './resolve.ts';
import type { Version } from '../version/version.ts';

/** A pin's release, and why it may not be chosen. */
export type RefusedPin = { readonly release: Release } & PinRefusal;

/** What `pin` means, where that is published and refused; undefined where it is not published. (D20, D30) */
export function refusedPin(input: ResolveInput, pin: Version): RefusedPin | undefined {
  const { index, constraint } = input;
  const exact = index.find(pin);
  // Of several builds none is meant that the pin's own text stands beside. (D3)
  for (const release of exact ? [exact] : index.candidates(constraint)) {
    const refused = refusal(input, release);
    if (refused && isOfPins(refused)) return { release, ...refused };
  }
  return undefined;
}

function isOfPins(refused: Refusal): refused is PinRefusal {
  return refused.reason !== 'other-version';
}
