/**
 * A door of the public listener that a capability brings, described once: where it is, what it counts, who takes in what is
 * posted there. Walked by the roles that listen (`running/roles/open-doors.ts`) and by embedding programs.
 */
import type { BodyBudget } from '../alerts/receive/body-budget.ts';
import type { DoorCounter } from '../alerts/receive/counters.ts';
import type { DeliveryLog } from '../alerts/receive/delivery-log.ts';
import type { DoorPrefix } from '../alerts/receive/delivery-minute.store.ts';
import type { DoorReception } from '../alerts/receive/door.ts';
import type { Installation } from '../base/db/database.ts';
import type { Clock } from '../base/kernel/clock.ts';
import type { OpenSettings } from '../base/kernel/setting.ts';
import type { ProcessorEvents } from '../service/wire/processor-event.ts';

/** What takes part, for one organisation or one merchant of it. */
export interface DoorWork extends Pick<Installation, 'db' | 'clock' | 'log' | 'organisationId'> {
  /** The merchant whose own processor it is. @default the organisation's */
  readonly merchantId?: string | undefined;
  /** Vouches for the processor's webhooks. Undefined: none are taken. */
  readonly events: ProcessorEvents | undefined;
  /** What bodies may take while they arrive. @default as much as one listener may */
  readonly bodies?: BodyBudget | undefined;
  /** Counts under one of the door's counters and, where it has a label, the label's value. */
  readonly count: (name: string, value?: string) => void;
  /** Where the doctor reads how many were taken and refused. */
  readonly deliveries: Pick<DeliveryLog, 'note'>;
}

/** With what it is opened who vouches. */
export interface Vouching {
  readonly clock: Clock;
  /** Loads a module of the merchant's. @throws {ConfigError} naming the setting, when it cannot be */
  readonly importModule: (path: string, setting: string) => Promise<unknown>;
}

export interface Door {
  /** The first part of its paths: `POST /{path}/{name}`; of several organisations `/{path}/{organisation}[/{merchant}]/{name}`. */
  readonly path: string;
  /** The property under which programs find it as a function, for servers that speak the Fetch API. */
  readonly property: string;
  /** Comes before its verdicts in the log of deliveries. */
  readonly verdicts: DoorPrefix;
  /** What each process counts there, for `/metrics`. The capability's metrics describe them. */
  readonly counters: readonly DoorCounter[];
  /** What opens who vouches for the processor's webhooks, where a setting says so. @default no setting does */
  readonly vouchFor?: (
    settings: OpenSettings,
  ) => ((how: Vouching) => Promise<ProcessorEvents>) | undefined;
  readonly open: (work: DoorWork) => DoorReception;
}
