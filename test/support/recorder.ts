import * as fs from 'node:fs'
import * as path from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { Observer } from '../../infra/local/gateway/gateway.ts'

/** A call, in the form that `npm run examples` reads. */
export interface Exchange {
  readonly method: string
  readonly path: string
  readonly body?: string
  readonly status: number
  readonly answer: string
}

/** Longer calls are not examples. */
const MAX_CHARACTERS = 8_000
const OF_EACH = 8
const REFUSED_OF_EACH = 1

/** The kind of a call: ids and names of records do not distinguish kinds. */
const kindOf = (method: string, address: string, status: number): string =>
  `${method} ${address.replaceAll(/[^/]*\d[^/]*/g, '*')} ${status}`

/**
 * Records calls in the folder `KEYMGR_RECORD_CALLS`, one file per process, a few calls of each kind.
 * @returns `undefined` without that variable
 */
export function recorder(): Observer | undefined {
  const folder = process.env.KEYMGR_RECORD_CALLS
  if (folder === undefined) return undefined
  const file = path.join(folder, `${process.pid}.jsonl`)
  const kept = new Map<string, number>()
  return (event, { status, headers, body }) => {
    const { method } = event.requestContext.http
    const type = headerOf(headers, 'content-type') ?? 'json'
    if (status >= 500 || !type.includes('json')) return
    const kind = kindOf(method, event.rawPath, status)
    const times = kept.get(kind) ?? 0
    const answer = (headerOf(headers, 'content-encoding') === 'gzip' ? gunzipSync(body) : body).toString()
    const exchange: Exchange = {
      ...{ method, path: event.rawPath, status, answer },
      ...(event.body !== undefined && !event.isBase64Encoded && { body: event.body }),
    }
    const line = JSON.stringify(exchange)
    const most = status < 300 ? OF_EACH : REFUSED_OF_EACH
    if (times >= most || line.length > MAX_CHARACTERS) return
    kept.set(kind, times + 1)
    fs.appendFileSync(file, `${line}\n`)
  }
}

const headerOf = (headers: readonly (readonly [string, string])[], name: string): string | undefined =>
  headers.find(([each]) => each === name)?.[1]
