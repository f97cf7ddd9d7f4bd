import { createHash } from 'node:crypto'
import { Refusal } from '../../base/errors.ts'
import { ownText } from '../../base/json.ts'
import { openFor, sealFor } from '../../keyring/domain-key.ts'
import { requestName } from '../../keyring/request-key.ts'
import { idempotencyRecords, type IdempotencyRecord } from './idempotency-record.ts'
import type { Changes } from '../../store/changes.ts'
import type { Stored } from '../../store/entity.ts'
import { DAY_MS, later } from '../../base/time.ts'
import { isWrite, type Reply, type Route } from '../operation.ts'
import type { Call, HttpEvent } from './call.ts'

const KEY = /^[\x21-\x7e]{1,128}$/
/** Ours: larger answers are not stored, since an item is limited to 400 KB. */
const KEPT_BYTES = 200_000
const PURPOSE = 'idempotency'

/** The state of an `Idempotency-Key`: the location of its first answer, and that answer if it exists. */
export interface Repetition {
  readonly id: string
  /** distinguishes requests that use the same key */
  readonly fingerprint: string
  readonly answer: Reply | undefined
  readonly expired: Stored<IdempotencyRecord> | undefined
}

const hash = (...parts: string[]): string => {
  const digest = createHash('sha256')
  for (const part of parts) digest.update(`${Buffer.byteLength(part)}:`).update(part)
  return digest.digest('hex')
}

/** Identifies a request by caller, address, body and `Idempotency-Key`, without revealing them. */
export function fingerprintOf({ call, headers, requestContext, rawPath, rawQueryString, body }: HttpEvent) {
  const { caller, now } = call
  const key = headers['idempotency-key'] ?? ''
  const digest = hash(caller.sub, key, requestContext.http.method, rawPath, rawQueryString, body ?? '')
  return requestName(caller.domain.id, digest, now)
}

/** The first request with a key, and its answer. */
const FIRST = ownText<{ fingerprint: string; reply: Reply }>()

/**
 * The first answer to this key within 24 hours, for creating and acting POSTs.
 * @returns undefined when the request carries no key or its answer is never stored
 * @throws Refusal RULE_BROKEN when the key was used for another request
 */
export async function repetitionOf(route: Route, event: HttpEvent): Promise<Repetition | undefined> {
  const key = event.headers['idempotency-key']
  if (key === undefined || route.method !== 'POST' || !isWrite(route) || route.operation.declaration.once !== undefined)
    return undefined
  const { caller, now } = event.call
  if (!KEY.test(key))
    throw new Refusal('QUERY_INVALID', 'Idempotency-Key must have 1 to 128 printable characters.', {
      errors: [{ parameter: 'Idempotency-Key', detail: 'must have 1 to 128 printable characters' }],
    })
  const id = hash(caller.sub, key)
  const fingerprint = hash(route.path, event.rawPath, event.rawQueryString, event.body ?? '')
  const kept = await idempotencyRecords.get(caller.domain.id, id)
  if (kept === undefined) return { id, fingerprint, answer: undefined, expired: undefined }
  if (Date.parse(kept.item.expiresAt) <= now.getTime()) return { id, fingerprint, answer: undefined, expired: kept }
  const bytes = await openFor(caller.domain.id, [PURPOSE, id], kept.item.sealed)
  const first = FIRST.read(bytes.toString('utf8'))
  if (first.fingerprint !== fingerprint)
    throw new Refusal('RULE_BROKEN', 'This Idempotency-Key was used for another request.', {
      errors: [{ parameter: 'Idempotency-Key', detail: 'was used for another request' }],
    })
  return { id, fingerprint, answer: first.reply, expired: undefined }
}

/** Stores the encrypted answer in the same transaction as the changes. */
export async function keepAnswer(
  changes: Changes,
  { caller, now }: Call,
  repetition: Repetition,
  reply: Reply,
): Promise<void> {
  const bytes = Buffer.from(FIRST.write({ fingerprint: repetition.fingerprint, reply }))
  if (bytes.length > KEPT_BYTES) return
  const record: IdempotencyRecord = {
    id: repetition.id,
    sealed: await sealFor(caller.domain.id, [PURPOSE, repetition.id], bytes),
    expiresAt: later(now, DAY_MS).toISOString(),
  }
  if (repetition.expired) changes.update(idempotencyRecords, caller.domain.id, repetition.expired, record)
  else changes.create(idempotencyRecords, caller.domain.id, record)
}
