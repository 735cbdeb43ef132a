import { crashLoopEnd } from '../../core/plan/crash-loop.ts';
import { describeDuration } from '../../core/text/duration.ts';
import { excerpt } from '../../core/text/quote.ts';
import { formatTime } from '../../core/text/rfc3339.ts';
import { CONFIGURATION_UNREADABLE, REPLACEMENTS_HELD } from '../../poller/configuration-source.ts';
import { describeFailing, keyOf } from '../../host/recent-failures.ts';
import { LAST_ROUND_MS } from '../../host/status/machine-status.ts';
import { findingsOf, firstFindings, type Finding } from './finding.ts';
import type { HomeFacts } from './home-facts.ts';
import type { MachineFacts } from './machine-facts.ts';

const { ok, info, warning, error } = findingsOf('poller');

/** What the Debian package's agent uses. */
const PACKAGE_HOME = '/var/lib/modreg';

/** What to do if nothing has run with this home. */
export function checkNothing(home: HomeFacts | undefined, machinePath = 'machine.json'): Finding[] {
  const service = ', or with the Debian package systemctl enable --now modreg-agent';
  const start = `modreg agent run ${excerpt(machinePath)}${home?.hasSystemd === false ? '' : service}`;
  const elsewhere = `; the agent of the Debian package has its state elsewhere: PLATFORM_HOME=${PACKAGE_HOME} modreg doctor`;
  const isElsewhere = home !== undefined && !home.isNamed && home.path !== PACKAGE_HOME;
  return [
    info('no agent or poller has run with this home', isElsewhere ? start + elsewhere : start),
  ];
}

/** Whether the agent or poller of this home is alive, and its modules run. */
export function checkPoller(facts: MachineFacts, now: number): Finding[] {
  const { poller, isPolled, memory, isOfAgent, hasSystemd } = facts;
  const what = isOfAgent ? 'agent' : 'poller';
  // D407
  const logs = hasSystemd
    ? 'systemctl status modreg-agent, and modreg agent logs'
    : 'modreg agent logs';
  const fix = isOfAgent ? logs : 'look at the log of modreg poll';
  const { pid, round } = poller;
  const crashEnd = crashLoopEnd(memory.starts, now);
  const crash =
    crashEnd === undefined
      ? []
      : [
          error(
            `it started five times in ten minutes, so it takes no action until ${formatTime(crashEnd)}`,
            `${fix} say why it ended`,
          ),
        ];
  if (!isPolled) {
    const last = round ? `; its last round was ${ago(round.at, now)}` : '';
    const start = isOfAgent
      ? `${hasSystemd ? 'systemctl start modreg-agent, or ' : ''}modreg agent run machine.json; ${fix} say why it ended`
      : `start it again: its service, or modreg poll; ${fix}`;
    return [error(`no ${what} runs${last}`, start), ...crash];
  }
  const who = pid === undefined ? `the ${what} runs` : `the ${what} is process ${pid}`;
  return [...crash, ...roundFindings({ who, fix, pid }, round, now), ...downFindings(facts)];
}

/** How a trouble begins that is one of the documents. */
const OF_DOCUMENTS = [CONFIGURATION_UNREADABLE, REPLACEMENTS_HELD];

function roundFindings(
  {
    who,
    fix,
    pid,
  }: { readonly who: string; readonly fix: string; readonly pid: number | undefined },
  round: MachineFacts['poller']['round'],
  now: number,
): Finding[] {
  if (!round) return [info(`${who}; it has made no round yet`, `${fix} if that stays so`)];
  const last = `${who}; its last round was ${ago(round.at, now)}`;
  if (now - round.at > LAST_ROUND_MS) {
    const restart = `it hangs: ${fix}; then restart its service, or kill ${pid ?? 'it'} and start it`;
    return [error(last, restart)];
  }
  if (round.trouble === undefined) return [ok(last)];
  const isOfDocuments = OF_DOCUMENTS.some((begin) => round.trouble?.startsWith(begin));
  const where = isOfDocuments ? 'see documents' : 'see registry and lists';
  return [warning(`${last}; ${excerpt(round.trouble, 400)}`, `${where}; ${fix}`)];
}

/** The modules of an agent that should run, and do not. */
function downFindings({ modules, failures, isOfAgent }: MachineFacts): Finding[] {
  if (!isOfAgent) return [];
  const findings = modules.flatMap(({ name, version, isConfigured, phase, pid }) => {
    if (!isConfigured || phase === undefined) return [];
    const failing = failures.get(keyOf(name, version));
    const logs = `modreg agent logs ${excerpt(name)}`;
    if (failing) return [warning(`the module ${describeFailing(name, version, failing)}`, logs)];
    if (pid !== undefined) return [];
    const found = `the module ${excerpt(name)} ${excerpt(version ?? '')} has no process: it ended, or waits for its next start`;
    return [warning(found, logs)];
  });
  return firstFindings(findings, 'modreg agent status shows all');
}

function ago(at: number, now: number): string {
  return at > now
    ? `${describeDuration(at - now)} ahead of this clock`
    : `${describeDuration(now - at)} ago`;
}
