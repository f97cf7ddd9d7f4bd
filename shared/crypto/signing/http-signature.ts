import { createHash, createPrivateKey, createPublicKey, hash, sign } from 'node:crypto'
import type { KeyObject } from 'node:crypto'

/** A request as it is sent. */
export interface SignedRequest {
  readonly method: string
  /** with the query exactly as sent */
  readonly url: URL
  /** absent for methods without a body; an empty text is a body */
  readonly body?: string | undefined
  readonly at: Date
}

/** The names that are signed of every request, and of one with a body besides. */
const OF_ALL = ['x-date', '(request-target)', 'host'] as const
const OF_BODY = ['content-type', 'content-length', 'x-content-sha256'] as const

/** RSA keys with which requests are signed: shorter ones are no longer accepted anywhere. */
const LEAST_BITS = 2048

/**
 * The private key of a PEM text.
 * @param passPhrase of a protected text
 * @returns `undefined` for a text that cannot be read, and for a key that is not RSA or is too short
 */
export function signingKeyOf(pem: string, passPhrase?: string): KeyObject | undefined {
  let key: KeyObject
  try {
    key = createPrivateKey(passPhrase === undefined ? pem : { key: pem, passphrase: passPhrase })
  } catch {
    return undefined
  }
  const bits = key.asymmetricKeyDetails?.modulusLength ?? 0
  return key.asymmetricKeyType === 'rsa' && bits >= LEAST_BITS ? key : undefined
}

/** MD5 of the SubjectPublicKeyInfo, in colon-separated hexadecimal: it names the key, and proves nothing. */
export const fingerprintOf = (key: KeyObject): string =>
  createHash('md5')
    .update(createPublicKey(key).export({ format: 'der', type: 'spki' }))
    .digest('hex')
    .replace(/..(?=.)/g, '$&:')

/**
 * The headers of a request that an RSA key signs (`rsa-sha256`, PKCS #1 v1.5).
 * @returns all headers that are signed but `host`, which the client sends, and `authorization`
 * @see draft-cavage-http-signatures-08
 */
export function signedHeaders(request: SignedRequest, keyId: string, key: KeyObject): Record<string, string> {
  const { method, url, body, at } = request
  const sent: Record<string, string> = {
    'x-date': at.toUTCString(),
    ...(body !== undefined && {
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(body)),
      'x-content-sha256': hash('sha256', body, 'base64'),
    }),
  }
  const values: Readonly<Record<string, string>> = {
    ...sent,
    '(request-target)': `${method.toLowerCase()} ${url.pathname}${url.search}`,
    host: url.host,
  }
  const names = [...OF_ALL, ...(body === undefined ? [] : OF_BODY)]
  const lines = names.map((name) => `${name}: ${values[name] ?? ''}`).join('\n')
  const signature = sign('sha256', Buffer.from(lines), key).toString('base64')
  const fields = { version: '1', keyId, algorithm: 'rsa-sha256', headers: names.join(' '), signature }
  const text = Object.entries(fields).map(([name, value]) => `${name}="${value}"`)
  return { ...sent, authorization: `Signature ${text.join(',')}` }
}
