/**
 * The minimum of an external key store's proxy: the signature of the request, the parsed body, AES-256-GCM with its
 * AAD, the digest and the proof, the answer. No store, states, use counter, log or error format.
 */
import { createCipheriv, createDecipheriv, createHmac, createSecretKey, hash, timingSafeEqual } from 'node:crypto'
import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import { signingKeyOf } from '../test/support/xks-signing.ts'

const OPTIONS = { authTagLength: 16 } as const
const METADATA = Buffer.of(1, 0, 0, 0, 0)

type Request = Pick<APIGatewayProxyEventV2, 'rawPath' | 'headers' | 'body'>

export interface BareProxy {
  readonly encrypt: (request: Request) => string
  readonly decrypt: (request: Request) => string
}

function aadOf(aad: Buffer): Buffer {
  const joined = Buffer.allocUnsafe(aad.length + 3 + METADATA.length)
  joined.writeUInt16BE(aad.length, 0)
  joined.set(aad, 2)
  joined.writeUInt8(METADATA.length, aad.length + 2)
  joined.set(METADATA, aad.length + 3)
  return joined
}

export function bareProxy(secret: string, region: string, day: string, material: Buffer): BareProxy {
  const signingKey = createSecretKey(signingKeyOf(secret, day, region))
  const key = createSecretKey(material)
  let uses = 0n

  function parsed({ rawPath, headers, body = '' }: Request): any {
    const [, scope = '', names = '', signature = ''] =
      /^AWS4-HMAC-SHA256 Credential=[^/]+\/([^,]+), SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/.exec(
        headers.authorization ?? '',
      ) ?? []
    let lines = ''
    for (const name of names.split(';')) lines += `${name}:${(headers[name] ?? '').trim()}\n`
    const canonical = `POST\n${rawPath}\n\n${lines}\n${names}\n${hash('sha256', body)}`
    const toSign = `AWS4-HMAC-SHA256\n${headers['x-amz-date'] ?? ''}\n${scope}\n${hash('sha256', canonical)}`
    const right = createHmac('sha256', signingKey).update(toSign).digest()
    if (!timingSafeEqual(right, Buffer.from(signature, 'hex'))) throw new Error('The signature is wrong')
    return JSON.parse(body)
  }

  function opened(iv: Buffer, aad: Buffer, tag: Buffer, ciphertext: Buffer): Buffer {
    const decipher = createDecipheriv('aes-256-gcm', key, iv, OPTIONS).setAAD(aadOf(aad))
    decipher.setAuthTag(tag)
    const plaintext = decipher.update(ciphertext)
    decipher.final()
    return plaintext
  }

  return {
    encrypt: (request) => {
      const body = parsed(request)
      const plaintext = Buffer.from(body.plaintext as string, 'base64')
      const aad = Buffer.from((body.additionalAuthenticatedData ?? '') as string, 'base64')
      const iv = Buffer.alloc(12)
      iv.writeBigUInt64BE(uses++, 4)
      const cipher = createCipheriv('aes-256-gcm', key, iv, OPTIONS).setAAD(aadOf(aad))
      const ciphertext = cipher.update(plaintext)
      cipher.final()
      const tag = cipher.getAuthTag()
      const digest = hash('sha256', Buffer.concat([aad, METADATA, iv, ciphertext, tag]), 'base64')
      if (!opened(iv, aad, tag, ciphertext).equals(plaintext)) throw new Error('It does not decrypt')
      return JSON.stringify({
        ciphertext: ciphertext.toString('base64'),
        initializationVector: iv.toString('base64'),
        authenticationTag: tag.toString('base64'),
        ciphertextMetadata: METADATA.toString('base64'),
        ciphertextDataIntegrityValue: digest,
      })
    },
    decrypt: (request) => {
      const body = parsed(request)
      const part = (name: string): Buffer => Buffer.from((body[name] ?? '') as string, 'base64')
      const aad = part('additionalAuthenticatedData')
      const plaintext = opened(part('initializationVector'), aad, part('authenticationTag'), part('ciphertext'))
      return JSON.stringify({ plaintext: plaintext.toString('base64') })
    },
  }
}
