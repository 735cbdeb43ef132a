import fc from 'fast-check';

/** A reader of untrusted input. */
export interface Target {
  readonly name: string;
  /** The fault rows that the target covers: `T1 T2`. */
  readonly faults: string;
  /** Its share of a thousand inputs. */
  readonly perMille: number;
  /** Tries inputs. Returns the first failure, shrunk as far as possible. */
  attempt(trial: Trial): Promise<Failure | undefined>;
}

/** Selects the inputs to try. */
export interface Trial {
  /** Determines every input. */
  readonly seed: number;
  readonly count: number;
  /** The path of one input of the seed; only that one is then tried. */
  readonly path?: string | undefined;
  /** The path of one input of the seed, from which it is shrunk. */
  readonly shrinksFrom?: string | undefined;
  /** Called before each input. */
  readonly onInput?: (() => void) | undefined;
}

interface Failure {
  /** What went wrong. */
  readonly found: string;
  readonly input: string;
  /** The `Trial.path` that repeats it. */
  readonly path: string;
}

/** Generates inputs and judges how they are read. */
export interface Subject<Input> extends Pick<Target, 'name' | 'faults' | 'perMille'> {
  readonly inputs: fc.Arbitrary<Input>;
  /** What went wrong when `input` was read, or undefined. Any exception is a failure. */
  readonly judge: (input: Input) => string | undefined | Promise<string | undefined>;
  /** `input` as text for people. */
  readonly show?: (input: Input) => string;
  /** How long an input may take, in milliseconds. */
  readonly longestMs?: number;
}

/** Far more than any of these small inputs needs. */
const LONGEST_MS = 2000;
/** Shrinking stops after this time. */
const SHRINKING_MS = 20_000;
const LONGEST_SHOWN = 4000;

export function target<Input>(subject: Subject<Input>): Target {
  const { name, faults, perMille, inputs, show = fc.stringify } = subject;
  return {
    name,
    faults,
    perMille,
    async attempt({ seed, count, path = '', shrinksFrom = path, onInput }) {
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
        path: shrinksFrom,
        endOnFailure: isOne,
        numRuns: isOne ? 1 : count,
      });
      if (!details.failed) return undefined;
      const { counterexample, counterexamplePath, errorInstance } = details;
      return {
        found: errorInstance instanceof Error ? errorInstance.message : String(errorInstance),
        input: counterexample
          ? show(counterexample[0]).slice(0, LONGEST_SHOWN)
          : 'no input was generated',
        path: counterexamplePath ?? '',
      };
    },
  };
}

async function foundWrong<Input>(
  { judge, longestMs = LONGEST_MS }: Subject<Input>,
  input: Input,
): Promise<string | undefined> {
  const began = performance.now();
  const found = await verdict(judge, input);
  const took = performance.now() - began;
  const polluted = cleanedPrototype();
  if (found !== undefined) return found;
  if (polluted.length > 0) return `added to Object.prototype: ${polluted.join(', ')}`;
  return took > longestMs ? `took ${Math.round(took)} ms` : undefined;
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

/** Removes properties that were added to Object.prototype, and returns their names. */
function cleanedPrototype(): string[] {
  const keys = Reflect.ownKeys(Object.prototype);
  if (keys.length === OWN_KEYS.size) return [];
  const added = keys.filter((key) => !OWN_KEYS.has(key));
  for (const key of added) Reflect.deleteProperty(Object.prototype, key);
  return added.map(String);
}

/** Whether `text` contains no character that can move a cursor or forge a line. */
export function isOneLine(text: string): boolean {
  return !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u.test(text);
}

/** Reports the first of `texts` that is not one escaped line; undefined if all are. */
export function notOneLine(texts: Iterable<string | undefined>): string | undefined {
  for (const text of texts) {
    if (text !== undefined && !isOneLine(text)) return `printed ${JSON.stringify(text)}`;
  }
  return undefined;
}
