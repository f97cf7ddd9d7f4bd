import { createPrivateKey, hash, sign } from 'node:crypto'
import { certificatesOf } from '../../../crypto/x509/client-certificate.ts'

/** The signer: a certificate, optionally followed by its chain, and its key. All PEM. */
export interface CertificateHolder {
  readonly certificate: string
  /** PKCS #8 */
  readonly private_key: string
}

/** A POST of JSON, to be signed. */
export interface PostOfJson {
  /** with the port, if the address has one */
  readonly host: string
  /** without a query, and with characters that need no encoding only */
  readonly path: string
  readonly body: string
  readonly region: string
  readonly at: Date
}

const SERVICE = 'rolesanywhere'
const TERMINATOR = 'aws4_request'
const ALGORITHMS = { rsa: 'AWS4-X509-RSA-SHA256', ec: 'AWS4-X509-ECDSA-SHA256' } as const

/**
 * The headers of a request signed with the key of a certificate. As Signature Version 4, except for the key, the
 * certificate's serial number instead of an access key id, and the certificates as headers. The hash is always SHA-256,
 * whatever the key size.
 * @throws Error, a fault, for a certificate or key that cannot be parsed
 * @see the cloud's user guide of roles for certificates, "signing process"
 */
export function signedByCertificate(
  { host, path, body, region, at }: PostOfJson,
  { certificate, private_key }: CertificateHolder,
): Record<string, string> {
  const [leaf, ...chain] = certificatesOf(certificate)
  if (leaf === undefined) throw new Error('There is no certificate to sign with.')
  const key = createPrivateKey(private_key)
  const algorithm = ALGORITHMS[key.asymmetricKeyType === 'rsa' ? 'rsa' : 'ec']
  const stamp = at.toISOString().replace(/[-:]|\.\d+/g, '')
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    host,
    'x-amz-date': stamp,
    'x-amz-x509': leaf.raw.toString('base64'),
    ...(chain.length > 0 && { 'x-amz-x509-chain': chain.map(({ raw }) => raw.toString('base64')).join(',') }),
  }
  const names = Object.keys(headers).join(';') // already sorted above
  const lines = Object.entries(headers).map(([name, value]) => `${name}:${value}\n`)
  const canonical = ['POST', path, '', lines.join(''), names, hash('sha256', body)].join('\n')
  const scope = [stamp.slice(0, 8), region, SERVICE, TERMINATOR].join('/')
  const toSign = [algorithm, stamp, scope, hash('sha256', canonical)].join('\n')
  const signature = sign('sha256', Buffer.from(toSign), key).toString('hex') // RSA as PKCS #1, ECDSA as DER
  const serial = BigInt(`0x${leaf.serialNumber}`).toString()
  return {
    ...headers,
    authorization: `${algorithm} Credential=${serial}/${scope}, SignedHeaders=${names}, Signature=${signature}`,
  }
}
