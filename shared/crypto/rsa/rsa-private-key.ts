import { createPrivateKey } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { Refusal } from '../../base/errors.ts'
import { readDer, TAG } from '../asn1/der.ts'
import { findPem } from '../asn1/pem.ts'
import { spkiHashOf } from '../public-half.ts'
import { requireRsaPrivate, requireRsaPublic } from './rsa-numbers.ts'

const LEAST_BITS = 2048
const MOST_BITS = 4096

export interface RsaPrivateKey {
  /** DER, in a separate buffer: zero it after use */
  readonly pkcs8: Buffer
  /** SHA-256 of the SubjectPublicKeyInfo */
  readonly spkiHash: Buffer
  readonly bits: number
}

const LABELS = ['PRIVATE KEY', 'RSA PRIVATE KEY']
const PEM_START = '-----BEGIN '

/** Standard or base64url alphabet, padded or not, on one line or several. */
function fromBase64(text: string): Buffer<ArrayBuffer> | undefined {
  const digits = text.replace(/\s+/g, '')
  return /^[\w+/-]+={0,2}$/.test(digits) ? Buffer.from(digits, 'base64') : undefined
}

/** PKCS #8 or PKCS #1. Zeroes `der`. */
function keyOf(der: Buffer<ArrayBuffer> | undefined): KeyObject | undefined {
  if (der === undefined) return undefined
  const read = (type: 'pkcs8' | 'pkcs1') => createPrivateKey({ key: der, format: 'der', type })
  try {
    readDer(der, TAG.sequence) // OpenSSL ignores bytes after the end
    try {
      return read('pkcs8')
    } catch {
      return read('pkcs1')
    }
  } catch {
    return undefined
  } finally {
    der.fill(0)
  }
}

function keyInPem(text: string): KeyObject | undefined {
  const found = findPem(text, LABELS)
  return 'fault' in found ? undefined : keyOf(fromBase64(found.body))
}

function keyIn(text: string): KeyObject | undefined {
  if (text.includes(PEM_START)) return keyInPem(text)
  const bytes = fromBase64(text)
  const inner = bytes?.toString('latin1') ?? ''
  if (!inner.includes(PEM_START)) return keyOf(bytes)
  bytes?.fill(0)
  return keyInPem(inner)
}

/** Only moduli of whole bytes, as signatures and ciphertexts require. */
function sizeOf({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): number | undefined {
  const { modulusLength: bits = 0 } = asymmetricKeyDetails ?? {}
  return asymmetricKeyType === 'rsa' && bits >= LEAST_BITS && bits <= MOST_BITS && bits % 8 === 0 ? bits : undefined
}

/**
 * An RSA private key of 2,048 to 4,096 bits that is not encrypted: PEM of PKCS #8 or PKCS #1, base64 of such PEM, or
 * base64 of the DER of either. Its numbers are checked like those of imported keys, its primes outside the event loop.
 * @returns `undefined` for anything else
 * @throws Refusal TOO_MANY_REQUESTS when too many RSA keys are being checked
 */
export async function readRsaPrivateKey(text: string): Promise<RsaPrivateKey | undefined> {
  const key = keyIn(text)
  const bits = key && sizeOf(key)
  if (key === undefined || bits === undefined) return undefined
  try {
    await requireRsaPublic(key)
    await requireRsaPrivate(key)
    return { pkcs8: key.export({ format: 'der', type: 'pkcs8' }), spkiHash: spkiHashOf(key), bits }
  } catch (error) {
    // OpenSSL detects some faults only when it exports a key: any other error is a fault of the key.
    if (error instanceof Refusal && error.reason === 'TOO_MANY_REQUESTS') throw error
    return undefined
  }
}
