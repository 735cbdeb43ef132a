import { parseDuration } from '../../core/text/duration.ts';
import { excerpt } from '../../core/text/quote.ts';
import { formatTime } from '../../core/text/rfc3339.ts';
import { WALL_PATH } from '../../page/site/wall-guests.tsx';
import { WALL } from '../../server/tokens/scope.ts';
import { failed, usage, type Outcome } from '../../base/problem.ts';
import type { World } from '../../base/world.ts';
import { openCatalogue, type CatalogueOptions } from '../../site/catalogue-options.ts';
import { createToken } from '../../site/tokens.ts';
import { jsonLine } from '../base/answer-json.ts';
import { outcomeOf, type AnswerOptions } from '../base/outcome.ts';
import { sitePage } from '../page/page-identity.ts';
import { neverRan, pageAddress } from '../page/page-address.ts';

export interface WallLinkOptions extends CatalogueOptions, AnswerOptions {
  readonly name?: string;
  readonly expires?: string;
}

/** `modreg registry page wall --name lobby`: prints a link that opens the wall of this registry, and nothing else (D216). */
export function wallLinkCommand(options: WallLinkOptions, world: World): Outcome {
  const { name, expires, json } = options;
  if (name === undefined)
    return failed(usage('--name is missing: where the wall is, such as lobby'));
  const term = expires === undefined ? undefined : parseDuration(expires);
  if (term?.ok === false) return failed(usage(`--expires: ${term.error}`));
  const opened = openCatalogue(options, world, { mode: 'read' });
  if (!opened.ok) return failed(opened.error);
  opened.value.close();
  const identity = sitePage(opened.value.path);
  const page = pageAddress(identity, world);
  if (!page.ok) return failed(page.error);
  const request = { name, scopes: [WALL], termMs: term?.value };
  return outcomeOf(createToken(request, options, world), ({ id, token, expiresAt }) => {
    const { address, hasRun } = page.value;
    const link = `${address}${WALL_PATH}#token=${token}`;
    const until = expiresAt === undefined ? null : formatTime(expiresAt);
    const ifLost = `the link of ${id} was not shown: modreg registry token revoke ${id}, with the same file, and make another one`;
    if (json) {
      const fields = { id, name, expires_at: until, link };
      return { answer: [jsonLine({ schema: 'modreg/registry-page-wall@1', ...fields })], ifLost };
    }
    const notes = [
      `note: ${id} (${excerpt(name)}) opens the wall ${until === null ? 'until it is revoked' : `until ${until}`}: modreg registry token revoke ${id}`,
      'note: this is the only time that the link is shown',
      ...(hasRun ? [] : [neverRan(identity)]),
    ];
    return { answer: [link], notes, ifLost };
  });
}
