import type { Attack } from './attack.ts';
import { FRONTS } from './fronts.ts';
import { INSTALLING } from './installing.ts';
import { WITHHOLDING } from './withholding.ts';

export const ATTACKS: readonly Attack[] = [...INSTALLING, ...WITHHOLDING, ...FRONTS];
