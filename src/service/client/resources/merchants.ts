/** Merchants: partner key only; organisation keys are answered 401. */
import type { MerchantFilter, ReadList } from '../../wire/list.ts';
import type { Merchant, MerchantCreate, MerchantUpdate } from '../../wire/merchant.ts';
import { merchantCreateSchema, merchantSchema, merchantUpdateSchema } from '../../wire/merchant.ts';
import type { Endpoint } from '../call.ts';
import type { PageQuery } from '../list.ts';
import type { CallOptions } from '../options.ts';
import type { Sender } from '../sender.ts';

/** Operations on merchants. */
export interface MerchantsResource {
  list(filter?: MerchantFilter, options?: CallOptions): AsyncIterable<Merchant>;
  page(query?: MerchantFilter & PageQuery, options?: CallOptions): Promise<ReadList<Merchant>>;
  get(merchantId: string, options?: CallOptions): Promise<Merchant>;
  create(body: MerchantCreate, options?: CallOptions): Promise<Merchant>;
  update(merchantId: string, body: MerchantUpdate, options?: CallOptions): Promise<Merchant>;
  delete(merchantId: string, options?: CallOptions): Promise<void>;
}

const LIST: Endpoint = { method: 'GET', template: '/v1/merchants', key: 'partner' };
const CREATE: Endpoint = { ...LIST, method: 'POST', writer: merchantCreateSchema };
const GET: Endpoint = {
  method: 'GET',
  template: '/v1/merchants/{merchant_id}',
  key: 'partner',
  ids: ['merchant'],
};
const UPDATE: Endpoint = { ...GET, method: 'PATCH', writer: merchantUpdateSchema };
const DELETE: Endpoint = { ...GET, method: 'DELETE' };

export function createMerchants(sender: Sender): MerchantsResource {
  return {
    list: (query, options) => sender.all(LIST, { query, options }, merchantSchema),
    page: (query, options) => sender.page(LIST, { query, options }, merchantSchema),
    get: (id, options) => sender.one(GET, { ids: [id], options }, merchantSchema),
    create: (body, options) => sender.one(CREATE, { body, options }, merchantSchema),
    update: (id, body, options) => sender.one(UPDATE, { ids: [id], body, options }, merchantSchema),
    delete: (id, options) => sender.nothing(DELETE, { ids: [id], options }),
  };
}
