import type { Given, Judge, Scene, Told } from './judge.ts';

type Complain = Judge['complain'];
type CommandsJudge = Pick<Judge, 'given' | 'told'> & {
  readonly restored: () => void;
  readonly lost: () => void;
  readonly begun: (number: number) => void;
  readonly settled: (told: readonly Told[]) => void;
  /** Whether the site may have the machine begin something of this entry at once. */
  readonly isUrgent: (name: string) => boolean;
};

const DAY = 86_400_000;
/** An answer that was on its way. */
const ON_ITS_WAY_MS = 60_000;

/** Judges that each command is carried out at most once, in its time, by a machine that knows what it has done, and that its outcome is told. */
export function commandsJudge(
  { now, monotonic, isPinned }: Scene,
  complain: Complain,
): CommandsJudge {
  const all = new Map<number, Given>();
  const begun = new Map<number, number>();
  let outcomes = new Map<number, string>();
  let [newest, lostAt, restoredAt] = [0, -Infinity, -Infinity];
  return {
    given(one) {
      if (one.number <= newest) complain('T703', `command ${one.number} follows ${newest}`);
      newest = Math.max(newest, one.number);
      all.set(one.number, one);
    },
    restored() {
      restoredAt = now();
      outcomes = new Map();
    },
    lost() {
      lostAt = now();
    },
    begun(number) {
      const one = all.get(number);
      if (!one) return complain('T670', `command ${number} is carried out, which nobody gave`);
      const words = `command ${number} (${one.kind}) is carried out`;
      if (begun.has(number)) complain('D297', `${words} again`);
      if (now() >= one.expiresAt)
        complain('D301', `${words} ${now() - one.expiresAt} ms after its end`);
      if (isPinned && !one.isSigned && one.kind !== 'hold') complain('D300', `${words} unsigned`);
      if (one.at < lostAt)
        complain('T705', `${words}, and was given before the machine lost its state`);
      if (one.at < restoredAt && now() > restoredAt + ON_ITS_WAY_MS) {
        complain('T703', `${words}, and was given before the registry was restored`);
      }
      begun.set(number, monotonic());
    },
    told(told) {
      for (const { number, outcome } of told) {
        if (!outcome) continue;
        const { result } = outcome;
        const known = outcomes.get(number);
        if (known !== undefined && known !== result)
          complain('D297', `command ${number} is ${result} after ${known}`);
        outcomes.set(number, result);
        if (result === 'done' && !begun.has(number))
          complain('T704', `command ${number} is done, and never began`);
        if (result === 'expired' && begun.has(number))
          complain('T704', `command ${number} is expired, and began`);
      }
    },
    settled(told) {
      for (const { number, outcome } of told) {
        const one = all.get(number);
        if (outcome || !one || one.expiresAt <= now()) continue;
        complain('T840', `command ${number} (${one.kind}) has no outcome`);
      }
    },
    isUrgent: (name) =>
      [...begun].some(([number, at]) => {
        const one = all.get(number);
        return one?.kind === 'upgrade' && one.name === name && at > monotonic() - DAY;
      }),
  };
}
