/*
 * What a document of a machine may have. The facts that a machine reports come from its documents, so a registry refuses
 * facts that exceed the same limits (T263, T264).
 */

/** Levels of nesting. */
export const DEEPEST = 64;
/** In all lists of a policy. A window takes 0.1 MB once it was evaluated (T95). */
export const MOST_WINDOWS = 100;
/** In one list. Looking for one takes the square of their number (T335). */
export const MOST_BLACKOUTS = 100;
/** In the list of what a site refuses of a module, or exempts from an age: what a machine reports of it is within the limit of its facts (T263). */
export const MOST_REFUSED = 50;
