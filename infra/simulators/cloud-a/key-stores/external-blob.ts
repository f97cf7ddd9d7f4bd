import { createHash } from 'node:crypto'
import type { ExternalCiphertext } from './proxy.ts'

/**
 * The ciphertext blob of a key in an external key store: format (1) ‖ key id (16) ‖ lengths of iv, tag and metadata (1
 * each) ‖ iv ‖ tag ‖ metadata ‖ the proxy's ciphertext, whose plaintext is a blob of the cloud's own key.
 */
const FORMAT = 2
const ID_BYTES = 16
const HEADER_BYTES = 1 + ID_BYTES + 3

export function packExternal(keyId: string, { ciphertext, iv, tag, metadata }: ExternalCiphertext): Buffer {
  const id = Buffer.from(keyId.replaceAll('-', ''), 'hex')
  const lengths = Buffer.of(iv.length, tag.length, metadata.length)
  return Buffer.concat([Buffer.of(FORMAT), id, lengths, iv, tag, metadata, ciphertext])
}

/** @returns `undefined` if it is not a blob of an external key store */
export function unpackExternal(blob: Buffer): { readonly id: string; readonly sealed: ExternalCiphertext } | undefined {
  if (blob.length < HEADER_BYTES || blob[0] !== FORMAT) return undefined
  const hex = blob.toString('hex', 1, 1 + ID_BYTES)
  const id = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
  let at = HEADER_BYTES
  const [iv, tag, metadata] = [1, 2, 3].map((place) => {
    const start = at
    at += blob.readUInt8(ID_BYTES + place)
    return blob.subarray(start, at)
  })
  if (iv === undefined || tag === undefined || metadata === undefined || at > blob.length) return undefined
  return { id, sealed: { iv, tag, metadata, ciphertext: blob.subarray(at) } }
}

/** AAD for the proxy: empty without context, else the SHA-256 of its sorted pairs. */
export function aadOf(context: Readonly<Record<string, string>>): Buffer {
  const pairs = Object.entries(context).sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
  if (pairs.length === 0) return Buffer.alloc(0)
  return createHash('sha256').update(JSON.stringify(pairs)).digest()
}
