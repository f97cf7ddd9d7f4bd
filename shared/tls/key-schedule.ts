import { createHmac, createSecretKey, hash } from 'node:crypto'
import { number, vector } from './bytes.ts'
import type { Suite } from './suites.ts'

/*
 * The key schedule of TLS 1.3 without pre-shared keys. Results are secret unless stated otherwise: their owner zeroes
 * them. @see RFC 8446 §7
 */

const EMPTY = Buffer.alloc(0)

/** Through a key object: with the bytes of a key, the runtime needs three times as long. */
const hmac = ({ hash: name }: Suite, key: Uint8Array, ...parts: readonly Uint8Array[]): Buffer => {
  const mac = createHmac(name, createSecretKey(key))
  for (const part of parts) mac.update(part)
  return mac.digest()
}

/** The hash of a suite over the concatenated parts; not secret. */
export const hashOf = ({ hash: name }: Suite, ...parts: readonly Uint8Array[]): Buffer =>
  hash(name, Buffer.concat(parts), 'buffer')

/** HKDF-Expand-Label. @param length in bytes @see RFC 8446 §7.1, RFC 5869 §2.3 */
export function expandLabel(
  suite: Suite,
  secret: Uint8Array,
  label: string,
  context: Uint8Array,
  length: number,
): Buffer {
  const info = Buffer.concat([number(2, length), vector(1, Buffer.from(`tls13 ${label}`)), vector(1, context)])
  const expanded = Buffer.alloc(length)
  let block: Buffer = EMPTY
  for (let at = 0, counter = 1; at < length; at += suite.hashBytes, counter++) {
    block = hmac(suite, secret, block, info, number(1, counter))
    block.copy(expanded, at)
  }
  block.fill(0)
  return expanded
}

const deriveSecret = (suite: Suite, secret: Uint8Array, label: string, transcriptHash: Uint8Array): Buffer =>
  expandLabel(suite, secret, label, transcriptHash, suite.hashBytes)

/** HKDF-Extract with the salt derived from the former secret, which is zeroed. */
function extractAfter(suite: Suite, former: Buffer, keyingMaterial: Uint8Array): Buffer {
  const salt = deriveSecret(suite, former, 'derived', hashOf(suite))
  former.fill(0)
  const secret = hmac(suite, salt, keyingMaterial)
  salt.fill(0)
  return secret
}

/**
 * The secrets after ServerHello.
 * @param shared the (EC)DHE secret, zeroed here
 * @param transcriptHash of the messages up to ServerHello
 */
export function handshakeSecrets(suite: Suite, shared: Buffer, transcriptHash: Buffer) {
  const zeros = Buffer.alloc(suite.hashBytes)
  const handshake = extractAfter(suite, hmac(suite, zeros, zeros), shared)
  shared.fill(0)
  const client = deriveSecret(suite, handshake, 'c hs traffic', transcriptHash)
  const server = deriveSecret(suite, handshake, 's hs traffic', transcriptHash)
  return { client, server, master: extractAfter(suite, handshake, zeros) }
}

/**
 * The secrets of application data.
 * @param master zeroed here
 * @param transcriptHash of the messages up to the server's Finished
 */
export function applicationSecrets(suite: Suite, master: Buffer, transcriptHash: Buffer) {
  const secrets = {
    client: deriveSecret(suite, master, 'c ap traffic', transcriptHash),
    server: deriveSecret(suite, master, 's ap traffic', transcriptHash),
    exporter: deriveSecret(suite, master, 'exp master', transcriptHash),
  }
  master.fill(0)
  return secrets
}

/** verify_data of a Finished message; not secret. @see RFC 8446 §4.4.4 */
export function verifyData(suite: Suite, trafficSecret: Uint8Array, transcriptHash: Uint8Array): Buffer {
  const key = expandLabel(suite, trafficSecret, 'finished', EMPTY, suite.hashBytes)
  const mac = hmac(suite, key, transcriptHash)
  key.fill(0)
  return mac
}

/** @see RFC 8446 §7.2 */
export const nextTrafficSecret = (suite: Suite, secret: Uint8Array): Buffer =>
  expandLabel(suite, secret, 'traffic upd', EMPTY, suite.hashBytes)

export const IV_BYTES = 12

/** @see RFC 8446 §7.3 */
export const trafficKeys = (suite: Suite, secret: Uint8Array) => ({
  key: expandLabel(suite, secret, 'key', EMPTY, suite.keyBytes),
  iv: expandLabel(suite, secret, 'iv', EMPTY, IV_BYTES),
})

/** Keying material for an application. @param length in bytes @see RFC 8446 §7.5 */
export function exported(
  suite: Suite,
  exporterSecret: Uint8Array,
  label: string,
  context: Uint8Array,
  length: number,
): Buffer {
  const secret = deriveSecret(suite, exporterSecret, label, hashOf(suite))
  const material = expandLabel(suite, secret, 'exporter', hashOf(suite, context), length)
  secret.fill(0)
  return material
}
