import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import * as https from 'node:https'
import type { AddressInfo } from 'node:net'
import { createRemoteJWKSet, jwtVerify, type JWTPayload } from 'jose'
import type { HostAddress } from '../../../../../infra/simulators/toolkit/simulator.ts'
import { issueCertificate } from '../../../../../infra/simulators/toolkit/x509.ts'

type Json = Readonly<Record<string, any>> // the JSON of any call

export interface ManagedKey {
  readonly id: string
  /** Material by version, oldest first. */
  readonly versions: Map<string, Buffer>
  state: 'ENABLED' | 'DISABLED'
  bits: number
}

/** An external key manager with one vault and real cryptography, over TLS. It verifies the cloud's tokens. */
export interface KeyManager extends HostAddress {
  readonly url: string
  readonly newKey: () => ManagedKey
  readonly addVersion: (key: ManagedKey) => string
  /** All calls, with the claims of their tokens. */
  readonly seen: { readonly path: string; readonly claims: JWTPayload; readonly body: Json }[]
  /** State of the vault. */
  state: 'ACTIVE' | 'BLOCKED'
  /** Status that replaces each answer. */
  broken: number | undefined
  readonly stop: () => Promise<void>
}

const HOST = 'ekm.keymgr.test'
const PREFIX = '/v1/keymgr/cloud-d/ekm/v1/vaults/vault-1'
const DAY_MS = 86_400_000

class Refused extends Error {
  readonly status: number

  constructor(status: number) {
    super(`Refused with ${status}.`)
    this.status = status
  }
}

/** @param jwksUri of the cloud's domain, readable by everyone */
export async function startKeyManager(jwksUri: string, now: () => Date): Promise<KeyManager> {
  const certificate = issueCertificate({
    commonName: 'key manager under test',
    purpose: 'server',
    names: { dns: [HOST], ip: [] },
    from: new Date(Date.now() - DAY_MS),
    to: new Date(Date.now() + DAY_MS),
  })
  const keys = new Map<string, ManagedKey>()
  const jwks = createRemoteJWKSet(new URL(jwksUri))
  const answer = async (request: IncomingMessage, text: string): Promise<object> => {
    const [, token = ''] = /^Bearer (.+)$/.exec(request.headers.authorization ?? '') ?? []
    const options = { audience: `https://${HOST}/`, issuer: 'https://identity.oraclecloud.com/', currentDate: now() }
    const { payload } = await jwtVerify(token, jwks, options).catch(() => Promise.reject(new Refused(401)))
    const path = (request.url ?? '').replace(PREFIX, '')
    const body = JSON.parse(text || '{}') as Json
    manager.seen.push({ path, claims: payload, body })
    if (manager.broken !== undefined) throw new Refused(manager.broken)
    if (path === '/metadata') return { state: manager.state, vendor: 'keymgr' }
    if (path === '/generateRandomBytes') {
      return { randomBytes: randomBytes(Number(body.length)).toString('base64'), length: body.length }
    }
    return onKey(keys, path, body)
  }
  const server = https.createServer(certificate, (request: IncomingMessage, response: ServerResponse) => {
    const reply = async () => {
      const text = Buffer.concat(await request.toArray()).toString('utf8')
      const [status, body] = await answer(request, text).then(
        (found) => [200, found] as const,
        (error: unknown) => [error instanceof Refused ? error.status : 500, { code: '', message: 'refused' }] as const,
      )
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    }
    void reply()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const manager: KeyManager = {
    url: `https://${HOST}${PREFIX}`,
    address: '127.0.0.1',
    port: (server.address() as AddressInfo).port, // a TCP server has an `AddressInfo`
    ca: certificate.cert,
    newKey: () => {
      const key: ManagedKey = { id: `key-${keys.size + 1}`, versions: new Map(), state: 'ENABLED', bits: 256 }
      keys.set(key.id, key)
      manager.addVersion(key)
      return key
    },
    addVersion: ({ id, versions }) => {
      const version = `${id}-version-${versions.size + 1}`
      versions.set(version, randomBytes(32))
      return version
    },
    seen: [],
    state: 'ACTIVE',
    broken: undefined,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  return manager
}

function onKey(keys: ReadonlyMap<string, ManagedKey>, path: string, body: Json): object {
  const [, id = '', rest = ''] = /^\/keys\/([^/]+)\/(.+)$/.exec(path) ?? []
  const key = keys.get(id)
  if (key === undefined) throw new Refused(404)
  const newest = [...key.versions.keys()].at(-1) ?? ''
  if (rest === 'metadata') {
    const keyShape = { algorithm: 'AES', length: key.bits }
    return { keyId: id, currentKeyVersionId: newest, keyShape, state: key.state, keyOps: ['ENCRYPT', 'DECRYPT'] }
  }
  const [, version] = /^keyVersions\/([^/]+)\/metadata$/.exec(rest) ?? []
  if (version !== undefined && key.versions.has(version)) return { keyId: id, keyVersionId: version, state: key.state }
  if (key.state !== 'ENABLED') throw new Refused(403)
  if (rest === 'encrypt') return encrypt(key, String(body.keyVersionId ?? newest), body)
  if (rest === 'decrypt') return decrypt(key, body)
  throw new Refused(404)
}

const bytes = (text: unknown): Buffer => Buffer.from(typeof text === 'string' ? text : '', 'base64')

function encrypt({ versions }: ManagedKey, keyVersionId: string, { plaintext, aad }: Json): object {
  const iv = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', versions.get(keyVersionId) ?? '', iv).setAAD(bytes(aad))
  const ciphertext = Buffer.concat([cipher.update(bytes(plaintext)), cipher.final()]).toString('base64')
  return {
    ciphertext,
    iv: iv.toString('base64'),
    tag: cipher.getAuthTag().toString('base64'),
    mode: 'GCM',
    keyVersionId,
  }
}

function decrypt({ versions }: ManagedKey, { keyVersionId, iv, tag, aad, ciphertext }: Json): object {
  try {
    const decipher = createDecipheriv('aes-256-gcm', versions.get(String(keyVersionId)) ?? '', bytes(iv))
    decipher.setAAD(bytes(aad)).setAuthTag(bytes(tag))
    return { plaintext: Buffer.concat([decipher.update(bytes(ciphertext)), decipher.final()]).toString('base64') }
  } catch {
    throw new Refused(400)
  }
}
