import { createHmac, timingSafeEqual } from 'node:crypto'
import { ownText } from '../../toolkit/own-text.ts'
import type { WrappingAlgorithm } from './key-specs.ts'

/** Content of an import token. It is bound to one key, one wrapping key and one wrapping algorithm. */
export interface ImportToken {
  readonly account: string
  readonly region: string
  readonly keyId: string
  readonly wrappingSpec: string
  readonly algorithm: WrappingAlgorithm
  /** In milliseconds. */
  readonly validTo: number
}

const MAC_BYTES = 32

const mac = (secret: Buffer, body: Buffer) => createHmac('sha256', secret).update('import token ').update(body).digest()

const TOKEN = ownText<ImportToken>()

/** @returns HMAC-SHA256 (32 bytes) ‖ JSON */
export function issueToken(secret: Buffer, token: ImportToken): Buffer {
  const body = Buffer.from(TOKEN.write(token))
  return Buffer.concat([mac(secret, body), body])
}

/** @returns `undefined` if it is not authentic. The caller checks key and expiry */
export function openToken(secret: Buffer, token: Buffer): ImportToken | undefined {
  if (token.length <= MAC_BYTES) return undefined
  const body = token.subarray(MAC_BYTES)
  if (!timingSafeEqual(token.subarray(0, MAC_BYTES), mac(secret, body))) return undefined
  return TOKEN.read(body.toString('utf8'))
}
