/** Alerts: list, read, and the one action that answers them. */
import type { Alert, AlertActionBody } from '../../wire/alert.ts';
import { alertActionSchema, alertSchema } from '../../wire/alert.ts';
import type { AlertFilter, ReadList } from '../../wire/list.ts';
import type { Endpoint } from '../call.ts';
import type { PageQuery } from '../list.ts';
import type { CallOptions } from '../options.ts';
import type { Sender } from '../sender.ts';

/** Operations on alerts. */
export interface AlertsResource {
  /** Every alert that matches, page by page. */
  list(filter?: AlertFilter, options?: CallOptions): AsyncIterable<Alert>;
  page(query?: AlertFilter & PageQuery, options?: CallOptions): Promise<ReadList<Alert>>;
  get(alertId: string, options?: CallOptions): Promise<Alert>;
  /**
   * Answers an alert. Moves no money: `REFUND` declares a refund already made at the processor.
   *
   * Sent once. When the error's `outcome` is `unknown`, `get` the alert before sending it again.
   */
  act(alertId: string, body: AlertActionBody, options?: CallOptions): Promise<Alert>;
}

const LIST: Endpoint = { method: 'GET', template: '/v1/alerts/', key: 'organisation' };
const GET: Endpoint = {
  method: 'GET',
  template: '/v1/alerts/{alert_id}',
  key: 'organisation',
  ids: ['alert'],
};
const ACT: Endpoint = { ...GET, method: 'PATCH', writer: alertActionSchema };

export function createAlerts(sender: Sender): AlertsResource {
  return {
    list: (query, options) => sender.all(LIST, { query, options }, alertSchema),
    page: (query, options) => sender.page(LIST, { query, options }, alertSchema),
    get: (id, options) => sender.one(GET, { ids: [id], options }, alertSchema),
    act: (id, body, options) => sender.one(ACT, { ids: [id], body, options }, alertSchema),
  };
}
