import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import * as https from 'node:https'
import type { AddressInfo } from 'node:net'
import { TLSSocket } from 'node:tls'
import type { HostAddress } from '../../../../../infra/simulators/cloud-a/simulator.ts'
import { issueCertificate } from '../../../../../infra/simulators/toolkit/x509.ts'
import { signatureOf } from '../signature.ts'

type Json = Readonly<Record<string, unknown>>

/** A request as the proxy received it. */
export interface SeenRequest {
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: Json & { readonly requestMetadata: Json }
  /** Common name of the client's certificate. */
  readonly client: string
  readonly connection: TLSSocket
}

export interface Reply {
  readonly status: number
  readonly body: unknown
}
/** Replaces the valid answer; `hang` means no answer. */
export type Behaviour = (path: string, reply: Reply) => Reply | 'hang'

export const CREDENTIAL = {
  AccessKeyId: 'PROXYKEYID234567ABCDEF',
  RawSecretAccessKey: 'cHJveHktc2VjcmV0LWZvci10ZXN0cy0wMTIzNDU2Nzg5YWI=',
}
/** Also valid, as after a rotation. */
export const NEXT_CREDENTIAL = { ...CREDENTIAL, AccessKeyId: 'NEXTPROXYKEYID234567AB' }

export interface XksProxy extends HostAddress {
  /** AES-256 keys by the cloud's ids. They are created when they are first requested, except those named `no-…`. */
  readonly keyOf: (id: string) => Buffer
  readonly seen: SeenRequest[]
  behave: Behaviour | undefined
  readonly closeIdle: () => void
  readonly stop: () => Promise<void>
}

/** The proxy's own path begins with the region of the key store. */
const ADDRESS = /^\/([a-z0-9-]+)\/store-\d+\/kms\/xks\/v1\/(?:health|keys\/([^/]+)\/(metadata|encrypt|decrypt))$/
export const pathIn = (region: string, n = 1): string => `/${region}/store-${n}/kms/xks/v1`

const error = (status: number, errorName: string): Reply => ({ status, body: { errorName } })
const isMetadata = (value: unknown) => typeof value === 'object' && value !== null

/**
 * A proxy of external key stores with real cryptography, over TLS with client certificates. It checks the requests of
 * the cloud: address, signature, and the values of the protocol.
 * @param options.clientAuthority PEM of the authority of its clients
 */
export async function startXksProxy(options: {
  host: string
  clientAuthority: string
  now: () => Date
  /** Keys of an earlier proxy. */
  keyOf?: XksProxy['keyOf']
}): Promise<XksProxy> {
  const day = 86_400_000
  const identity = issueCertificate({
    commonName: 'proxy under test',
    purpose: 'server',
    names: { dns: [options.host], ip: [] },
    from: new Date(Date.now() - day),
    to: new Date(Date.now() + day),
  })
  const keyOf = options.keyOf ?? newKeys()
  const take = async (request: IncomingMessage, response: ServerResponse) => {
    const text = Buffer.concat(await request.toArray()).toString('utf8')
    const { url: path = '', headers } = request
    const connection = request.socket
    if (!(connection instanceof TLSSocket)) throw new TypeError('The proxy is reached over TLS only.')
    const body = JSON.parse(text) as SeenRequest['body']
    proxy.seen.push({ path, headers, body, client: String(connection.getPeerCertificate().subject.CN), connection })
    const right = answer(options, keyOf, request, text)
    const reply = proxy.behave === undefined ? right : proxy.behave(path, right)
    if (reply === 'hang') return
    response.writeHead(reply.status, { 'content-type': 'application/json' })
    response.end(typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body))
  }
  const server = https.createServer(
    { ...identity, ca: options.clientAuthority, requestCert: true, rejectUnauthorized: true },
    (request, response) => void take(request, response),
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const proxy: XksProxy = {
    ...{ address: '127.0.0.1', port: (server.address() as AddressInfo).port, ca: identity.cert },
    ...{ keyOf, seen: [], behave: undefined },
    closeIdle: () => server.closeIdleConnections(),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  return proxy
}

function newKeys(): XksProxy['keyOf'] {
  const keys = new Map<string, Buffer>()
  return (id) => {
    const key = keys.get(id) ?? randomBytes(32)
    keys.set(id, key)
    return key
  }
}

function answer(
  { now, host }: { now: () => Date; host: string },
  keyOf: (id: string) => Buffer,
  { url = '', headers, method }: IncomingMessage,
  text: string,
): Reply {
  const [, region, keyId = '', operation] = ADDRESS.exec(url) ?? []
  if (region === undefined || method !== 'POST') return error(404, 'InvalidUriPathException')
  if (headers.host !== host || !isSigned(url, headers, text, region, now())) {
    return error(401, 'AuthenticationFailedException')
  }
  const body = JSON.parse(text) as Json
  if (!isMetadata(body.requestMetadata)) return error(400, 'ValidationException')
  if (operation === undefined) return { status: 200, body: HEALTH }
  if (keyId.startsWith('no-')) return error(404, 'KeyNotFoundException')
  if (operation === 'metadata') {
    return { status: 200, body: { keySpec: 'AES_256', keyUsage: ['ENCRYPT', 'DECRYPT'], keyStatus: 'ENABLED' } }
  }
  return operation === 'encrypt' ? encrypt(keyOf(keyId), body) : decrypt(keyOf(keyId), body)
}

export const HEALTH = {
  ...{ xksProxyFleetSize: 1, xksProxyVendor: 'test', xksProxyModel: 'test 1', ekmVendor: 'test' },
  ekmFleetDetails: [{ id: 'one', model: 'test 1', healthStatus: 'ACTIVE' }],
}

function isSigned(path: string, headers: IncomingMessage['headers'], body: string, region: string, now: Date): boolean {
  const stamp = String(headers['x-amz-date'])
  const time = Date.parse(stamp.replace(/^(.{4})(..)(..)T(..)(..)(..)Z$/, '$1-$2-$3T$4:$5:$6Z'))
  if (!(Math.abs(time - now.getTime()) <= 300_000)) return false
  const known = [CREDENTIAL, NEXT_CREDENTIAL].find(({ AccessKeyId }) =>
    String(headers.authorization).includes(`Credential=${AccessKeyId}/`),
  )
  if (known === undefined) return false
  const signed = { host: String(headers.host), 'x-amz-date': stamp }
  const secret = known.RawSecretAccessKey
  const signature = signatureOf({ path, headers: signed, body }, { region, service: 'kms-xks-proxy', secret })
  const scope = `${stamp.slice(0, 8)}/${region}/kms-xks-proxy/aws4_request`
  return (
    headers.authorization ===
    `AWS4-HMAC-SHA256 Credential=${known.AccessKeyId}/${scope}, SignedHeaders=host;x-amz-date, Signature=${signature}`
  )
}

const bytes = (value: unknown) => Buffer.from(typeof value === 'string' ? value : '', 'base64')
const base64 = (value: Buffer) => value.toString('base64')

/** The protocol's layout: both values, each after its length. */
function aadOf(aad: Buffer, metadata: Buffer): Buffer {
  const length = Buffer.alloc(2)
  length.writeUInt16BE(aad.length)
  return Buffer.concat([length, aad, Buffer.of(metadata.length), metadata])
}

function encrypt(key: Buffer, body: Json): Reply {
  const plaintext = bytes(body.plaintext)
  if (body.encryptionAlgorithm !== 'AES_GCM' || plaintext.length > 4300) return error(400, 'ValidationException')
  const aad = bytes(body.additionalAuthenticatedData)
  const metadata = Buffer.from('layout 1')
  const iv = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(aadOf(aad, metadata))
  const ciphertext = Buffer.concat([cipher.update(plaintext), cipher.final()])
  const tag = cipher.getAuthTag()
  const integrity = createHash('sha256')
    .update(Buffer.concat([aad, metadata, iv, ciphertext, tag]))
    .digest()
  return {
    status: 200,
    body: {
      ciphertext: base64(ciphertext),
      initializationVector: base64(iv),
      authenticationTag: base64(tag),
      ciphertextMetadata: base64(metadata),
      ...(body.ciphertextDataIntegrityValueAlgorithm === 'SHA_256' && {
        ciphertextDataIntegrityValue: base64(integrity),
      }),
    },
  }
}

function decrypt(key: Buffer, body: Json): Reply {
  const aad = aadOf(bytes(body.additionalAuthenticatedData), bytes(body.ciphertextMetadata))
  const decipher = createDecipheriv('aes-256-gcm', key, bytes(body.initializationVector)).setAAD(aad)
  decipher.setAuthTag(bytes(body.authenticationTag))
  try {
    const plaintext = Buffer.concat([decipher.update(bytes(body.ciphertext)), decipher.final()])
    return { status: 200, body: { plaintext: base64(plaintext) } }
  } catch {
    return error(400, 'InvalidCiphertextException')
  }
}
