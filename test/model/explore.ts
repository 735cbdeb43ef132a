import { createHash } from 'node:crypto';

/** What can be explored: states, and what may happen in each. */
export interface Model<S> {
  readonly initial: S;
  /** What may happen next. */
  readonly moves: (state: S) => readonly string[];
  /** The state after a move. It does not change `state`. */
  readonly play: (state: S, move: string) => Promise<Played<S>> | Played<S>;
  /** States with the same text behave in the same way from now on. */
  readonly textOf: (state: S) => string;
  /** What a state that was not met before breaks if nothing bad happens any more; undefined if nothing. */
  readonly calm?: (state: S) => Promise<string | undefined> | string | undefined;
}

export interface Played<S> {
  readonly state: S;
  /** The invariants that the move breaks. */
  readonly broken: readonly string[];
}

export interface Bounds {
  /** The most moves from the initial state. */
  readonly depth: number;
  /** Asked before each state: whether there is no time or memory left. Never by default. */
  readonly isOver?: (() => boolean) | undefined;
}

export interface Explored {
  readonly states: number;
  readonly moves: number;
  /** Every state that so many moves reach was met. */
  readonly depth: number;
  /** Whether no move leads to a state that was not met. */
  readonly isWhole: boolean;
  /** Undefined if nothing is broken. */
  readonly violation: { readonly broken: string; readonly path: readonly string[] } | undefined;
}

/** A state that was met, and the shortest path to it. */
interface Met<S> {
  readonly state: S;
  readonly path: Path | undefined;
}

interface Path {
  readonly move: string;
  readonly before: Path | undefined;
}

/** Plays all moves of all states breadth-first, so that the path to a violation is a shortest one. */
export async function explore<S>(
  model: Model<S>,
  { depth: most, isOver = () => false }: Bounds,
): Promise<Explored> {
  const seen = new Set([hashOf(model.textOf(model.initial))]);
  let layer: Met<S>[] = [{ state: model.initial, path: undefined }];
  let [moves, depth] = [0, 0];
  const ended = (violation?: Explored['violation']): Explored => {
    const isWhole = !violation && layer.length === 0;
    return { states: seen.size, moves, depth, isWhole, violation };
  };
  for (; depth < most && layer.length > 0; depth++) {
    const next: Met<S>[] = [];
    for (const met of layer) {
      if (isOver()) return ended();
      const from = await playedFrom(model, met, seen);
      moves += from.moves;
      if (from.violation) return ended(from.violation);
      next.push(...from.next);
    }
    layer = next;
  }
  return ended();
}

interface From<S> {
  readonly moves: number;
  /** The states that were not met before. */
  readonly next: readonly Met<S>[];
  readonly violation?: Explored['violation'];
}

/** Plays all moves of one state, up to the first that breaks something. */
async function playedFrom<S>(
  model: Model<S>,
  { state: before, path: earlier }: Met<S>,
  seen: Set<string>,
): Promise<From<S>> {
  const next: Met<S>[] = [];
  let moves = 0;
  for (const move of model.moves(before)) {
    moves++;
    const path = { move, before: earlier };
    const { state, broken } = await model.play(before, move);
    const hash = hashOf(model.textOf(state));
    const isNew = !seen.has(hash);
    seen.add(hash);
    const first = broken[0] ?? (isNew ? await model.calm?.(state) : undefined);
    if (first !== undefined)
      return { moves, next, violation: { broken: first, path: movesOf(path) } };
    if (isNew) next.push({ state, path });
  }
  return { moves, next };
}

function movesOf(last: Path): string[] {
  const moves: string[] = [];
  for (let path: Path | undefined = last; path; path = path.before) moves.push(path.move);
  return moves.toReversed();
}

/** 120 bits: two of a billion states have the same hash with a probability of one in 10^18. */
function hashOf(text: string): string {
  return createHash('sha1').update(text).digest('base64url').slice(0, 20);
}
