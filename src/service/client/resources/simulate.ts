/**
 * Simulations: make things happen in a test organisation. A live one is answered
 * `SIMULATION_NOT_ALLOWED`.
 *
 * The specification shows no answers for these, so each returns the entity when the answer is one
 * and `undefined` otherwise.
 */
import type { Alert } from '../../wire/alert.ts';
import { alertSchema } from '../../wire/alert.ts';
import type { Enrolment } from '../../wire/enrolment.ts';
import { enrolmentSchema } from '../../wire/enrolment.ts';
import type { Lookup } from '../../wire/lookup.ts';
import { lookupSchema } from '../../wire/lookup.ts';
import type { SchemeNotice } from '../../wire/scheme-notice.ts';
import { schemeNoticeSchema } from '../../wire/scheme-notice.ts';
import type {
  SimulateAlert,
  SimulateEnrolment,
  SimulateLookup,
  SimulateSchemeNotice,
} from '../../wire/simulation.ts';
import {
  simulateAlertSchema,
  simulateEnrolmentSchema,
  simulateLookupSchema,
  simulateSchemeNoticeSchema,
} from '../../wire/simulation.ts';
import type { Endpoint } from '../call.ts';
import type { CallOptions } from '../options.ts';
import type { Sender } from '../sender.ts';

/** Simulations of a test organisation. */
export interface SimulateResource {
  /** Creates an alert; it is matched later, not at once. */
  alert(body: SimulateAlert, options?: CallOptions): Promise<Alert | undefined>;
  /** Sets an enrolment's status. */
  enrolment(
    enrolmentId: string,
    body: SimulateEnrolment,
    options?: CallOptions,
  ): Promise<Enrolment | undefined>;
  lookup(body: SimulateLookup, options?: CallOptions): Promise<Lookup | undefined>;
  /** The path is not shown in the specification; it is named after the ability. */
  schemeNotice(
    body: SimulateSchemeNotice,
    options?: CallOptions,
  ): Promise<SchemeNotice | undefined>;
}

const ALERT: Endpoint = {
  method: 'POST',
  template: '/v1/simulate/alerts',
  key: 'organisation',
  writer: simulateAlertSchema,
};
const ENROLMENT: Endpoint = {
  method: 'PATCH',
  template: '/v1/simulate/enrolments/{enrolment_id}',
  key: 'organisation',
  ids: ['enrolment'],
  writer: simulateEnrolmentSchema,
};
const LOOKUP: Endpoint = {
  ...ALERT,
  template: '/v1/simulate/lookups',
  writer: simulateLookupSchema,
  warnsOfUnlisted: true,
};
const SCHEME_NOTICE: Endpoint = {
  ...ALERT,
  template: '/v1/simulate/scheme-notices',
  writer: simulateSchemeNoticeSchema,
  warnsOfUnlisted: true,
};

export function createSimulate(sender: Sender): SimulateResource {
  return {
    alert: (body, options) => sender.maybe(ALERT, { body, options }, alertSchema),
    enrolment: (id, body, options) =>
      sender.maybe(ENROLMENT, { ids: [id], body, options }, enrolmentSchema),
    lookup: (body, options) => sender.maybe(LOOKUP, { body, options }, lookupSchema),
    schemeNotice: (body, options) =>
      sender.maybe(SCHEME_NOTICE, { body, options }, schemeNoticeSchema),
  };
}
