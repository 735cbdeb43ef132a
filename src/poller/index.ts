export { Poller } from './poller.ts';
export type { PollerOptions } from './poller-options.ts';
export type { Configuration } from '../core/plan/configuration.ts';
export type { Delivery, FailureReport } from './delivery.ts';
export type { PollerEvent } from './event.ts';
