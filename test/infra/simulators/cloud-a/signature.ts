import { createHash, createHmac } from 'node:crypto'

export const sha256 = (bytes: string | Uint8Array): string => createHash('sha256').update(bytes).digest('hex')
const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest()

/**
 * A signature of version 4 with node:crypto only, so that the simulator is not tested against itself.
 * @param headers the signed ones, by lower-case name, in order
 */
export function signatureOf(
  { path, headers, body }: { path: string; headers: Readonly<Record<string, string>>; body: string | Uint8Array },
  { region, service, secret }: { region: string; service: string; secret: string },
): string {
  const stamp = headers['x-amz-date'] ?? ''
  const parts = [stamp.slice(0, 8), region, service, 'aws4_request']
  const lines = Object.entries(headers).map(([name, value]) => `${name}:${value}\n`)
  const names = Object.keys(headers).join(';')
  const canonical = ['POST', path, '', lines.join(''), names, sha256(body)].join('\n')
  const toSign = ['AWS4-HMAC-SHA256', stamp, parts.join('/'), sha256(canonical)].join('\n')
  const key = parts.reduce<string | Buffer>(hmac, `AWS4${secret}`)
  return hmac(key, toSign).toString('hex')
}
