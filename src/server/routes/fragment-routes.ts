import type { Context, Hono } from 'hono';
import { isGroup } from '../../core/rollout/group.ts';
import { formatTime } from '../../core/text/rfc3339.ts';
import {
  newFragment,
  type FragmentList,
  type SavedFragment,
  type ShownFragment,
} from '../../registry/fragment-documents.ts';
import type { Catalogue } from '../catalogue/catalogue.ts';
import { fragmentEffects, type FragmentEffects } from '../configs/fragment-effects.ts';
import { fragmentDiff } from '../../core/trust/document-diff.ts';
import { stateOf, type StoredFragment } from '../configs/fragment-table.ts';
import { problem } from '../problem.ts';
import { CONFIG_SCOPE } from '../tokens/scope.ts';
import { authorOf, readToken, tokenOf } from './bearer.ts';
import type { Caller } from './caller.ts';
import { answeringToken, type Answer } from './guarded.ts';
import { jsonBody } from './json-body.ts';
import { FRAGMENT, FRAGMENTS } from './module-route.ts';
import type { WritingOptions } from './of-machine.ts';
import { readingBy } from './reading-by.ts';
import type { WriteChange } from '../catalogue/write-change.ts';
import { unservedAnswer } from './read-routes.ts';
import { staleConfig } from './stale-config.ts';

interface WritingCaller extends Caller {
  readonly write: WriteChange;
}

type Handle = (c: Context, caller: WritingCaller) => Answer | Promise<Answer>;

/** Adds the routes of what documents of machines share (D329, D330). */
export function addFragmentRoutes(app: Hono, catalogue: Catalogue, options: WritingOptions): void {
  const guarded = (read: typeof readToken, handle: Handle): ReturnType<typeof answeringToken> =>
    answeringToken(read, { catalogue, ...options }, async (c, caller) => {
      const { token } = caller;
      const scope = CONFIG_SCOPE;
      if (!token.scopes.includes(scope)) return { kind: 'missing-scope', token, scope };
      const unserved = unservedAnswer(c, options);
      return unserved ?? (await handle(c, { ...caller, write: options.write }));
    });
  app.get(FRAGMENTS, guarded(readToken, listAnswer));
  app.get(FRAGMENT, guarded(readToken, shownAnswer));
  app.put(FRAGMENT, guarded(tokenOf, saveAnswer));
}

function savedBy({ name, revision, at, author, reason }: StoredFragment): {
  name: string;
  revision: number;
  at: string;
  by: string;
  reason: string;
} {
  return { name, revision, at: formatTime(at), by: author, reason };
}

function listAnswer(c: Context, { catalogue }: Caller): Response {
  const { fragments } = catalogue.configs;
  const found = fragments.all().map((one) => {
    const machines = fragments.users(one.name).length;
    return Object.assign(savedBy(one), { machines });
  });
  return c.json({ fragments: found } satisfies FragmentList);
}

function shownAnswer(c: Context, { catalogue }: Caller): Response {
  const name = c.req.param('name') ?? '';
  const { fragments } = catalogue.configs;
  const found = fragments.newest(name);
  if (!found) return problem('unknown-config', 'the registry has no fragment with this name');
  const machines = fragments.users(name).map(({ machine }) => machine);
  return c.json({ ...savedBy(found), content: found.content, machines } satisfies ShownFragment);
}

async function saveAnswer(c: Context, caller: WritingCaller): Promise<Answer> {
  const { catalogue, token, now } = caller;
  const name = c.req.param('name') ?? '';
  // Its name is written as that of a group.
  if (!isGroup(name)) return problem('bad-request', `the address does not have ${NAME_FORM}`);
  const body = await jsonBody(c, readingBy(newFragment));
  if (!body.ok) return body.error;
  const { based_on: basedOn, content, reason, dry_run: isDry } = body.value;
  const newest = catalogue.configs.fragments.newest(name);
  if (basedOn !== (newest?.revision ?? 0)) return stale(catalogue, name, basedOn);
  const author = authorOf(token);
  const next = { name, revision: basedOn + 1, content, reason, author, at: now };
  const found = await fragmentEffects(next, catalogue.configs);
  if (!found.ok) return problem('bad-release', found.error, { errors: [found.error] });
  if (newest?.content === content) {
    return c.json(savedWith(newest, 'unchanged', found.value));
  }
  if (isDry) return c.json(savedWith(next, 'would-save', found.value));
  return await saved(c, next, { ...caller, ...found.value });
}

async function saved(
  c: Context,
  next: StoredFragment,
  asked: WritingCaller & FragmentEffects,
): Promise<Answer> {
  const { catalogue, write, changed, effects, users } = asked;
  const documents = effects.map((one) => one.next);
  const result = await write({ kind: 'fragment', next, users: stateOf(users), documents });
  if (result.kind === 'stale') return stale(catalogue, next.name, next.revision - 1);
  if (result.kind === 'moved') {
    return problem('stale-config', MOVED, { members: { newest: next.revision - 1 } });
  }
  for (const [place, { machine }] of effects.entries()) {
    changed({ kind: 'config-saved', machine, revision: result.revisions[place] ?? 0 });
  }
  return c.json(savedWith(next, 'saved', { effects, users }, result.revisions));
}

function savedWith(
  { name, revision }: StoredFragment,
  result: SavedFragment['result'],
  { effects, users }: FragmentEffects,
  revisions: readonly number[] = [],
): SavedFragment {
  const machines = effects.map(({ machine, from, changes }, place) => {
    return { machine, from, to: revisions[place] ?? null, changes: [...changes] };
  });
  return { name, revision, result, machines, unaffected: users.length - effects.length };
}

const NAME_FORM =
  'the name of a fragment, which is up to 63 letters, digits, ".", "_" and "-", beginning with a letter or a digit';
const MOVED =
  'machines that use the fragment got other documents in the meantime: nothing was saved; try again';

function stale({ configs: { fragments } }: Catalogue, name: string, known: number): Response {
  const newest = fragments.newest(name);
  const changes = newest
    ? fragmentDiff(fragments.at(name, known)?.content ?? '', newest.content)
    : [];
  return staleConfig({ known, newest: newest?.revision ?? 0, changes });
}
