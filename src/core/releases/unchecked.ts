import type { SignatureRefusal, TrustCheck } from './eligibility-policy.ts';

/** A release whose signatures nobody checked cannot be selected. */
export const UNCHECKED: SignatureRefusal = { reason: 'unsigned', signed: 0, needed: undefined };

/** For a list that came without a check although its terms name a trust document: the program that read it has to pass it (D133). */
export const NOTHING_CHECKED: TrustCheck = { check: () => UNCHECKED, verdicts: new Map() };
