import {
  constants,
  createCipheriv,
  createDecipheriv,
  generateKeyPairSync,
  privateDecrypt,
  publicEncrypt,
  randomBytes,
  randomUUID,
  sign,
  verify,
  type KeyObject,
} from 'node:crypto'
import * as https from 'node:https'
import type { IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { TLSSocket } from 'node:tls'
import { issueCertificate } from '../../../../infra/simulators/toolkit/x509.ts'

type Body = Record<string, any> // `any`: differs by call

/** A customer-held key store for tests, independent of the product's: one AES and one RSA key. */
export interface KeyStore {
  readonly url: string
  readonly certificate: string
  readonly version: string
  /** Common names of the client certificates that were presented. */
  readonly callers: string[]
  readonly bodies: Body[]
  /** Changes an answer. */
  alter: ((suffix: string, answer: Body) => unknown) | undefined
  cacheControl: string
  readonly stop: () => Promise<void>
}

const VALID = { from: new Date('2020-01-01T00:00:00Z'), to: new Date('2049-12-31T00:00:00Z') }
const bytes = (text: string): Buffer => Buffer.from(text, 'base64')
const base64 = (value: Buffer): string => value.toString('base64')
const hashOf = (algorithm: string): string => algorithm.replace(/^.*_SHA_/, 'sha')

interface Keys {
  readonly aes: Buffer
  readonly pair: { readonly publicKey: KeyObject; readonly privateKey: KeyObject }
  readonly version: string
}

function sealed({ aes, version }: Keys, plaintext: Buffer, aad: string | undefined): Body {
  const iv = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', aes, iv).setAAD(bytes(aad ?? ''))
  const ciphertext = Buffer.concat([cipher.update(plaintext), cipher.final()])
  const sizes = { ciphertext: base64(ciphertext), iv: base64(iv), tag: base64(cipher.getAuthTag()) }
  return { ...sizes, key_version_id: version, ...(aad !== undefined && { aad }) }
}

function opened({ aes, version }: Keys, { ciphertext, iv, tag, aad = '' }: Body): Body {
  const decipher = createDecipheriv('aes-256-gcm', aes, bytes(iv)).setAAD(bytes(aad)).setAuthTag(bytes(tag))
  const plaintext = Buffer.concat([decipher.update(bytes(ciphertext)), decipher.final()])
  return { plaintext: base64(plaintext), key_version_id: version }
}

const oaep = (key: KeyObject, algorithm: string) => ({
  ...{ key, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: hashOf(algorithm) },
})
const pss = (key: KeyObject) => ({
  ...{ key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST },
})

/** Only RAW messages: a library that signs digests would be the product's. */
const CALLS: Record<string, (keys: Keys, body: Body) => Body> = {
  'symmetric-encrypt': (keys, { plaintext, aad }) => sealed(keys, bytes(plaintext), aad),
  'symmetric-decrypt': opened,
  'generate-random-bytes': (keys, { length }) => {
    const plaintext = randomBytes(length)
    return { ...sealed(keys, plaintext, undefined), plaintext: base64(plaintext) }
  },
  'get-public-key': ({ pair, version }) => ({
    ...{ public_key: pair.publicKey.export({ format: 'pem', type: 'spki' }), key_version_id: version },
  }),
  'asymmetric-encrypt': ({ pair, version }, { plaintext, algorithm }) => ({
    ciphertext: base64(publicEncrypt(oaep(pair.publicKey, algorithm), bytes(plaintext))),
    ...{ algorithm, key_version_id: version },
  }),
  'asymmetric-decrypt': ({ pair, version }, { ciphertext, algorithm }) => ({
    plaintext: base64(privateDecrypt(oaep(pair.privateKey, algorithm), bytes(ciphertext))),
    key_version_id: version,
  }),
  'asymmetric-sign': ({ pair, version }, { message, algorithm }) => ({
    signature: base64(sign(hashOf(algorithm), bytes(message), pss(pair.privateKey))),
    ...{ algorithm, key_version_id: version },
  }),
  'asymmetric-verify': ({ pair, version }, { message, algorithm, signature }) => ({
    signature_valid: verify(hashOf(algorithm), bytes(message), pss(pair.publicKey), bytes(signature)),
    key_version_id: version,
  }),
}

function answerTo(keys: Keys, suffix: string, body: Body): Body {
  const [, key = '', operation = ''] = /^\/keys\/(\w+)\/([\w-]+)$/.exec(suffix) ?? []
  const { skip = 0, limit = 10 } = body
  if (suffix === '/get-metadata')
    return { keystore_id: 'store', sap_tenant_id: body.request_metadata?.sap_tenant_id, state: 'ACTIVE' }
  if (operation === 'get-metadata') {
    const [key_spec, key_ops] = key === 'aes' ? ['AES_256', ['ENCRYPT', 'DECRYPT']] : ['RSA_3072', ['SIGN', 'VERIFY']]
    return { key_id: key, key_version_id: keys.version, state: 'Enabled', key_ops, key_spec }
  }
  if (operation === 'get-versions-metadata')
    return { skip, limit, total: 1, resources: [{ id: keys.version, created_at: '2026-01-01T00:00:00.123456Z' }] }
  return CALLS[operation]?.(keys, body) ?? {}
}

/** @param chain PEM of the authorities whose client certificates it trusts */
export async function startKeyStore(chain: string): Promise<KeyStore> {
  const server = issueCertificate({
    ...{ commonName: 'localhost', purpose: 'server', names: { dns: ['store.example.test'], ip: [] }, ...VALID },
  })
  const keys: Keys = {
    ...{ aes: randomBytes(32), pair: generateKeyPairSync('rsa', { modulusLength: 2048 }), version: randomUUID() },
  }
  const read = async (request: IncomingMessage): Promise<Body> => {
    const chunks: Buffer[] = []
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
    return JSON.parse(Buffer.concat(chunks).toString('utf8'))
  }
  const tls = { cert: server.cert, key: server.key, ca: chain, requestCert: true, rejectUnauthorized: true }
  const listener = https.createServer(tls, (request, response) => {
    const suffix = String(request.url).replace('/store', '')
    void read(request).then((body) => {
      const { socket } = request
      if (!(socket instanceof TLSSocket)) throw new Error('The connection is not encrypted')
      store.callers.push(String(socket.getPeerCertificate().subject.CN))
      store.bodies.push(body)
      const answer = answerTo(keys, suffix, body)
      const status = Object.keys(answer).length === 0 ? 404 : 200
      response.writeHead(status, { 'content-type': 'application/json', 'cache-control': store.cacheControl })
      response.end(JSON.stringify(store.alter?.(suffix, answer) ?? answer))
    })
  })
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  const store: KeyStore = {
    url: `https://store.example.test:${(listener.address() as AddressInfo).port}/store`,
    ...{ certificate: server.cert, version: keys.version, callers: [], bodies: [], alter: undefined },
    cacheControl: 'no-store',
    stop: () =>
      new Promise((resolve) => {
        listener.close(() => resolve())
        listener.closeAllConnections()
      }),
  }
  return store
}
