import {
  SUBSYSTEM_MODULES,
  type Action,
  type Artifact,
  type Restart,
  type Stop,
} from '../core/index.ts';
import {
  isModuleId,
  isNumber,
  isText,
  listOf,
  objectOf,
  oneOf,
  orNothing,
  type Shape,
} from './shape.ts';

/** An action that is on the disk: it is delivered until it is acknowledged, or another takes its place. */
export interface CommittedAction extends Action {
  /** Of this action and no other, on any machine; the same at each delivery. */
  readonly id: string;
  readonly restart: SharedRestart;
}

/** The restart that an action is part of, as it was decided. (D26) */
export interface SharedRestart {
  readonly of: Restart['of'];
  /** The names of all that it replaces, in the order in which they are replaced. */
  readonly targets: readonly string[];
  readonly stops: readonly Stop[];
}

/** What a decision asks to be committed. */
export type NewAction = Omit<CommittedAction, 'id'>;

/** The shape of a stored artifact. */
export const isWholeArtifact: Shape = objectOf<keyof Artifact>({
  platform: isText,
  url: orNothing(isText),
  digest: orNothing(isText),
  size: orNothing(isNumber),
});

const stops = listOf(objectOf<keyof Stop>({ component: isText, dependsOn: listOf(isText) }));
const module = objectOf({
  kind: oneOf('module'),
  name: isText,
  moduleId: isModuleId,
});
const subsystem = objectOf({
  kind: oneOf('subsystem'),
  name: oneOf(...Object.keys(SUBSYSTEM_MODULES)),
});

const shape: Shape = objectOf<keyof NewAction>({
  kind: oneOf('restart-and-upgrade'),
  target: (target) => module(target) || subsystem(target),
  from: orNothing(isText),
  to: isText,
  artifact: orNothing(isWholeArtifact),
  direction: isText,
  stops,
  reason: objectOf<'kind' | 'text'>({
    kind: oneOf('constraint', 'pin-url', 'failure'),
    text: isText,
  }),
  decidedAt: isNumber,
  restart: objectOf<keyof SharedRestart>({ of: isText, targets: listOf(isText), stops }),
});

/** Whether a stored action is one. */
export function isWholeAction(value: unknown): value is NewAction {
  return shape(value);
}

/** An action that is not settled. */
export interface OpenAction {
  readonly action: CommittedAction;
  /** `delivered` is in the hands of a consumer, or was when its process ended. */
  readonly state: 'waiting' | 'delivered';
  /** It is not delivered earlier, in milliseconds since the epoch; 0 where nothing is against it. */
  readonly notBefore: number;
  readonly deliveries: number;
  /** How often the machine was to blame. */
  readonly failures: number;
}

/** What a consumer says became of an action. */
export type ActionOutcome =
  | { readonly kind: 'done' }
  | {
      readonly kind: 'failed';
      /** Why, as the consumer has it. */
      readonly reason: string;
      /** What runs now, `null` where nothing does; undefined where nobody knows. */
      readonly running: string | null | undefined;
      /** `release`: it does not work here. `machine`: it did not come to a restart, and may work later. */
      readonly blame: 'release' | 'machine';
    };
