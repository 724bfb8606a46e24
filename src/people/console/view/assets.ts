/**
 * Scripts and styles: our own, htmx and uPlot, served from this package under their content's hash, so
 * that browsers keep them for ever and refuse any other content. Nothing comes from elsewhere.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { RequestHandler } from 'express';
import type { Html } from '../../../base/kernel/html.ts';
import { html } from '../../../base/kernel/html.ts';

type AssetType = 'css' | 'js';

interface Asset {
  readonly path: string;
  readonly integrity: string;
  readonly type: AssetType;
  readonly body: Buffer;
}

/** Everything a page loads. */
export interface Assets {
  /** The tags of a page's head. */
  readonly tags: Html;
  /** Serves the files, under `/assets/`. */
  readonly serve: RequestHandler;
}

/** In the order of loading; the parts of one file are joined. */
const SOURCES: readonly {
  readonly name: string;
  readonly type: AssetType;
  readonly parts: readonly URL[];
}[] = [
  { name: 'uplot', type: 'css', parts: [packaged('uplot/dist/uPlot.min.css')] },
  {
    name: 'console',
    type: 'css',
    parts: ['base.css', 'pieces.css', 'tables.css', 'ratios.css', 'forms.css', 'figures.css'].map(
      own,
    ),
  },
  { name: 'htmx', type: 'js', parts: [packaged('htmx.org/dist/htmx.min.js')] },
  { name: 'uplot', type: 'js', parts: [packaged('uplot/dist/uPlot.iife.min.js')] },
  { name: 'console', type: 'js', parts: [own('console.js')] },
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

/** Reads the files, once. */
export function loadAssets(): Assets {
  const assets = SOURCES.map(readAsset);
  const byPath = new Map(assets.map((asset) => [asset.path, asset]));
  return {
    tags: html`${assets.map(tagOf)}`,
    serve(request, response, next): void {
      const asset = byPath.get(request.path);
      if (asset === undefined || (request.method !== 'GET' && request.method !== 'HEAD')) {
        next();
        return;
      }
      response.set({
        'content-type': MIME[asset.type],
        'cache-control': 'public, max-age=31536000, immutable',
      });
      response.send(asset.body);
    },
  };
}

function readAsset({ name, type, parts }: (typeof SOURCES)[number]): Asset {
  const body = Buffer.concat(parts.map((file) => readFileSync(fileURLToPath(file))));
  const hash = createHash('sha256').update(body).digest('hex').slice(0, 16);
  const integrity = `sha384-${createHash('sha384').update(body).digest('base64')}`;
  return { path: `/assets/${name}-${hash}.${type}`, integrity, type, body };
}

function tagOf({ path, integrity, type }: Asset): Html {
  return type === 'css'
    ? html`<link rel="stylesheet" href="${path}" integrity="${integrity}">\n`
    : html`<script defer src="${path}" integrity="${integrity}"></script>\n`;
}
