import { createHmac, createSecretKey, hash, type KeyObject } from 'node:crypto'
import { defined } from '../../base/fields.ts'
import type { SdklessEnvironment } from './environment.ts'

const ALGORITHM = 'AWS4-HMAC-SHA256'
const TERMINATOR = 'aws4_request'

export interface Unsigned {
  /** as in the credential scope: `dynamodb`, `kms` */
  readonly service: string
  readonly host: string
  /** the operation, `<prefix>.<Name>` */
  readonly target: string
  readonly contentType: string
  readonly body: string
  readonly epochMs: number
}

/** Through a key object: with the bytes of a key, the runtime needs three times as long. */
const hmac = (key: KeyObject, text: string): Buffer => createHmac('sha256', key).update(text).digest()

interface SigningKey {
  /** credentials and scope of the derived key */
  readonly origin: string
  readonly key: KeyObject
}

/** The last key of each service: it changes with the day and with the credentials. */
const signingKeys = new Map<string, SigningKey>()

function signingKey(secretAccessKey: string, day: string, region: string, service: string): KeyObject {
  const origin = `${secretAccessKey} ${day} ${region}`
  const last = signingKeys.get(service)
  if (last?.origin === origin) return last.key
  const first = createSecretKey(Buffer.from(`AWS4${secretAccessKey}`))
  const key = [day, region, service, TERMINATOR].reduce((of, part) => createSecretKey(hmac(of, part)), first)
  signingKeys.set(service, { origin, key })
  return key
}

/** `20250102T030405Z` */
const stampOf = (epochMs: number): string => new Date(epochMs).toISOString().replace(/[-:]|\.\d+/g, '')

/** The headers of one POST of the JSON protocol to `/`, signed with Signature Version 4. */
export function signedHeaders(
  { service, host, target, contentType, body, epochMs }: Unsigned,
  {
    region,
    credentials: { accessKeyId, secretAccessKey, sessionToken },
  }: Pick<SdklessEnvironment, 'region' | 'credentials'>,
): Record<string, string> {
  const stamp = stampOf(epochMs)
  const day = stamp.slice(0, 8)
  const headers: Record<string, string> = {
    'content-type': contentType,
    host,
    'x-amz-date': stamp,
    ...defined({ 'x-amz-security-token': sessionToken }),
    'x-amz-target': target,
  }
  const names = Object.keys(headers).join(';') // already sorted above
  const lines = Object.entries(headers).map(([name, value]) => `${name}:${value}\n`)
  const canonical = ['POST', '/', '', lines.join(''), names, hash('sha256', body)].join('\n')
  const scope = [day, region, service, TERMINATOR].join('/')
  const key = signingKey(secretAccessKey, day, region, service)
  const signature = hmac(key, [ALGORITHM, stamp, scope, hash('sha256', canonical)].join('\n')).toString('hex')
  return {
    ...headers,
    authorization: `${ALGORITHM} Credential=${accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`,
  }
}
