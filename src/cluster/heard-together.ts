import type {
  CatalogueChange,
  ChangeKind,
  ChangeResults,
} from '../server/catalogue/catalogue-change.ts';
import type { WriteChange } from '../server/catalogue/write-change.ts';
import type { MachineWord } from '../server/configs/machine-change.ts';

type Heard = ChangeResults['heard'];

interface Waiting extends PromiseWithResolvers<Heard> {
  readonly words: readonly MachineWord[];
}

/** Of the words in an event, as JSON. */
const MOST_CHARACTERS = 500_000;

/** Makes changes by `write`. What machines say while an event of it is being written becomes one event (D401): after a command to a group, all of them answer. */
export function heardTogether(write: WriteChange): WriteChange {
  const hear = hearing(write);
  return async <K extends ChangeKind>(change: CatalogueChange<K>, by?: string) => {
    // Casts: the compiler does not narrow it by its kind.
    const one = change as CatalogueChange;
    if (one.kind === 'heard') return (await hear(one.words)) as ChangeResults[K];
    return await write(change, by);
  };
}

function hearing(write: WriteChange): (words: readonly MachineWord[]) => Promise<Heard> {
  const waiting: Waiting[] = [];
  let isWriting = false;
  const flush = async (): Promise<void> => {
    isWriting = true;
    while (waiting.length > 0) {
      const batch = waiting.splice(0, countFor(waiting));
      try {
        const words = batch.flatMap((one) => one.words);
        const result = await write({ kind: 'heard', words });
        for (const { resolve } of batch) resolve(result);
      } catch (error) {
        // Those that wait behind it are refused, too: without an end, they would fill the memory.
        for (const { reject } of [...batch, ...waiting.splice(0)]) reject(error);
      }
    }
    isWriting = false;
  };
  return async (words) => {
    const one = { words, ...Promise.withResolvers<Heard>() };
    waiting.push(one);
    if (!isWriting) void flush();
    return await one.promise;
  };
}

/** How many of those that wait fit into an event. */
function countFor(waiting: readonly Waiting[]): number {
  let left = MOST_CHARACTERS;
  const end = waiting.findIndex(({ words }) => (left -= JSON.stringify(words).length) < 0);
  return end === -1 ? waiting.length : Math.max(end, 1);
}
