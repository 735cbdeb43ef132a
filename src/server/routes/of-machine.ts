import type { Context } from 'hono';
import type { Clock } from '../../registry/clock.ts';
import type { Catalogue } from '../catalogue/catalogue.ts';
import type { WriteChange } from '../catalogue/write-change.ts';
import { problem } from '../problem.ts';
import type { Replica } from '../registry-options.ts';
import { machineScope, type Scope } from '../tokens/scope.ts';
import { readToken, tokenOf } from './bearer.ts';
import type { Caller } from './caller.ts';
import { answeringToken, type Answer } from './guarded.ts';
import { unservedAnswer, type AppOptions } from './read-routes.ts';

const MACHINE_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;

/** A request about what a registry serves to a machine. */
export interface AskedOfMachine extends Caller {
  readonly machine: string;
  readonly write: WriteChange;
  readonly replica: Replica | undefined;
  readonly clock: Clock;
}

/** Options of routes that change something. */
export interface WritingOptions extends AppOptions {
  readonly write: WriteChange;
}

type Handle = (c: Context, asked: AskedOfMachine) => Answer | Promise<Answer>;

/** Who may do what at the addresses of one thing that a registry serves to machines. */
interface Rules {
  /** That of people. */
  readonly scope: Scope;
}

/** Answers requests with a token of a person, of the machine in the address, or of either. */
export function ofMachine(
  catalogue: Catalogue,
  options: WritingOptions,
  { scope: people }: Rules,
): (who: 'operator' | 'machine' | 'both', handle: Handle) => ReturnType<typeof answeringToken> {
  const audit = { catalogue, ...options };
  const { write, replica, clock } = options;
  return (who, handle) =>
    answeringToken(who === 'operator' ? tokenOf : readToken, audit, async (c, caller) => {
      const machine = c.req.param('id') ?? '';
      if (!MACHINE_ID.test(machine)) {
        return problem('bad-request', 'the address does not have the id of a machine');
      }
      const { token } = caller;
      const own = machineScope(machine);
      const scopes = { operator: [people], machine: [own], both: [own, people] }[who];
      if (!scopes.some((one) => token.scopes.includes(one))) {
        // The token of a person needs the scope of people, also where a machine may ask.
        const isPerson = !token.scopes.some((one) => one.startsWith('machine:'));
        const scope = who === 'operator' || (who === 'both' && isPerson) ? people : own;
        return { kind: 'missing-scope', token, scope };
      }
      const unserved = unservedAnswer(c, options);
      return unserved ?? (await handle(c, { ...caller, machine, write, replica, clock }));
    });
}
