/**
 * The schemas of `wire/` that the OpenAPI document names.
 */
import type { z } from 'zod';
import { alertActionSchema, alertSchema } from '../../service/wire/alert.ts';
import {
  enrolmentCreateSchema,
  enrolmentSchema,
  enrolmentUpdateSchema,
} from '../../service/wire/enrolment.ts';
import { enrolmentV1CreateSchema, enrolmentV1Schema } from '../../service/wire/enrolment-v1.ts';
import { integrationSchema } from '../../service/wire/integration.ts';
import { lookupSchema } from '../../service/wire/lookup.ts';
import {
  merchantCreateSchema,
  merchantSchema,
  merchantUpdateSchema,
} from '../../service/wire/merchant.ts';
import { orderCreateResultSchema, orderSchema } from '../../service/wire/order.ts';
import { orderCreateSchema } from '../../service/wire/order-request.ts';
import { orderUpdateSchema } from '../../service/wire/order-update.ts';
import { representmentSchema } from '../../service/wire/representment.ts';
import {
  ruleInputSchema,
  ruleSchema,
  rulesetCreateSchema,
  rulesetSchema,
  rulesetUpdateSchema,
} from '../../service/wire/ruleset.ts';
import { schemeNoticeSchema } from '../../service/wire/scheme-notice.ts';
import {
  simulateAlertSchema,
  simulateEnrolmentSchema,
  simulateLookupSchema,
  simulateSchemeNoticeSchema,
} from '../../service/wire/simulation.ts';

/** The schemas of the document, by the name they get there. */
export const SCHEMAS = {
  Alert: alertSchema,
  AlertAction: alertActionSchema,
  Enrolment: enrolmentSchema,
  EnrolmentCreate: enrolmentCreateSchema,
  EnrolmentUpdate: enrolmentUpdateSchema,
  EnrolmentV1: enrolmentV1Schema,
  EnrolmentV1Create: enrolmentV1CreateSchema,
  Integration: integrationSchema,
  Lookup: lookupSchema,
  Merchant: merchantSchema,
  MerchantCreate: merchantCreateSchema,
  MerchantUpdate: merchantUpdateSchema,
  Order: orderSchema,
  OrderCreate: orderCreateSchema,
  OrderCreateResult: orderCreateResultSchema,
  OrderUpdate: orderUpdateSchema,
  Representment: representmentSchema,
  Rule: ruleSchema,
  RuleInput: ruleInputSchema,
  Ruleset: rulesetSchema,
  RulesetCreate: rulesetCreateSchema,
  RulesetUpdate: rulesetUpdateSchema,
  SchemeNotice: schemeNoticeSchema,
  SimulateAlert: simulateAlertSchema,
  SimulateEnrolment: simulateEnrolmentSchema,
  SimulateLookup: simulateLookupSchema,
  SimulateSchemeNotice: simulateSchemeNoticeSchema,
} as const satisfies Record<string, z.ZodType>;
export type SchemaName = keyof typeof SCHEMAS;
