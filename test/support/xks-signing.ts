import { createHash, createHmac } from 'node:crypto'

/** Independent of the service's own verification, and tested with the protocol's vectors. */
export interface ToSign {
  readonly method?: string
  readonly path: string
  readonly body: string | Buffer
  readonly host: string
  readonly accessKeyId: string
  readonly secret: string
  readonly region: string
  /** `20250102T030405Z` */
  readonly stamp: string
  readonly service?: string
  /** additional headers to sign, besides host and x-amz-date */
  readonly also?: Readonly<Record<string, string>>
  /** separator between the parts of the header */
  readonly separator?: string
  /** date in the scope, if it differs from the stamp's */
  readonly day?: string
}

const sha256 = (data: string | Buffer): string => createHash('sha256').update(data).digest('hex')
const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest()

export const stampOf = (time: Date): string => time.toISOString().replace(/[-:]|\.\d+/g, '')

export function signingKeyOf(secret: string, day: string, region: string, service = 'kms-xks-proxy'): Buffer {
  return hmac(hmac(hmac(hmac(`AWS4${secret}`, day), region), service), 'aws4_request')
}

/** The headers of a signed request, and the values that they were computed from. */
export function sign(given: ToSign): { headers: Record<string, string>; signature: string; canonicalHash: string } {
  const { method = 'POST', path, body, host, accessKeyId, secret, region, stamp, service = 'kms-xks-proxy' } = given
  const { also = {}, separator = ', ', day = stamp.slice(0, 8) } = given
  const signed: Record<string, string> = { ...also, host, 'x-amz-date': stamp }
  const names = Object.keys(signed).sort()
  const lines = names.map((name) => `${name}:${(signed[name] ?? '').trim().replace(/ +/g, ' ')}\n`).join('')
  const canonicalHash = sha256(`${method}\n${path}\n\n${lines}\n${names.join(';')}\n${sha256(body)}`)
  const scope = `${day}/${region}/${service}/aws4_request`
  const toSign = `AWS4-HMAC-SHA256\n${stamp}\n${scope}\n${canonicalHash}`
  const signature = hmac(signingKeyOf(secret, day, region, service), toSign).toString('hex')
  const parts = [`Credential=${accessKeyId}/${scope}`, `SignedHeaders=${names.join(';')}`, `Signature=${signature}`]
  return {
    headers: { ...also, host, 'x-amz-date': stamp, authorization: `AWS4-HMAC-SHA256 ${parts.join(separator)}` },
    signature,
    canonicalHash,
  }
}
