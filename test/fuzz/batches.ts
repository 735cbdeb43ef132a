import fc from 'fast-check';
import { target, type Subject, type Target, type Trial } from './target.ts';

/** Generates inputs that one reader reads together. */
export interface BatchSubject<Input> extends Omit<Subject<Input>, 'judge'> {
  /** How many inputs are read together. */
  readonly size: number;
  /** What went wrong when `inputs` were read together, or undefined. */
  readonly judge: (inputs: readonly Input[]) => Promise<string | undefined>;
}

/** So many of the inputs that only together are read wrongly are shown. */
const MOST_SHOWN = 3;
/** Even of one input, every reader takes its time. */
const LONGEST_MS = 10_000;

/**
 * A target that reads many inputs at once, which costs little more than to read one. A failure is of the input that causes it alone,
 * shrunk; or of the fewest inputs that cause it together.
 */
export function batchTarget<Input>(subject: BatchSubject<Input>): Target {
  const { judge, show = fc.stringify } = subject;
  const alone = target({
    longestMs: LONGEST_MS,
    ...subject,
    judge: async (input) => await judge([input]),
  });
  return {
    ...alone,
    async attempt(trial) {
      if ((trial.path ?? '') !== '') return await alone.attempt(trial);
      const failed = await firstFailed(subject, trial);
      if (!failed) return undefined;
      const { inputs, first } = failed;
      const [found, { guilty, place }] = await smallest(judge, inputs);
      if (guilty.length === 1) {
        const shrunk = await alone.attempt({ ...trial, count: 1, shrinksFrom: `${first + place}` });
        if (shrunk) return shrunk;
      }
      const shown = guilty.slice(0, MOST_SHOWN).map((input) => show(input));
      return {
        found: `${guilty.length} inputs together: ${found}`,
        input: shown.join('\nand '),
        path: `${first + place}`,
      };
    },
  };
}

interface FailedBatch<Input> {
  readonly inputs: readonly Input[];
  /** The number of its first input. */
  readonly first: number;
}

async function firstFailed<Input>(
  { inputs, size, judge }: BatchSubject<Input>,
  { seed, count, onInput }: Trial,
): Promise<FailedBatch<Input> | undefined> {
  let batch: Input[] = [];
  let number = 0;
  let failed: FailedBatch<Input> | undefined;
  const property = fc.asyncProperty(inputs, async (input) => {
    onInput?.();
    batch.push(input);
    number++;
    if (batch.length < size && number < count) return true;
    const isWrong = (await wrongIn(judge, batch)) !== undefined;
    if (isWrong) failed = { inputs: batch, first: number - batch.length };
    batch = [];
    return !isWrong;
  });
  await fc.check(property, { seed, numRuns: count, endOnFailure: true });
  return failed;
}

/** The fewest inputs that are still read wrongly, and the place of the first of them. */
async function smallest<Input>(
  judge: BatchSubject<Input>['judge'],
  inputs: readonly Input[],
): Promise<[string | undefined, { readonly guilty: readonly Input[]; readonly place: number }]> {
  let kept = [...inputs.keys()];
  const at = (places: readonly number[]): Input[] =>
    places.flatMap((place) => inputs.slice(place, place + 1));
  for (let part = Math.ceil(kept.length / 2); kept.length > 1; part = Math.ceil(part / 2)) {
    for (let from = 0; from < kept.length && kept.length > 1;) {
      const rest = kept.toSpliced(from, part);
      const isNeeded = rest.length === 0 || (await wrongIn(judge, at(rest))) === undefined;
      if (isNeeded) from += part;
      else kept = rest;
    }
    if (part === 1) break;
  }
  const guilty = at(kept);
  return [await wrongIn(judge, guilty), { guilty, place: kept[0] ?? 0 }];
}

async function wrongIn<Input>(
  judge: BatchSubject<Input>['judge'],
  inputs: readonly Input[],
): Promise<string | undefined> {
  try {
    return await judge(inputs);
  } catch (error) {
    return `threw ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
  }
}
