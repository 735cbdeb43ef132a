import fc from 'fast-check';
import { expect, it } from 'vitest';
import { shownWord } from '../../src/core/plan/waiting-for-age.ts';
import { pageApp } from '../../src/page/app.ts';
import { machines, planOf } from '../support/machines.ts';
import { pagedPlan } from '../support/paged-plan.ts';
import { cases } from '../support/runs.ts';

interface PlanDocument {
  readonly modules: readonly {
    readonly name: string;
    readonly constraint: string | null;
    readonly deployed: string | null;
    readonly target: string | null;
    readonly latest: string | null;
    readonly decision: string;
    readonly reason: string;
    readonly stops: readonly { readonly component: string }[];
    readonly next_change: {
      readonly at: string;
      readonly because: string;
      readonly decision: string;
    } | null;
    readonly warnings: readonly { readonly code: string; readonly message: string }[];
  }[];
}

const DUE = ['install', 'upgrade', 'downgrade', 'rollback', 'restart'];
const STATES = new Map([
  ['stuck', 'needs attention'],
  ['waiting', 'waiting'],
  ...DUE.map((direction) => [direction, 'due'] as const),
]);

/** What the page shows of each module, by the name of its entry. */
function shownIn(html: string): Map<string, object> {
  const cards = html.matchAll(/<article id="module-(\w+)">(.*?)<\/article>/gs);
  return new Map(
    Array.from(cards, ([, name = '', card = '']) => {
      const utc = card.replaceAll(/<time datetime="([^"]*)"[^>]*>[^<]*<\/time>/g, '$1');
      const values = utc.matchAll(/<dt>(\w+)<\/dt><dd>([^<]*)<\/dd>/g);
      // When the headline says the time of the next change, the change follows the reason.
      const facts = [
        // That nothing follows by itself, or until a release is published, is no change of the plan as data [D488] [D409].
        ...utc.matchAll(/<small>(\w+)<\/small> (?!nothing, until a person |stays until )([^<]*)/g),
        ...utc.matchAll(/<p>(next) (?!stays until )([^<]*)<\/p>/g),
      ];
      const texts = Array.from(utc.matchAll(/<p(?: class="warning")?>(?!next )([^<]*)<\/p>/g))
        .map(([, text = '']) => decoded(text))
        .toSorted();
      const state = /data-state="([^"]*)"/.exec(utc)?.[1];
      const named = Object.fromEntries(
        [...values, ...facts].map(([, key = '', value = '']) => [key, decoded(value)]),
      ) as Record<string, string>;
      return [name, { ...named, state, texts }];
    }),
  );
}

function decoded(html: string): string {
  return html
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}

it('says of 200 random machines what modreg plan --json says', async () => {
  await fc.assert(
    fc.asyncProperty(machines, async (machine) => {
      const app = pageApp(pagedPlan(planOf(machine)), {
        assets: { style: '', script: '' },
        access: undefined,
      });
      const shown = shownIn(await (await app.request('/')).text());
      const { plan } = (await (await app.request('/v1/machine')).json()) as { plan: PlanDocument };
      const expected = plan.modules.map((row) => [row.name, expectedOf(row)] as const);
      expect(Object.fromEntries(shown)).toEqual(Object.fromEntries(expected));
    }),
    cases(200),
  );
});

const containing = (text: string): string => expect.stringContaining(text) as string;

/** What changes within a second has changed when it ends. */
function secondOf(time: string): string {
  const ms = Math.ceil(Date.parse(time) / 1000) * 1000;
  return new Date(ms).toISOString().replace('.000', '');
}

const FLAGS = new Set([
  'DEPLOYED_YANKED',
  'DEPLOYED_REFUSED',
  'FAILED_IN_ANOTHER_ENTRY',
  'UNDECIDED',
]);

function isFlagged({ warnings }: PlanDocument['modules'][number]): boolean {
  return warnings.some(({ code }) => FLAGS.has(code));
}

const isReplaced = (decision: string): boolean => [...DUE, 'hold'].includes(decision);

function stateOf(row: PlanDocument['modules'][number]): string {
  const { decision, next_change: change } = row;
  const next = change ? { ...change, at: Date.parse(change.at), target: undefined } : undefined;
  // What is stuck until a release is old enough only waits (D388).
  const word = shownWord({ decision, next });
  return STATES.get(word) ?? (isFlagged(row) ? 'needs attention' : 'up to date');
}

/** Whether the reason of the decision says it. */
function isInReason({ code }: { readonly code: string }, decision: string): boolean {
  return code === 'AHEAD' || code === 'DOWNGRADE' || (decision === 'ahead' && FLAGS.has(code));
}

function expectedOf(row: PlanDocument['modules'][number]): object {
  const { constraint, deployed, target, latest, decision, reason, stops, warnings } = row;
  const next = row.next_change && secondOf(row.next_change.at);
  return {
    constraint: constraint ?? 'disabled',
    // What is no version is quoted for people.
    deployed: deployed === 'reload-1' ? '"reload-1"' : (deployed ?? 'unknown'),
    ...(isReplaced(decision) && target !== deployed && { target: target ?? '-' }),
    latest: latest ?? '-',
    signatures: constraint === null || latest === null ? containing('') : 'unsigned',
    state: stateOf(row),
    texts: [
      reason,
      ...warnings.filter((one) => !isInReason(one, decision)).map(({ message }) => message),
    ].toSorted(),
    ...(next !== null && { next: containing(next) }),
    ...(stops.length > 0 && { stops: containing(stops[0]?.component ?? '') }),
  };
}
