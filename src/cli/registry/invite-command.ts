import { excerpt } from '../../core/text/quote.ts';
import { formatTime } from '../../core/text/rfc3339.ts';
import { failed, usage, type Outcome } from '../../base/problem.ts';
import type { World } from '../../base/world.ts';
import type { CatalogueOptions } from '../../site/catalogue-options.ts';
import { inviteMachine } from '../../site/tokens.ts';
import { jsonLine } from '../base/answer-json.ts';
import { outcomeOf, type AnswerOptions } from '../base/outcome.ts';

export interface InviteOptions extends CatalogueOptions, AnswerOptions {
  readonly name?: string;
  readonly group?: string;
}

/** `modreg registry invite --name rover-7`: prints a code with which the machine joins, once, within an hour (D194). */
export function inviteCommand(options: InviteOptions, world: World): Outcome {
  const { name: machine, group, json } = options;
  if (machine === undefined) return failed(usage('--name is missing: the id of the machine'));
  const invited = inviteMachine({ machine, group }, options, world);
  return outcomeOf(invited, ({ code, expiresAt }) => {
    const until = formatTime(expiresAt);
    if (json) {
      const fields = { machine, group: group ?? null, code, expires_at: until };
      return { answer: [jsonLine({ schema: 'modreg/registry-invite@1', ...fields })] };
    }
    return {
      answer: [code],
      notes: [
        `note: on the machine: modreg join <address of this registry> --name ${excerpt(machine)} --code ${code}`,
        `note: it is valid once, until ${until}; earlier tokens of ${excerpt(machine)} end when it joins`,
      ],
    };
  });
}
