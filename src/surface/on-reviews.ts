/** What a capability adds to the pages of one case and of the queue. */
import type { Html } from '../base/kernel/html.ts';
import type { Visit } from './web/visit.ts';

export interface ShownCase {
  readonly alertId: string;
  /** Its forms send it as `back`: a path of the queue, or `case` for the page of the alert. */
  readonly back: string;
}

/** Below the case, where no refresh disturbs what somebody writes. */
export interface BelowCase {
  readonly title: string;
  readonly body: Html;
}

/** What can be done with several reviews at once. */
export interface SeveralAct {
  /** In addresses and forms. */
  readonly name: string;
  readonly button: string;
  /** As the list of the keyboard's commands says it. */
  readonly command: string;
  readonly effect: string;
  /** What the confirmation asks. */
  readonly title: (count: number, sum: string) => string;
  /** The text that goes with each. @default none */
  readonly note?: { readonly label: string; readonly isNeeded: boolean };
  /** Does it with one. Returns why it was not done; undefined when it was. */
  readonly carryOut: (visit: Visit, ticked: Ticked) => Promise<string | undefined>;
}

export interface Ticked {
  readonly alertId: string;
  /** The mark of what the confirmation showed. */
  readonly mark: string | undefined;
  /** Empty: nothing was written. */
  readonly text: string;
  /** The colleague that was chosen. */
  readonly to: string | undefined;
}
