/** A month on the page of figures: how its alerts ended, and what capabilities say of it. */
import type { Html } from '../base/kernel/html.ts';
import type { Formats } from './view/locale.ts';

/** How an alert ended: refunded by us, or by the network; `missed` counts once, whatever came later. */
export type DayOutcome = 'refunded' | 'network' | 'accepted' | 'otherwise' | 'missed';

/** What the alerts of a day are counted by. `again`: by merchant, those about a dispute that was refunded before. */
export type OutcomeDimension = 'all' | 'merchant' | 'again' | 'descriptor' | 'reason' | 'answer';

export interface OutcomeFigure {
  readonly dimension: OutcomeDimension;
  readonly label: string;
  readonly outcome: DayOutcome;
  readonly currency: string;
  readonly count: number;
  readonly amountMinor: number;
}

/** The month that the page of figures shows. */
export interface FiguresOfMonth {
  readonly figures: readonly OutcomeFigure[];
  readonly from: Date;
  readonly to: Date;
  readonly formats: Formats;
}

/** What a capability says of it. */
export interface OfMonth {
  /** Disputes that were deflected before there was an alert. @default not known here */
  readonly deflected?: number;
  /** A section of its own. */
  readonly section?: Html;
}
