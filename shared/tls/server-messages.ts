import { sign, type KeyObject } from 'node:crypto'
import { number, vector } from './bytes.ts'
import { ECDSA_P256_SHA256, EXTENSION, TLS_1_3, type ClientHello } from './client-hello.ts'

/** Types of handshake messages. @see RFC 8446 §4 */
export const MESSAGE = {
  clientHello: 1,
  serverHello: 2,
  encryptedExtensions: 8,
  certificate: 11,
  certificateVerify: 15,
  finished: 20,
  keyUpdate: 24,
  messageHash: 254,
} as const

const LEGACY_VERSION = 0x0303

export const message = (type: number, ...parts: readonly Uint8Array[]): Buffer =>
  Buffer.concat([number(1, type), vector(3, ...parts)])

const extension = (type: number, ...data: readonly Uint8Array[]): Buffer =>
  Buffer.concat([number(2, type), vector(2, ...data)])

const hello = (random: Uint8Array, { sessionId, suite }: ClientHello, keyShare: readonly Uint8Array[]): Buffer =>
  message(
    MESSAGE.serverHello,
    number(2, LEGACY_VERSION),
    random,
    vector(1, sessionId),
    number(2, suite.id),
    number(1, 0), // no compression
    vector(2, extension(EXTENSION.keyShare, ...keyShare), extension(EXTENSION.supportedVersions, number(2, TLS_1_3))),
  )

/** @param random 32 bytes @param share the server's of the group @see RFC 8446 §4.1.3 */
export const serverHello = (random: Uint8Array, client: ClientHello, share: Uint8Array): Buffer =>
  hello(random, client, [number(2, client.group.id), vector(2, share)])

/** A ServerHello with this random is a HelloRetryRequest. @see RFC 8446 §4.1.3 */
const RETRY_RANDOM = Buffer.from('cf21ad74e59a6111be1d8c021e65b891c2a211167abb8c5e079e09e2c8a8339c', 'hex')

/** Asks for a share of the client's group. @see RFC 8446 §4.1.4 */
export const helloRetryRequest = (client: ClientHello): Buffer =>
  hello(RETRY_RANDOM, client, [number(2, client.group.id)])

export const encryptedExtensions = (): Buffer => message(MESSAGE.encryptedExtensions, vector(2))

/** @param chain DER, the server's own certificate first @see RFC 8446 §4.4.2 */
export const certificateMessage = (chain: readonly Uint8Array[]): Buffer =>
  message(
    MESSAGE.certificate,
    vector(1), // the context of a request: none was made
    vector(3, ...chain.flatMap((der) => [vector(3, der), vector(2)])),
  )

const SIGNED_BEFORE = Buffer.concat([Buffer.alloc(64, ' '), Buffer.from('TLS 1.3, server CertificateVerify\0')])

/** @param key ECDSA P-256 @see RFC 8446 §4.4.3 */
export function certificateVerify(key: KeyObject, transcriptHash: Uint8Array): Buffer {
  const signature = sign('sha256', Buffer.concat([SIGNED_BEFORE, transcriptHash]), { key, dsaEncoding: 'der' })
  return message(MESSAGE.certificateVerify, number(2, ECDSA_P256_SHA256), vector(2, signature))
}

export const finishedMessage = (verify: Uint8Array): Buffer => message(MESSAGE.finished, verify)
/** A KeyUpdate that asks for none in return. @see RFC 8446 §4.6.3 */
export const keyUpdateMessage = (): Buffer => message(MESSAGE.keyUpdate, number(1, 0))
