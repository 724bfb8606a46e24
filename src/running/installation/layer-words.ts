/**
 * Layers as they travel with an organisation's settings: what the installation says above it, and its merchants below
 * it. They are read with the file, so that a change of a guards file is noticed like a change of the file.
 */
import { z } from 'zod';
import { ofEachOrganisation } from '../../alerts/guard/guard-layers.ts';
import type { StatedGuards } from '../../alerts/guard/guard-settings.ts';
import { readStatedGuards } from '../../alerts/guard/guard-settings.ts';
import type { Given } from '../../base/kernel/setting.ts';
import type { Environment } from '../environment.ts';
import type { ProcessorSettings } from '../remote-settings.ts';
import { processorOf } from '../remote-settings.ts';
import { givenByMerchant, merchantShape } from './merchant-shape.ts';

/** The name under which they travel. No setting: a process is told by its file alone. */
export const LAYERS = 'forestall.layers';

/** Whose word it is. */
export const LAYER_NAMES = ['installation', 'organisation'] as const;

const layersSchema = z.object({
  /** Who says which policy decides; absent: the settings of the environment. */
  policy: z.enum(LAYER_NAMES).optional(),
  processor: z.enum(LAYER_NAMES).optional(),
  /** The texts of guards files, the outermost first. */
  guards: z.array(z.object({ layer: z.string(), text: z.string() })),
  /** The installation's own, which it also counts over all organisations. */
  installation: z.string().optional(),
  merchants: z.array(
    z.object({
      id: z.string(),
      name: z.string().optional(),
      guards: z.string().optional(),
      /** Its settings, by the names that settings have. */
      settings: z.record(z.string(), z.string()),
    }),
  ),
});

export type LayerWords = z.infer<typeof layersSchema>;

/** A merchant with something of its own. */
export interface MerchantSettings {
  readonly id: string;
  readonly name: string;
  /** Undefined: the organisation's. */
  readonly processor: Exclude<ProcessorSettings, { kind: 'sandbox' }> | undefined;
  /** What it says of the settings of capabilities. */
  readonly given: Given;
  readonly policyPath: string | undefined;
  readonly matchingPath: string | undefined;
  readonly guards: StatedGuards | undefined;
}

/** What is above and below an organisation. */
export interface LayerSettings {
  readonly policy: LayerWords['policy'];
  readonly processor: LayerWords['processor'];
  /** The layers that say something of guards, the outermost first. */
  readonly guardsOf: readonly string[];
  /** Guards that hold for each organisation, the outermost first. */
  readonly guards: readonly StatedGuards[];
  /** Those of which the installation counts over all its organisations. */
  readonly installation: StatedGuards | undefined;
  readonly merchants: readonly MerchantSettings[];
}

/** Reads the text under which they travel. */
export function parseLayerWords(text: string): LayerWords {
  return layersSchema.parse(JSON.parse(text));
}

/** Of the caps on an hour and a day the installation counts its organisations together. */
function ofEach({ layer, text }: LayerWords['guards'][number]): StatedGuards {
  const stated = readStatedGuards(text, 'guards');
  return layer === 'installation' ? ofEachOrganisation(stated) : stated;
}

/** The layers of an organisation's environment; undefined: it is alone. */
export function layersIn(env: Environment): LayerSettings | undefined {
  const text = env[LAYERS];
  if (text === undefined) return undefined;
  const words = parseLayerWords(text);
  return {
    policy: words.policy,
    processor: words.processor,
    guardsOf: words.guards.map(({ layer }) => layer),
    guards: words.guards.map(ofEach),
    installation:
      words.installation === undefined ? undefined : readStatedGuards(words.installation, 'guards'),
    merchants: words.merchants.map(merchantOf),
  };
}

function merchantOf(words: LayerWords['merchants'][number]): MerchantSettings {
  const { id, name, guards, settings } = words;
  const raw = merchantShape.parse(settings);
  const processor = raw.FORESTALL_PROCESSOR === undefined ? undefined : processorOf(raw);
  return {
    id,
    name: name ?? id,
    processor: processor?.kind === 'sandbox' ? undefined : processor,
    given: givenByMerchant(raw),
    policyPath: raw.FORESTALL_POLICY,
    matchingPath: raw.FORESTALL_MATCHING,
    guards: guards === undefined ? undefined : readStatedGuards(guards, 'guards'),
  };
}
