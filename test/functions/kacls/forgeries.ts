import { createPublicKey, type KeyObject } from 'node:crypto'
import { issuerKey, jwkOf, mint, mintWrongly } from '../../support/issuer.ts'

/** A valid token, and the key that its issuer publishes for it. */
export interface Good {
  readonly token: string
  readonly publicKey: KeyObject
}

const partOf = (token: string, at: number): any =>
  JSON.parse(Buffer.from(token.split('.')[at] ?? '', 'base64url').toString())
const headerOf = (token: string): any => partOf(token, 0)
export const claimsOf = (token: string): any => partOf(token, 1)

/** The first key that an issuer publishes. */
export async function publishedKey(keySet: string): Promise<KeyObject> {
  const { keys } = (await (await fetch(keySet)).json()) as { keys: [{ kty: 'RSA' }] }
  return createPublicKey({ key: keys[0], format: 'jwk' })
}

const stranger = issuerKey('first') // the name of the first key of every simulated issuer
const by = ({ token }: Good, header: object = {}): string =>
  mint(stranger, claimsOf(token), { alg: 'RS256', typ: 'JWT', kid: headerOf(token).kid, ...header })

const withHeader = ({ token }: Good, change: object): string => {
  const [, body, signature] = token.split('.')
  const header = Buffer.from(JSON.stringify({ ...headerOf(token), ...change })).toString('base64url')
  return [header, body, signature].join('.')
}

/** Tokens with the claims of a valid one, without a signature or with a wrong one. */
export const FORGERIES: readonly (readonly [string, (good: Good) => string])[] = [
  ['signed by a foreign key under a known name', by],
  ['signed by a key without a name', (good) => by(good, { kid: undefined })],
  ['signed by a key that is not published', (good) => by(good, { kid: 'nobody' })],
  ['that brings its key in jwk', (good) => by(good, { jwk: jwkOf(stranger) })],
  ['that brings its key in jwk, unnamed', (good) => by(good, { kid: undefined, jwk: jwkOf(stranger) })],
  ['that brings an address of its key', (good) => by(good, { jku: 'http://127.0.0.1:9/keys' })],
  ['that brings an address of its certificate', (good) => by(good, { x5u: 'http://127.0.0.1:9/x5u' })],
  ['with critical members', (good) => by(good, { crit: ['exp'] })],
  ['without an algorithm', ({ token }) => mintWrongly(stranger, claimsOf(token), 'none')],
  ['whose algorithm is None', (good) => `${by(good, { alg: 'None' }).split('.', 2).join('.')}.`],
  ['whose algorithm is none, under a good signature', (good) => withHeader(good, { alg: 'none' })],
  [
    'authenticated with the public key as a secret',
    ({ token, publicKey }) => mintWrongly({ ...stranger, publicKey }, claimsOf(token), 'HS256'),
  ],
  ['with another header under a good signature', (good) => withHeader(good, { typ: 'JOSE' })],
  ['without a signature', ({ token }) => `${token.split('.', 2).join('.')}.`],
  ['of two parts', ({ token }) => token.split('.', 2).join('.')],
  ['of four parts', ({ token }) => `${token}.AAAA`],
  ['cut short', ({ token }) => token.slice(0, -8)],
  ['with other claims under its signature', ({ token }) => withClaims(token, { email: 'bob@shop.example.test' })],
  ['with a space before it', ({ token }) => ` ${token}`],
  ['that is no token', () => 'token'],
  ['of empty parts', () => '..'],
  ['whose header is no object', ({ token }) => `W10.${token.split('.').slice(1).join('.')}`],
]

function withClaims(token: string, change: object): string {
  const [header, , signature] = token.split('.')
  const claims = Buffer.from(JSON.stringify({ ...claimsOf(token), ...change })).toString('base64url')
  return [header, claims, signature].join('.')
}
