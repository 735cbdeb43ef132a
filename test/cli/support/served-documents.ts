import { tokenFor } from '../../support/token.ts';
import type { Loopback } from '../../support/loopback.ts';

/** A site that serves documents to rover-7. */
export interface Site {
  /** Saves a machine config, and terms, as the next revision. */
  readonly save: (config: object, terms?: object) => void;
  /** What the machine said last. */
  readonly said: () => object | undefined;
  /** The options and the environment of a command that follows it. */
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

export function servingTo({ address, catalogue }: Loopback): Site {
  const { configs } = catalogue;
  const machine = 'rover-7';
  return {
    save(config, terms) {
      configs.save({
        machine,
        basedOn: configs.newest(machine)?.revision ?? 0,
        config: JSON.stringify(config),
        policy: terms && JSON.stringify(terms),
        author: 'alice',
        reason: 'a test',
        at: Date.now(),
      });
    },
    said: () => {
      const { at: _at, ...said } = configs.answer(machine) ?? {};
      return said;
    },
    args: ['--config-from', address],
    environment: {
      MODREG_REGISTRY: address,
      MODREG_TOKEN: tokenFor(catalogue, [`machine:${machine}`], machine),
      PLATFORM_PART_ID: machine,
    },
  };
}
