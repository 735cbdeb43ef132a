import * as v from 'valibot';
import type { AgentConfiguration } from '../core/machine/machine.ts';
import { byteSize } from './fields/byte-size.ts';
import { fields, flag, oneOf, type Schema } from './fields/fields.ts';

/** The attributes of `agent-syscfg`. */
export const systemConfigurationAttributes: Schema<
  Pick<AgentConfiguration['systemConfiguration'], 'logging' | 'upgrades'>
> = v.pipe(
  fields({
    logging: v.optional(
      fields({
        disable: v.optional(flag(), false),
        system_max_use: v.optional(byteSize),
        runtime_max_use: v.optional(byteSize),
      }),
      {},
    ),
    // The reference documents only `all`. What another value would install is not known, so none is accepted.
    upgrades: v.optional(fields({ type: v.optional(oneOf(['all'])) }), {}),
  }),
  v.transform(({ logging, upgrades }) => ({
    logging: {
      disable: logging.disable,
      systemMaxUse: logging.system_max_use,
      runtimeMaxUse: logging.runtime_max_use,
    },
    upgrades: upgrades.type,
  })),
);
