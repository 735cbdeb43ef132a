import { simulate, type Outcome, type Play } from './simulate.ts';

/** Bounds the time that a person waits. */
const MOST_REPLAYS = 150;

/**
 * Removes incidents in halves, quarters and finally one by one, as long as the play still breaks the same invariant.
 * Returns the shortest play found.
 */
export async function shrink(play: Play, { incidents, violation }: Outcome): Promise<Outcome> {
  const all = play.only ?? incidents.map((_, number) => number);
  let least = await simulate({ ...play, only: all, keepsLines: true });
  await shortest(all, MOST_REPLAYS, async (only) => {
    const outcome = await simulate({ ...play, only, keepsLines: true });
    if (!isAlike(outcome.violation, violation)) return false;
    least = outcome;
    return true;
  });
  return least;
}

/** The shortest part of `all` found that is still `enough`, in at most `most` tries. */
export async function shortest(
  all: readonly number[],
  most: number,
  enough: (only: readonly number[]) => Promise<boolean>,
): Promise<readonly number[]> {
  let only = all;
  let tries = 0;
  for (
    let size = Math.ceil(only.length / 2);
    size >= 1;
    size = size === 1 ? 0 : Math.ceil(size / 2)
  ) {
    for (let from = 0; from < only.length && tries < most;) {
      const rest = only.toSpliced(from, size);
      tries++;
      if (await enough(rest)) only = rest;
      else from += size;
    }
  }
  return only;
}

/** Whether both break the same invariant for the same module or subsystem. */
function isAlike(a: Outcome['violation'], b: Outcome['violation']): boolean {
  return a?.invariant === b?.invariant && targetIn(a?.found) === targetIn(b?.found);
}

function targetIn(text = ''): string | undefined {
  return /(module|subsystem) \S+/.exec(text)?.[0];
}

/** The numbers of the incidents that a play recorded. */
export function numbersIn({ lines }: Pick<Outcome, 'lines'>): number[] {
  return lines.flatMap((line) => {
    const [, number] = / s {2}\((\d+)\) /.exec(line) ?? [];
    return number === undefined ? [] : [Number(number)];
  });
}
