import { verify, type KeyObject } from 'node:crypto'

/** The minimum of a token check: signature, algorithm and the presence of an end. @throws Error */
export function assertToken(issuer: KeyObject, authorization = ''): void {
  const [head = '', claims = '', signature = ''] = authorization.slice('Bearer '.length).split('.')
  const { alg } = JSON.parse(Buffer.from(head, 'base64url').toString())
  const { exp } = JSON.parse(Buffer.from(claims, 'base64url').toString())
  const isGood = verify('sha256', Buffer.from(`${head}.${claims}`), issuer, Buffer.from(signature, 'base64url'))
  if (!isGood || alg !== 'RS256' || exp === undefined) throw new Error('The token is wrong')
}
