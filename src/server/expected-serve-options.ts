import { ANYTHING, FUNCTION, NUMBER, OBJECT, optional, TEXT } from '../core/text/argument.ts';
import { CLOCK } from '../registry/clock.ts';

/** What each option of a served registry must be. */
export const SERVE_OPTIONS = {
  clock: optional(CLOCK),
  spreadMs: optional(NUMBER),
  log: optional(FUNCTION),
  tls: optional(OBJECT),
  silentMs: ANYTHING,
  staged: ANYTHING,
  observe: ANYTHING,
  metrics: ANYTHING,
  notify: ANYTHING,
  limits: ANYTHING,
  replica: ANYTHING,
};

/** The files of TLS. */
export const TLS = { certificate: TEXT, key: TEXT };
