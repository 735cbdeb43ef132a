import { parseConstraint, type Constraint } from './constraint.ts';

/** The constraint that `callee` was given as text. Throws a RangeError if it cannot be parsed, with that error as `cause`. */
export function constraintOf(callee: string, text: string): Constraint {
  const parsed = parseConstraint(text);
  if (parsed.ok) return parsed.value;
  const { message, suggestion } = parsed.error;
  const advice = suggestion === undefined ? '' : `; did you mean ${suggestion} ?`;
  throw new RangeError(`${callee}: ${message}${advice}`, { cause: parsed.error });
}
