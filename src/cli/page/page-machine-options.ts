import type { PlanOptions } from '../plan/plan-command.ts';

/** The options of a page that say how the machine is planned. */
export type PageMachineOptions = Omit<PlanOptions, 'at' | 'deployed' | 'exitCode' | 'strict'>;

/**
 * The lists are those that the agent saved. They are current if it has confirmed them lately: its longest back-off is ten
 * minutes.
 */
export const FROM_SAVED = { offline: true, maxAge: '30m' } as const;
