import type { DatabaseError, DatabaseErrorKind } from '../../sqlite/database-error.ts';
import { findingsOf, type Finding } from './finding.ts';
import { isForeign, type HomeFacts } from './home-facts.ts';
import { shellWord } from '../../base/shell-word.ts';

const { warning, error: failure } = findingsOf('home');

/** Whether there is something at the path of machine.db: without it, nothing has run here. */
export function hasState({ file }: HomeFacts): boolean {
  return typeof file === 'string'
    ? file !== 'ENOENT' && file !== 'ENOTDIR'
    : file.size > 0 || !file.isFile();
}

/** Why machine.db cannot be used. That there is none is not a problem, and that it is of another user is said of the home. */
export function checkState(home: HomeFacts, { kind, message }: DatabaseError): Finding[] {
  if (!hasState(home) || isForeign(home)) return [];
  const restart = home.hasSystemd ? RESTART : '';
  if (kind === 'missing') return [warning(message, `${FIXES.missing}${restart}`)];
  const { file, path } = home;
  if (typeof file !== 'string' && !file.isFile()) {
    const name = shellWord(`${path}/machine.db`);
    return [failure(message, `mv ${name} ${name}.old`)];
  }
  return [failure(message, `${FIXES[kind]}${kind === 'damaged' ? restart : ''}`)];
}

const RESTART = ': systemctl restart modreg-agent';

const FIXES: Readonly<Record<DatabaseErrorKind, string>> = {
  locked: 'run modreg doctor again; if it stays locked, fuser -v machine.db names the process',
  missing: 'start the agent or poller, which makes it readable',
  damaged: 'restart the agent or poller, which sets aside what is damaged',
  unreadable:
    'run modreg as the user of the agent; a file of another program is moved away: ls -l shows its owner',
  'later-schema': 'install the later modreg again; modreg version prints this one',
  unwritable: 'check the disk: dmesg | tail',
};
