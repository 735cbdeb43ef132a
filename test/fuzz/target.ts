import fc from 'fast-check';

/** Something of ours that reads foreign bytes. */
export interface Target {
  readonly name: string;
  /** The rows of faults that are tried here: `T1 T2`. */
  readonly faults: string;
  /** How many of a thousand inputs are for it. */
  readonly perMille: number;
  /** Tries inputs; what went wrong with the first that fails, as small as it can be made. */
  attempt(trial: Trial): Promise<Failure | undefined>;
}

/** Which inputs are tried. */
export interface Trial {
  /** Decides all inputs. */
  readonly seed: number;
  readonly count: number;
  /** Of one input among those of the seed, which alone is tried then. */
  readonly path?: string | undefined;
  /** Told before each input. */
  readonly onInput?: (() => void) | undefined;
}

interface Failure {
  /** What happened. */
  readonly found: string;
  readonly input: string;
  /** Repeats it. */
  readonly path: string;
}

/** What makes inputs and judges them. */
export interface Subject<Input> extends Pick<Target, 'name' | 'faults' | 'perMille'> {
  readonly inputs: fc.Arbitrary<Input>;
  /** What is wrong with how `input` was taken, or undefined. What it throws is wrong. */
  readonly judge: (input: Input) => string | undefined | Promise<string | undefined>;
  /** `input` for a person. */
  readonly show?: (input: Input) => string;
}

/** No input as small as these takes longer, by far. */
const LONGEST_MS = 2000;
/** A failure that is slow to repeat is made smaller for no longer. */
const SHRINKING_MS = 20_000;
const LONGEST_SHOWN = 4000;

export function target<Input>(subject: Subject<Input>): Target {
  const { name, faults, perMille, inputs, show = fc.stringify } = subject;
  return {
    name,
    faults,
    perMille,
    async attempt({ seed, count, path = '', onInput }) {
      let firstFailed = Infinity;
      const property = fc.asyncProperty(inputs, async (input) => {
        if (performance.now() - firstFailed > SHRINKING_MS) return;
        onInput?.();
        const found = await foundWrong(subject, input);
        if (found === undefined) return;
        firstFailed = Math.min(firstFailed, performance.now());
        throw new Error(found);
      });
      const isOne = path !== '';
      const details = await fc.check(property, {
        seed,
        path,
        endOnFailure: isOne,
        numRuns: isOne ? 1 : count,
      });
      if (!details.failed) return undefined;
      const { counterexample, counterexamplePath, errorInstance } = details;
      return {
        found: errorInstance instanceof Error ? errorInstance.message : String(errorInstance),
        input: counterexample ? show(counterexample[0]).slice(0, LONGEST_SHOWN) : 'none was made',
        path: counterexamplePath ?? '',
      };
    },
  };
}

async function foundWrong<Input>(
  { judge }: Subject<Input>,
  input: Input,
): Promise<string | undefined> {
  const began = performance.now();
  const found = await verdict(judge, input);
  const took = performance.now() - began;
  const polluted = cleanedPrototype();
  if (found !== undefined) return found;
  if (polluted.length > 0) return `added to Object.prototype: ${polluted.join(', ')}`;
  return took > LONGEST_MS ? `took ${Math.round(took)} ms` : undefined;
}

async function verdict<Input>(
  judge: Subject<Input>['judge'],
  input: Input,
): Promise<string | undefined> {
  try {
    return await judge(input);
  } catch (error) {
    return `threw ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
  }
}

const OWN_KEYS = new Set(Reflect.ownKeys(Object.prototype));

/** What every object has that none should; it has it no longer. */
function cleanedPrototype(): string[] {
  const keys = Reflect.ownKeys(Object.prototype);
  if (keys.length === OWN_KEYS.size) return [];
  const added = keys.filter((key) => !OWN_KEYS.has(key));
  for (const key of added) Reflect.deleteProperty(Object.prototype, key);
  return added.map(String);
}

/** Nothing in it can move a cursor or forge a line. */
export function isOneLine(text: string): boolean {
  return !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u.test(text);
}

/** The first of `texts` that is no escaped line, for a verdict; undefined where all are. */
export function notOneLine(texts: Iterable<string | undefined>): string | undefined {
  for (const text of texts) {
    if (text !== undefined && !isOneLine(text)) return `said ${JSON.stringify(text)}`;
  }
  return undefined;
}
