import { DEFAULT_POLICY } from '../../../src/config/index.ts';
import type { PlanInput } from '../../../src/core/index.ts';

/** What `planMachine()` takes, without a machine. */
export const EMPTY_PLAN: Omit<PlanInput, 'machine'> = {
  policy: DEFAULT_POLICY,
  platform: 'linux/arm64',
  now: 0,
  modules: new Map(),
  subsystems: new Map(),
  isServerBusy: false,
};
