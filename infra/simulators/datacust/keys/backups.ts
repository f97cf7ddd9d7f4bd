import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { ownText } from '../../toolkit/own-text.ts'
import { groupWithId } from '../groups/operations.ts'
import type { HeldKey } from '../state/held.ts'
import { bytesAt, requireOnly } from '../wire/body.ts'
import type { Call, Reply } from '../wire/call.ts'
import { conflict, invalid } from '../wire/errors.ts'
import { describeKey } from './describe.ts'
import { readyKey } from './found.ts'

/* Ours: the real calls for backups are not public. A backup is a text that only its tenant can restore. */

const CIPHER = 'aes-256-gcm'
const [KEY_BYTES, IV_BYTES, TAG_BYTES] = [32, 12, 16]
const RESTORE_MS = 2_000
const BYTES = 'base64:'

const backupKey = ({ state, caller }: Call): Buffer =>
  state.secret(`backups of ${caller.tenant.id}`, () => randomBytes(KEY_BYTES))

const serialized = (key: HeldKey): string =>
  JSON.stringify({
    ...key,
    versions: key.versions.map((each) => ({ ...each, bytes: each.bytes && BYTES + each.bytes.toString('base64') })),
  })

/** POST backup: an opaque text. @throws ApiError */
export async function backUp(call: Call): Promise<Reply> {
  const { key, group } = readyKey(call)
  requireOnly(call.body, [])
  if (['AWS', 'CUSTOMER_HELD'].includes(group.provider)) throw conflict('Keys of this provider have no backup.')
  for (const version of key.versions) await call.state.bytesOf(key, version)
  const iv = randomBytes(IV_BYTES)
  const cipher = createCipheriv(CIPHER, backupKey(call), iv)
  const blob = Buffer.concat([iv, cipher.update(serialized(key)), cipher.final(), cipher.getAuthTag()])
  return { body: { backup: blob.toString('base64') } }
}

const revived = (_name: string, value: unknown): unknown =>
  typeof value === 'string' && value.startsWith(BYTES) ? Buffer.from(value.slice(BYTES.length), 'base64') : value

/** The key of a backup. @throws ApiError 400 */
function keyIn(call: Call, blob: Buffer): HeldKey {
  const tagAt = blob.length - TAG_BYTES
  const iv = blob.subarray(0, IV_BYTES)
  try {
    const decipher = createDecipheriv(CIPHER, backupKey(call), iv).setAuthTag(blob.subarray(tagAt))
    const text = Buffer.concat([decipher.update(blob.subarray(IV_BYTES, tagAt)), decipher.final()]).toString('utf8')
    return ownText<HeldKey>().read(text, revived) // as `serialized` wrote it
  } catch {
    throw invalid('The backup cannot be read.')
  }
}

/** POST restore: the key exists again under its id, and is ready after a while. @throws ApiError */
export function restore(call: Call): Reply {
  requireOnly(call.body, ['backup'])
  const key = keyIn(call, bytesAt(call.body, 'backup'))
  const group = groupWithId(call, key.groupId)
  const now = call.state.now()
  if (call.state.key(key.id) !== undefined) throw conflict('The key exists.')
  Object.assign(key, { restoringUntil: now + RESTORE_MS, changedAt: now })
  call.state.saveKeys([key])
  return { status: 201, body: describeKey(key, now, group.provider) }
}
