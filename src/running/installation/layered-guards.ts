/** The guards of an organisation under the layers above it, and where one of them tries to loosen another. */
import { loosened, tightest } from '../../alerts/guard/guard-bounds.ts';
import type { GuardEnvironment } from '../../alerts/guard/guard-env.ts';
import type { OtherLayers } from '../../alerts/guard/guard-layers.ts';
import { installationLayer, merchantLayer } from '../../alerts/guard/guard-layers.ts';
import type { StatedGuards } from '../../alerts/guard/guard-settings.ts';
import { guardsOf, readStatedGuards } from '../../alerts/guard/guard-settings.ts';
import type { Environment } from '../environment.ts';
import type { LayerSettings } from './layer-words.ts';
import { LAYERS, parseLayerWords } from './layer-words.ts';
import type { KeyProblem } from './setting-keys.ts';

/** What the layers above an organisation and its own say of each organisation, as one. */
export function withLayers(
  guard: GuardEnvironment,
  layers: LayerSettings | undefined,
): GuardEnvironment {
  if (layers === undefined || layers.guards.length === 0) return guard;
  return { ...guard, guards: guardsOf(layers.guards.reduce(tightest)) };
}

/** What holds besides the organisation's guards; undefined: nothing. */
export function otherLayers(
  layers: LayerSettings | undefined,
  organisationIds: () => readonly string[],
): OtherLayers | undefined {
  if (layers === undefined) return undefined;
  const { installation, merchants } = layers;
  const above =
    installation === undefined ? undefined : installationLayer(installation, organisationIds);
  const below = merchants.flatMap(({ id, guards }) =>
    guards === undefined ? [] : [merchantLayer(id, guards)],
  );
  return above === undefined && below.length === 0
    ? undefined
    : { installation: above, merchants: below };
}

/** Where a layer of an organisation tries to loosen what is above it: what does stays in force. */
export function looseningsIn(env: Environment): readonly KeyProblem[] {
  const text = env[LAYERS];
  if (text === undefined) return [];
  const words = parseLayerWords(text);
  const above: StatedGuards[] = [];
  const found: KeyProblem[] = [];
  const tell = (inner: StatedGuards, path: readonly string[]): void => {
    const [first, ...more] = above;
    if (first === undefined) return;
    found.push(...loosened(more.reduce(tightest, first), inner).map((word) => told(word, path)));
  };
  for (const { text: guards } of words.guards) {
    const stated = readStatedGuards(guards, 'guards');
    tell(stated, ['guards']);
    above.push(stated);
  }
  for (const [place, { guards }] of words.merchants.entries()) {
    if (guards === undefined) continue;
    tell(readStatedGuards(guards, 'guards'), ['merchants', String(place), 'guards']);
  }
  return found;
}

function told(word: string, path: readonly string[]): KeyProblem {
  const message = `${word} of this guards file is looser than what stands above it, which stays in force. Remove it, or make it tighter.`;
  return { path, message };
}
