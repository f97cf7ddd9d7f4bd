import { createHmac, generateKeyPairSync, sign, type KeyObject } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'

/** A key of an issuer, with its private key. */
export interface IssuerKey {
  readonly kid: string
  readonly privateKey: KeyObject
  readonly publicKey: KeyObject
}

export function issuerKey(kid: string, modulusLength = 2_048): IssuerKey {
  return { kid, ...generateKeyPairSync('rsa', { modulusLength }) }
}

export const jwkOf = ({ kid, publicKey }: IssuerKey): object => ({
  ...publicKey.export({ format: 'jwk' }),
  kid,
  alg: 'RS256',
  use: 'sig',
})

export interface Issuer {
  readonly name: string
  /** address of its published keys */
  readonly keySet: string
  /** number of requests for them */
  readonly fetches: () => number
  /** number of open connections to it */
  readonly connections: () => Promise<number>
  /** Answers requests from now on; default: its keys. */
  answer: (response: ServerResponse) => void
  readonly publish: (...keys: IssuerKey[]) => void
  /** Publishes a key set with these members, of any kind. */
  readonly publishSet: (members: readonly unknown[]) => void
  readonly stop: () => Promise<void>
}

/** Starts an issuer of identity tokens on loopback. It publishes keys, and fails on demand. */
export async function startIssuer(...keys: IssuerKey[]): Promise<Issuer> {
  let fetches = 0
  const server = createServer((_request, response) => {
    fetches += 1
    issuer.answer(response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const publishSet = (published: readonly unknown[]): void => {
    const body = JSON.stringify({ keys: published })
    issuer.answer = (response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'public, max-age=3600' })
      response.end(body)
    }
  }
  const publish = (...published: IssuerKey[]): void => publishSet(published.map(jwkOf))
  const issuer: Issuer = {
    name: 'https://issuer.example.test',
    keySet: `${origin}/certs`,
    fetches: () => fetches,
    connections: () => promisify(server.getConnections.bind(server))(),
    answer: (response) => response.end(),
    publish,
    publishSet,
    stop: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  publish(...keys)
  return issuer
}

const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

/** A JWS, signed by code that is independent of the verification. @param header replaces the default */
export function mint(
  key: IssuerKey,
  claims: object,
  header: object = { alg: 'RS256', typ: 'JWT', kid: key.kid },
): string {
  const signed = `${part(header)}.${part(claims)}`
  return `${signed}.${sign('sha256', Buffer.from(signed), key.privateKey).toString('base64url')}`
}

/** The same, signed with RSA and another hash, or authenticated with a public key as if it were a secret. */
export function mintWrongly(key: IssuerKey, claims: object, alg: 'RS512' | 'HS256' | 'none'): string {
  const signed = `${part({ alg, typ: 'JWT', kid: key.kid })}.${part(claims)}`
  if (alg === 'none') return `${signed}.`
  const signature =
    alg === 'RS512'
      ? sign('sha512', Buffer.from(signed), key.privateKey)
      : createHmac('sha256', key.publicKey.export({ format: 'pem', type: 'spki' }))
          .update(signed)
          .digest()
  return `${signed}.${signature.toString('base64url')}`
}
