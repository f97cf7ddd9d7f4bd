import { gzipSync } from 'node:zlib'
import type { Step } from '../request/call.ts'

const WORTH_BYTES = 1_024

/** Compresses answers above 1 KB with gzip if the caller accepts it. */
export const compress = () => ({
  after: function compressAfter({ event, response }: Step): void {
    if (response === undefined || response.body.length < WORTH_BYTES || response.isBase64Encoded === true) return
    response.headers.vary = 'accept-encoding'
    if (!acceptsGzip(event.headers['accept-encoding'] ?? '')) return
    response.headers['content-encoding'] = 'gzip'
    response.body = gzipSync(response.body).toString('base64')
    response.isBase64Encoded = true
  },
})

/** @see RFC 9110 §12.5.3: a coding with weight 0 is refused */
export const acceptsGzip = (header: string): boolean =>
  header.split(',').some((part) => /^\s*gzip\s*(;\s*q=(0\.\d*[1-9]\d*|1(\.0*)?)\s*)?$/i.test(part))
