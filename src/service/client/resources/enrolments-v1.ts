/** Enrolments on the deprecated v1 paths, for older keys. One merchant each, and no update. */
import type { EnrolmentV1, EnrolmentV1Create } from '../../wire/enrolment.ts';
import { enrolmentV1CreateSchema, enrolmentV1Schema } from '../../wire/enrolment.ts';
import type { EnrolmentFilter, ReadList } from '../../wire/list.ts';
import type { Endpoint } from '../call.ts';
import type { PageQuery } from '../list.ts';
import type { CallOptions } from '../options.ts';
import type { Sender } from '../sender.ts';

/** Operations on v1 enrolments. */
export interface EnrolmentsV1Resource {
  list(filter?: EnrolmentFilter, options?: CallOptions): AsyncIterable<EnrolmentV1>;
  page(query?: EnrolmentFilter & PageQuery, options?: CallOptions): Promise<ReadList<EnrolmentV1>>;
  get(enrolmentId: string, options?: CallOptions): Promise<EnrolmentV1>;
  create(body: EnrolmentV1Create, options?: CallOptions): Promise<EnrolmentV1>;
  /** Cancels a `PENDING` enrolment and returns it as `CANCELLED`. */
  cancel(enrolmentId: string, options?: CallOptions): Promise<EnrolmentV1>;
}

const LIST: Endpoint = { method: 'GET', template: '/v1/enrolments', key: 'partner' };
const CREATE: Endpoint = { ...LIST, method: 'POST', writer: enrolmentV1CreateSchema };
const GET: Endpoint = {
  method: 'GET',
  template: '/v1/enrolments/{enrolment_id}',
  key: 'partner',
  ids: ['enrolment'],
};
const CANCEL: Endpoint = { ...GET, method: 'DELETE' };

export function createEnrolmentsV1(sender: Sender): EnrolmentsV1Resource {
  return {
    list: (query, options) => sender.all(LIST, { query, options }, enrolmentV1Schema),
    page: (query, options) => sender.page(LIST, { query, options }, enrolmentV1Schema),
    get: (id, options) => sender.one(GET, { ids: [id], options }, enrolmentV1Schema),
    create: (body, options) => sender.one(CREATE, { body, options }, enrolmentV1Schema),
    cancel: (id, options) => sender.one(CANCEL, { ids: [id], options }, enrolmentV1Schema),
  };
}
