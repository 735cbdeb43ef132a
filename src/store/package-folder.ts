import { join } from 'node:path';
import type { ActionTarget, Artifact } from '../core/index.ts';
import { moduleOf } from '../core/plan/target.ts';

const DIGEST_LENGTH = 12;

/** The folder of a release; the first characters of its digest tell a file that was replaced from the first one. */
export function packageFolder(
  home: string,
  {
    target,
    version,
    artifact,
  }: {
    readonly target: ActionTarget;
    readonly version: string;
    readonly artifact: Artifact | undefined;
  },
): string {
  const [, digest = ''] = /^[^:]*:(.*)$/.exec(artifact?.digest ?? '') ?? [];
  const suffix = digest === '' ? '' : `-${digest.slice(0, DIGEST_LENGTH)}`;
  return join(home, 'packages', ...moduleOf(target).split(':'), `${version}${suffix}`);
}
