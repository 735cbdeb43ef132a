import type { Chance } from './chance.ts';
import { fewer, isLie, type Manner } from './manners.ts';
import { digestOf, listOf, type Revision, type WireList, type WireRelease } from './published.ts';

/** The response of a registry. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** What a true response is about: a module, or the changed modules that it names. */
  readonly about?: string | readonly string[];
}

export interface Features {
  /** Whether it has a feed of changes; with `long`, a request waits for a change. */
  readonly feed: 'none' | 'short' | 'long';
  readonly etags: 'none' | 'good' | 'one for all';
  readonly spreadMs: number;
  /** Whether its feed names the history of its numbers. */
  readonly hasHistory: boolean;
}

export interface SimulatedRegistry {
  readonly address: string;
  readonly features: Features;
  readonly list: (moduleId: string, etag: string | undefined) => Answer;
  /** Undefined when the request waits for a change. */
  readonly changes: (after: number, isPatient: boolean) => Answer | undefined;
  /** Calls `wake` at the next change. The returned function cancels that. */
  readonly onChange: (wake: () => void) => () => void;
  readonly revise: (moduleId: string, revision: Revision) => boolean;
  readonly behave: (manner: Manner) => void;
  /** Adds `by` to the sequence of the feed, which then no longer names changed modules. */
  readonly miscount: (by: number) => void;
  /** Numbers its changes from the beginning, in another history; undefined if it has no history. */
  readonly renumber: () => string | undefined;
  /**
   * Returns each list to the one that it was `back` changes ago, as `modreg registry restore` does: in another history, with
   * numbers above all that were ever sent (D43). The name of the history.
   */
  readonly restore: (back: number) => string;
  /** Whether a response of its feed in `history` has named the module. */
  readonly hasNamed: (history: string | undefined, moduleId: string) => boolean;
  /** How often its feed or its lists began to say something else. */
  readonly changeCount: () => number;
  /** Whether a registry that never deceived anybody had another list since it had changed `count` times. */
  readonly isOutdated: (moduleId: string, list: WireList, count: number) => boolean;
  /** The current list, independent of the manner. */
  readonly truth: (moduleId: string) => WireList;
  /** Becomes honest, and gives each list that it lied about a new generation. */
  readonly recover: () => void;
  /** Each list sent in full, by the digest of its response body. */
  readonly sent: ReadonlyMap<string, WireList>;
}

const RETRY_AFTER = ['', '0', '-1', 'soon', '5', '30', '3000000', '9'.repeat(400)];
const JUNK = [
  '',
  'null',
  '[]',
  '"x"',
  '<html>sign in</html>',
  '{"releases":{}}',
  '{"count":1}',
  '{"module_id":"a:b","generation":1,"count":0,"releases":[]}',
  '{"releases":[1,',
  '\u0000',
];

/** What a restore adds to the numbers of a backup. */
const RESTORE_STEP = 1000;
/** The lists of a module that are kept. */
const MOST_EARLIER = 5;
const FARTHEST = Number.MAX_SAFE_INTEGER;
const JSON_TYPE = { 'content-type': 'application/json' };

export function simulatedRegistry(
  address: string,
  features: Features,
  chance: Chance,
): SimulatedRegistry {
  const lists = new Map<string, WireList>();
  const earlier = new Map<string, WireList[]>();
  const sent = new Map<string, WireList>();
  let changed: string[] = [];
  const named = new Set<string>();
  let histories = 1;
  const waiting = new Set<() => void>();
  /** Modules with a false response. */
  const lied = new Set<string>();
  let manner: Manner = 'honest';
  let frozen = { lists: new Map<string, WireList>(), sequence: 0 };
  /** Added to the sequence of the feed. */
  let inflation = 0;
  let sequence = 0;
  /** The sequence before the first of `changed`. */
  let origin = 0;
  let changes = 0;

  const wakeAll = (): void => {
    for (const wake of waiting) wake();
    waiting.clear();
  };
  let hasDeceived = false;
  /** When each list was replaced, as the number of changes. */
  const replaced = new WeakMap<WireList, number>();

  const truth = (moduleId: string): WireList => lists.get(moduleId) ?? listOf(moduleId, 0, []);
  const put = (moduleId: string, releases: readonly WireRelease[]): void => {
    const list = listOf(moduleId, truth(moduleId).generation + 1, releases);
    replaced.set(truth(moduleId), changes + 1);
    lists.set(moduleId, list);
    earlier.set(moduleId, [...(earlier.get(moduleId) ?? []), list].slice(-MOST_EARLIER));
    sequence++;
    changes++;
    changed.push(moduleId);
    wakeAll();
  };
  const listIn = (moduleId: string): WireList => {
    const now = truth(moduleId);
    if (manner === 'frozen') return frozen.lists.get(moduleId) ?? now;
    if (manner === 'rolled-back') return chance.one(earlier.get(moduleId) ?? [now]);
    if (manner === 'two-faced') return { ...now, ...fewer(now, chance) };
    if (manner === 'fast-forward') return { ...now, generation: FARTHEST };
    if (manner === 'truncating') return { ...now, releases: now.releases.slice(1) };
    return now;
  };
  const refusal = (): Answer | undefined => {
    if (manner === 'honest' || chance.is(0.2)) return undefined;
    switch (manner) {
      case 'junk':
        return {
          status: chance.one([200, 200, 200, 204, 302, 418]),
          headers: JSON_TYPE,
          text: chance.one(JUNK),
        };
      case 'busy':
        return {
          status: chance.one([429, 503, 500]),
          headers: { 'retry-after': chance.one(RETRY_AFTER) },
          text: '',
        };
      case 'refusing':
        return { status: chance.one([401, 403]), headers: {}, text: '' };
      case 'forgetful':
        return { status: 404, headers: JSON_TYPE, text: '{}' };
      case 'frozen':
      case 'rolled-back':
      case 'two-faced':
      case 'truncating':
      case 'fast-forward':
        return undefined;
    }
  };
  return {
    address,
    features,
    truth,
    sent,
    list(moduleId, etag) {
      const refused = refusal();
      if (refused) return refused;
      const list = listIn(moduleId);
      if (list.generation === 0) return { status: 404, headers: JSON_TYPE, text: '{}' };
      const text = textOf(list);
      const tag = features.etags === 'good' ? `"${digestOf(text).slice(0, 16)}"` : '"same"';
      const history = features.hasHistory ? { 'modreg-history': `history ${histories}` } : {};
      const tags = features.etags === 'none' ? {} : { etag: tag };
      const headers = { ...JSON_TYPE, ...tags, ...history };
      // One tag for all lists matches each request, whatever list the client has.
      const allows304 = features.etags === 'good' || (manner !== 'honest' && chance.is(0.5));
      if (isLie(manner) || (etag === tag && features.etags !== 'good')) lied.add(moduleId);
      const about = moduleId;
      if (etag === tag && allows304) return { status: 304, headers, text: '', about };
      sent.set(digestOf(text), list);
      return { status: 200, headers, text, about };
    },
    changes(after, isPatient) {
      if (features.feed === 'none') return { status: 404, headers: {}, text: '' };
      const refused = refusal();
      if (refused) return refused;
      const now = (manner === 'frozen' ? frozen.sequence : sequence) + inflation;
      const isUnknown = inflation > 0 || after >= now;
      const modules = isUnknown
        ? []
        : [...new Set(changed.slice(Math.max(0, after - origin), now - origin))];
      if (isPatient && features.feed === 'long' && after === now) return undefined;
      const history = features.hasHistory ? `history ${histories}` : undefined;
      for (const moduleId of modules) named.add(`${history} ${moduleId}`);
      const said = manner === 'fast-forward' ? FARTHEST : now;
      const body = { history, sequence: said, modules, spread_ms: features.spreadMs };
      return { status: 200, headers: JSON_TYPE, text: JSON.stringify(body), about: modules };
    },
    onChange(wake) {
      waiting.add(wake);
      return () => waiting.delete(wake);
    },
    revise(moduleId, revision) {
      const { releases } = truth(moduleId);
      const revised = revision(releases);
      if (revised === releases) return false;
      put(moduleId, revised);
      return true;
    },
    behave(next) {
      changes++;
      hasDeceived ||= next !== 'honest';
      manner = next;
      if (next === 'frozen') frozen = { lists: new Map(lists), sequence };
    },
    renumber() {
      if (!features.hasHistory || features.feed === 'none') return undefined;
      histories++;
      changes++;
      changed = [...lists.keys()];
      origin = 0;
      sequence = changed.length;
      wakeAll();
      return `history ${histories}`;
    },
    restore(back) {
      histories++;
      changes++;
      for (const [moduleId, { generation }] of lists) {
        const known = earlier.get(moduleId) ?? [];
        const { releases } = known.at(-1 - back) ?? known[0] ?? truth(moduleId);
        const restored = listOf(moduleId, generation - back + RESTORE_STEP, releases);
        replaced.set(truth(moduleId), changes);
        lists.set(moduleId, restored);
        earlier.set(moduleId, [...known, restored].slice(-MOST_EARLIER));
      }
      changed = [...lists.keys()];
      origin = sequence - back * changed.length + RESTORE_STEP;
      sequence = origin + changed.length;
      wakeAll();
      return `history ${histories}`;
    },
    changeCount: () => changes,
    isOutdated: (moduleId, list, count) =>
      !hasDeceived && truth(moduleId) !== list && (replaced.get(list) ?? 0) <= count,
    hasNamed: (history, moduleId) => named.has(`${history} ${moduleId}`),
    miscount(by) {
      changes++;
      hasDeceived ||= by > 0;
      inflation = by;
    },
    recover() {
      changes++;
      manner = 'honest';
      inflation = 0;
      for (const moduleId of lied) put(moduleId, truth(moduleId).releases);
    },
  };
}

const TEXTS = new WeakMap<WireList, string>();

/** The body of a response with this list; a list never changes. */
function textOf(list: WireList): string {
  const text = TEXTS.get(list) ?? JSON.stringify(list);
  TEXTS.set(list, text);
  return text;
}
