import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { ownText } from '../../toolkit/own-text.ts'

/** Content of a session token. The service stores no sessions: the token contains everything and is authenticated. */
export interface Session {
  readonly accessKeyId: string
  readonly account: string
  readonly role: string
  readonly session: string
  /** In milliseconds. */
  readonly expiresAt: number
}

/** Temporary credentials, as AssumeRole returns them. */
export interface SessionCredentials {
  readonly AccessKeyId: string
  readonly SecretAccessKey: string
  readonly SessionToken: string
  readonly Expiration: Date
}

export const TEMPORARY_PREFIX = 'ASIA'

const mac = (secret: Buffer, purpose: string, text: string) =>
  createHmac('sha256', secret).update(`${purpose} ${text}`).digest()

const SESSION = ownText<Session>()

export function issueSession(
  secret: Buffer,
  { account, role, session, expiresAt }: Omit<Session, 'accessKeyId'>,
): SessionCredentials {
  const accessKeyId = TEMPORARY_PREFIX + randomBytes(8).toString('hex').toUpperCase()
  const body = Buffer.from(SESSION.write({ accessKeyId, account, role, session, expiresAt })).toString('base64')
  return {
    AccessKeyId: accessKeyId,
    SecretAccessKey: sessionSecret(secret, accessKeyId),
    SessionToken: `${body}.${mac(secret, 'session token', body).toString('base64')}`,
    Expiration: new Date(expiresAt),
  }
}

export const sessionSecret = (secret: Buffer, accessKeyId: string): string =>
  mac(secret, 'session key', accessKeyId).toString('base64').slice(0, 40)

/** @returns `undefined` for a token of another access key or another issuer; the caller checks the expiry */
export function openSession(secret: Buffer, token: string, accessKeyId: string): Session | undefined {
  const [body = '', signature = ''] = token.split('.')
  const expected = mac(secret, 'session token', body)
  const given = Buffer.from(signature, 'base64')
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined
  const session = SESSION.read(Buffer.from(body, 'base64').toString('utf8'))
  return session.accessKeyId === accessKeyId ? session : undefined
}
