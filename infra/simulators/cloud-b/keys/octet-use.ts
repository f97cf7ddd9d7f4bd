import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { badParameter } from '../wire/errors.ts'

/** Input and output values of one use of an octet key. */
export interface OctetValues {
  readonly value: Buffer
  readonly iv?: Buffer | undefined
  readonly aad?: Buffer | undefined
  readonly tag?: Buffer | undefined
}

/** RFC 3394 §2.2.3.1 */
const WRAP_IV = Buffer.from('a6a6a6a6a6a6a6a6', 'hex')
const [GCM_IV_BYTES, GCM_TAG_BYTES, CBC_IV_BYTES] = [12, 16, 16]

const MODES = ['GCM', 'CBC', 'CBCPAD', 'KW'] as const
const gcmFor = (key: Buffer) => `aes-${key.length * 8}-gcm` as 'aes-256-gcm' // keys have 16, 24 or 32 bytes

/** @throws ApiError BadParameter unless the algorithm is for keys of this size */
function modeOf(alg: string, key: Buffer): (typeof MODES)[number] {
  const mode = MODES.find((each) => alg === `A${key.length * 8}${each}`)
  if (mode !== undefined) return mode
  throw badParameter(`Algorithm '${alg}' is not valid for this key and operation.`)
}

const cbc = (key: Buffer): string => `aes-${key.length * 8}-cbc`

/** @throws ApiError BadParameter */
export function encryptOctets(alg: string, key: Buffer, { value, iv, aad }: OctetValues): OctetValues {
  const mode = modeOf(alg, key)
  if (mode === 'KW') throw badParameter(`Algorithm '${alg}' wraps keys and encrypts no data.`)
  if (mode === 'GCM') {
    const nonce = randomBytes(GCM_IV_BYTES) // the cloud generates it
    const cipher = createCipheriv(gcmFor(key), key, nonce)
    if (aad) cipher.setAAD(aad)
    const ciphertext = Buffer.concat([cipher.update(value), cipher.final()])
    return { value: ciphertext, iv: nonce, tag: cipher.getAuthTag(), ...(aad && { aad }) }
  }
  if (iv?.length !== CBC_IV_BYTES) throw badParameter(`Property 'iv' must have ${CBC_IV_BYTES} bytes.`)
  const cipher = createCipheriv(cbc(key), key, iv).setAutoPadding(mode === 'CBCPAD')
  return { value: finished(() => Buffer.concat([cipher.update(value), cipher.final()])), iv }
}

/** @throws ApiError BadParameter for every failure */
export function decryptOctets(alg: string, key: Buffer, { value, iv, aad, tag }: OctetValues): Buffer {
  const mode = modeOf(alg, key)
  if (mode === 'KW') throw badParameter(`Algorithm '${alg}' unwraps keys and decrypts no data.`)
  if (mode === 'GCM') {
    if (iv?.length !== GCM_IV_BYTES || tag?.length !== GCM_TAG_BYTES)
      throw badParameter('iv or tag has a wrong length.')
    const decipher = createDecipheriv(gcmFor(key), key, iv).setAuthTag(tag)
    if (aad) decipher.setAAD(aad)
    return finished(() => Buffer.concat([decipher.update(value), decipher.final()]))
  }
  if (iv?.length !== CBC_IV_BYTES) throw badParameter(`Property 'iv' must have ${CBC_IV_BYTES} bytes.`)
  const decipher = createDecipheriv(cbc(key), key, iv).setAutoPadding(mode === 'CBCPAD')
  return finished(() => Buffer.concat([decipher.update(value), decipher.final()]))
}

/** @throws ApiError BadParameter */
export function wrapOctets(alg: string, key: Buffer, value: Buffer): Buffer {
  if (modeOf(alg, key) !== 'KW') throw badParameter(`Algorithm '${alg}' wraps no keys.`)
  const cipher = createCipheriv(`id-aes${key.length * 8}-wrap`, key, WRAP_IV)
  return finished(() => Buffer.concat([cipher.update(value), cipher.final()]))
}

/** @throws ApiError BadParameter for every failure */
export function unwrapOctets(alg: string, key: Buffer, value: Buffer): Buffer {
  if (modeOf(alg, key) !== 'KW') throw badParameter(`Algorithm '${alg}' unwraps no keys.`)
  const decipher = createDecipheriv(`id-aes${key.length * 8}-wrap`, key, WRAP_IV)
  return finished(() => Buffer.concat([decipher.update(value), decipher.final()]))
}

function finished(work: () => Buffer): Buffer {
  try {
    return work()
  } catch {
    throw badParameter('The value does not fit the key and the algorithm.')
  }
}
