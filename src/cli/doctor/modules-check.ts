import { firstFew } from '../../core/text/few.ts';
import { excerpt } from '../../core/text/quote.ts';
import { findingsOf, type Finding } from './finding.ts';
import { AS_INIT, INIT_FIX } from '../agent/as-init.ts';
import type { ModulesFacts } from './modules-facts.ts';

const { ok, info, warning, error } = findingsOf('modules');

const NAMED = 3;

/** Whether this system can run modules as the agent does. */
export function checkModules(facts: ModulesFacts): Finding[] {
  const { isKilledWithParent, hasCgroup, hasSystemd, isInit, isProcHidden } = facts;
  const findings = [
    ...refusalFindings(facts),
    ...(isKilledWithParent
      ? []
      : [
          warning(
            'there is no setpriv that can end modules with the agent: they run on if the agent is killed',
            'apt-get install util-linux',
          ),
        ]),
    ...(hasCgroup === false
      ? [
          warning(
            // What left a session and cleared its environment, and whose parent ends at once, is found by its cgroup only (T345).
            'the agent has no cgroup of its own, so it cannot tell that memory was short, nor end what a module or its first run leaves in a session with an environment of its own',
            hasSystemd
              ? 'systemctl edit modreg-agent, and add Delegate=yes below [Service]'
              : 'only systemd gives it one, and does not run here',
          ),
        ]
      : []),
    ...(isInit ? [warning(AS_INIT, INIT_FIX)] : []),
    ...(isProcHidden
      ? [
          info(
            '/proc hides processes of other users (hidepid), so modules of an agent that is root are not seen',
            'run modreg doctor as root',
          ),
        ]
      : []),
  ];
  const all = findings.length > 0 ? findings : [ok('this system can run modules')];
  return [...all, ...privilegeFindings(facts)];
}

/** A module that uses sudo must survive an update of modreg, so this is off unless the policy says it (D60). */
function privilegeFindings({ mayGainPrivileges }: ModulesFacts): Finding[] {
  if (mayGainPrivileges.length === 0) return [];
  const named = mayGainPrivileges.map((name) => excerpt(name));
  const found = `${firstFew(named, NAMED).join(', ')} may get the privileges of other users, by set-uid programs such as sudo`;
  return [
    info(found, 'add "no_new_privs": true to the policy, unless a module needs such a program'),
  ];
}

function refusalFindings({ refusals, isOfAgent }: ModulesFacts): Finding[] {
  const onlyAgent = isOfAgent === undefined ? '; modreg poll does not need it' : '';
  return Array.from(refusals, ([why, names]) => {
    const { found, fix } = sentence(why);
    const named = names.map((name) => excerpt(name));
    return error(`${firstFew(named, NAMED).join(', ')} cannot run: ${found}`, fix + onlyAgent);
  });
}

/** The reasons of the agent end with what to do. */
function sentence(why: string): { readonly found: string; readonly fix: string } {
  const [found = '', ...rest] = why.split('; ');
  const fix = rest.join('; ').replace(/^create it: /, '');
  return {
    found,
    fix: fix === '' ? 'run the agent as root, or remove run_as from the policy' : fix,
  };
}
