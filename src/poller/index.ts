export type { Configuration } from '../core/plan/configuration.ts';
export type { Delivery, FailureReport } from './delivery.ts';
export type { PollingEvent, PollerEvent } from './event.ts';
export type { PollableRegistry } from '../registry/pollable-registry.ts';
export { Poller, type PollerOptions } from './poller.ts';
