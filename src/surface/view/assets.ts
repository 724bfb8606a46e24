/**
 * Scripts and styles: our own, htmx and uPlot, served from this package under their content's hash, so
 * that browsers keep them for ever and refuse any other content. Nothing comes from elsewhere.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync } from 'node:zlib';
import type { RequestHandler } from 'express';
import type { Html } from '../../base/kernel/html.ts';
import { html } from '../../base/kernel/html.ts';

type AssetType = 'css' | 'js';

interface Asset {
  readonly path: string;
  readonly integrity: string;
  readonly type: AssetType;
  readonly body: Buffer;
  /** Compressed when it is first asked for. */
  brotli?: Buffer;
  readonly isForCharts: boolean;
}

export interface Assets {
  /** The tags of a page's head. */
  readonly tags: Html;
  /** What a page with a chart loads besides. */
  readonly chartTags: Html;
  /** Serves the files, under `/assets/`. */
  readonly serve: RequestHandler;
}

const STYLES = [
  'base.css',
  'icons.css',
  'pieces.css',
  'tables.css',
  'ratios.css',
  'figures.css',
  'forms.css',
  'bench.css',
  'list.css',
  'case.css',
  'side.css',
  'organisations.css',
];
const SCRIPTS = ['console.js', 'lists.js', 'keys.js', 'connection.js'];

interface Source {
  readonly name: string;
  readonly type: AssetType;
  readonly parts: readonly URL[];
  /** Only pages with a chart load it. */
  readonly isForCharts?: boolean;
}

/** In the order of loading; the parts of one file are joined. */
const SOURCES: readonly Source[] = [
  { name: 'uplot', type: 'css', parts: [packaged('uplot/dist/uPlot.min.css')], isForCharts: true },
  { name: 'console', type: 'css', parts: STYLES.map(own) },
  { name: 'htmx', type: 'js', parts: [packaged('htmx.org/dist/htmx.min.js')] },
  {
    name: 'uplot',
    type: 'js',
    parts: [packaged('uplot/dist/uPlot.iife.min.js')],
    isForCharts: true,
  },
  { name: 'console', type: 'js', parts: SCRIPTS.map(own) },
];

const MIME: Readonly<Record<AssetType, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
};

function packaged(path: string): URL {
  return new URL(import.meta.resolve(path));
}

function own(name: string): URL {
  return new URL(`../assets/${name}`, import.meta.url);
}

export function loadAssets(): Assets {
  const assets = SOURCES.map(readAsset);
  const byPath = new Map(assets.map((asset) => [asset.path, asset]));
  return {
    tags: html`${assets.filter(({ isForCharts }) => !isForCharts).map(tagOf)}`,
    chartTags: html`${assets.filter(({ isForCharts }) => isForCharts).map(tagOf)}`,
    serve(request, response, next): void {
      const asset = byPath.get(request.path);
      if (asset === undefined || (request.method !== 'GET' && request.method !== 'HEAD')) {
        next();
        return;
      }
      response.set({
        'content-type': MIME[asset.type],
        'cache-control': 'public, max-age=31536000, immutable',
        vary: 'accept-encoding',
      });
      if (request.acceptsEncodings('br') !== 'br') {
        response.send(asset.body);
        return;
      }
      asset.brotli ??= brotliCompressSync(asset.body);
      response.set('content-encoding', 'br').send(asset.brotli);
    },
  };
}

function readAsset({ name, type, parts, isForCharts = false }: Source): Asset {
  const body = Buffer.concat(parts.map((file) => readFileSync(fileURLToPath(file))));
  const hash = createHash('sha256').update(body).digest('hex').slice(0, 16);
  const integrity = `sha384-${createHash('sha384').update(body).digest('base64')}`;
  return { path: `/assets/${name}-${hash}.${type}`, integrity, type, body, isForCharts };
}

function tagOf({ path, integrity, type }: Asset): Html {
  return type === 'css'
    ? html`<link rel="stylesheet" href="${path}" integrity="${integrity}">\n`
    : html`<script defer src="${path}" integrity="${integrity}"></script>\n`;
}
