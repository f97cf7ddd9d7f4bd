import { createHash, createPrivateKey, type KeyObject } from 'node:crypto'
import { SignJWT } from 'jose'
import * as z from 'zod'
import { BoundedCache } from '../../../base/bounded-cache.ts'
import { ruleBroken } from '../../../base/errors.ts'
import { readJson } from '../../../cloud/adapter/asking.ts'
import { send } from '../../../cloud/adapter/transport.ts'
import { object } from '../../../base/lazy-fields.ts'
import { logInFailureIn } from './errors.ts'
import { audienceOf, instanceAddress, logInAddress } from './hosts.ts'
import type { CrmConnection, Session } from './types.ts'

/** The cloud accepts at most three minutes. */
const ASSERTION_SECONDS = 170
/** Ours: enough for every connection that an instance serves within an hour. */
const SESSIONS_CACHED = 300
/** Ours: callers share a log-in, so the budget of one does not end it. */
const LOG_IN_MS = 10_000

/** A session, and whether another instance has begun it. */
export type Begun = Session & { readonly isOfOthers?: true }

const sessions = new BoundedCache<Promise<Begun>>(SESSIONS_CACHED)

/** A cache key that covers everything a connection consists of, secrets included, without revealing it. */
const digestOf = ({ shared: _, ...connection }: CrmConnection): string =>
  createHash('sha256').update(JSON.stringify(connection)).digest('base64')

function keyOf(pem: string): KeyObject {
  try {
    return createPrivateKey(pem)
  } catch {
    throw ruleBroken('certificate', 'must have a private key that can be read')
  }
}

/** RFC 7523 §2.1. The machine's time, which the cloud compares with its own. */
function assertion({ cloud_name, client_id, username }: CrmConnection, privateKey: string): Promise<string> {
  const now = Math.floor(new Date().getTime() / 1_000)
  return new SignJWT({})
    .setProtectedHeader({ alg: 'RS256' })
    .setIssuer(client_id)
    .setSubject(username)
    .setAudience(audienceOf(cloud_name))
    .setExpirationTime(now + ASSERTION_SECONDS)
    .sign(keyOf(privateKey))
}

async function formOf(connection: CrmConnection): Promise<URLSearchParams> {
  const { client_id, username, credential } = connection
  if ('private_key' in credential)
    return new URLSearchParams({
      grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
      assertion: await assertion(connection, credential.private_key),
    })
  const { client_secret, password } = credential
  return new URLSearchParams({ grant_type: 'password', client_id, client_secret, username, password })
}

const Granted = object(() => ({ access_token: z.string().min(1).max(16_384), instance_url: z.string().max(2_048) }))

/** A new session. @throws TokenRefused, Unreadable; Refusal RULE_BROKEN for a key that cannot be read */
export async function logIn(connection: CrmConnection, budget: AbortSignal): Promise<Session> {
  const url = new URL(`${logInAddress(connection.cloud_name, connection.login_host)}/services/oauth2/token`)
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const body = (await formOf(connection)).toString()
  const reply = await send({ method: 'POST', url, headers, body, answerWithinMs: LOG_IN_MS }, budget)
  const { access_token: token, instance_url } = readJson(reply, Granted, (json) => logInFailureIn(json, reply.status))
  return { token, instance: instanceAddress(instance_url) }
}

/** The session that another instance has begun, or a new one. @param ended a former one, which is not used again */
async function beginSession(connection: CrmConnection, ended: Session | undefined): Promise<Begun> {
  const shared = await connection.shared?.read()
  if (shared !== undefined && shared.token !== ended?.token) return { ...shared, isOfOthers: true }
  const session = await logIn(connection, AbortSignal.timeout(LOG_IN_MS))
  await connection.shared?.keep(session)
  return session
}

/**
 * The session of a connection: one for all callers and instances, until the cloud ends it.
 * @param ended a former one, which is not used again
 */
export function sessionOf(connection: CrmConnection, ended?: Session): Promise<Begun> {
  const name = digestOf(connection)
  const known = sessions.get(name)
  if (known !== undefined) return known
  const session = beginSession(connection, ended)
  sessions.set(name, session)
  session.catch(() => sessions.get(name) === session && sessions.delete(name))
  return session
}

/** Makes the next call log in again, unless another caller has done so already. */
export async function forgetSession(connection: CrmConnection, ended: Session): Promise<void> {
  const name = digestOf(connection)
  const known = sessions.get(name)
  if (known !== undefined && (await known.catch(() => undefined)) === ended && sessions.get(name) === known)
    sessions.delete(name)
}
