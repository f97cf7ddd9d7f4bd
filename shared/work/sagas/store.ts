import * as z from 'zod'
import type { Refusal } from '../../base/errors.ts'
import { LOCAL_KEY_INPUT, LOCAL_KEY_STEP } from '../../base/journal.ts'
import { textsOf } from '../../base/json.ts'
import { Time } from '../../http/common-fields.ts'
import { Initiator } from '../../http/on-behalf.ts'
import { Changes, Stale } from '../../store/changes.ts'
import { entity } from '../../store/entity.ts'
import { guardKey, type Family } from '../../store/layout.ts'
import { isLeased } from '../../store/lease.ts'
import { object } from '../../base/lazy-fields.ts'
import { usedVersion } from '../../vault/keys/used-version.ts'

const StoredSaga = object(() => ({
  id: z.uuid(),
  /** name of its kind, which resumes it */
  kind: z.string(),
  /**
   * `open`: steps are left, or the outcome is not recorded; `undoing`: a step was refused, and the finished steps are
   * being undone; `finished`: completed by the sweeper, and a repeated request gets the outcome; `undone`, `given_up`:
   * ended by a caller, with its results undone or recorded, or left at the cloud.
   */
  state: z.enum(['open', 'undoing', 'finished', 'undone', 'given_up']),
  /** resource that no other work may change meanwhile */
  subject: z.string(),
  /** id of the container in which it works */
  container: z.string().optional(),
  /** keyed fingerprint of its request: a body may contain a secret */
  fingerprint: z.string(),
  /** whether that request carried an `Idempotency-Key` */
  keyed: z.boolean(),
  /** ids and settings, no secrets */
  input: z.record(z.string(), z.unknown()),
  /** results of the finished steps */
  steps: z.record(z.string(), z.unknown()),
  /** tries in the present state, including the current one */
  tries: z.int(),
  /** when its present state began; absent means since its creation */
  since: Time.optional(),
  /** the cloud's refusal of the credentials, while the saga waits for new ones */
  waits: z.string().optional(),
  leaseUntil: Time,
  /** when the sweeper resumes it */
  dueAt: Time,
  summary: z.string(),
  initiator: Initiator,
  traceId: z.string(),
  clientIp: z.string(),
  /** why it is being undone */
  refusal: z.object({ reason: z.string(), message: z.string() }).optional(),
  /** id of the record that it created, once finished */
  answer: z.string().optional(),
  createdAt: Time,
}))
export type StoredSaga = z.infer<typeof StoredSaga>

/** Whether a saga is under way: no other work may change its subject. */
export const isOpen = ({ state }: Pick<StoredSaga, 'state'>): boolean => state === 'open' || state === 'undoing'

/** The family of open sagas that upload material of a version of a local key. */
const uploadsOf = (localKeyId: string): string => `material:${localKeyId}`

/** The local keys whose material a saga uploads: the one that its input names, and the one that it created. */
const localKeysOf = ({ input, steps }: Pick<StoredSaga, 'input' | 'steps'>): readonly string[] =>
  [input[LOCAL_KEY_INPUT], steps[LOCAL_KEY_STEP]].flatMap(textsOf)

/** Number of open sagas that upload material of these versions of local keys. */
export async function openUploadsOf(domain: string, localKeyIds: readonly string[]): Promise<number> {
  const found = await Promise.all(localKeyIds.map((id) => sagas.members(domain, uploadsOf(id))))
  return new Set(found.flat()).size
}

const sagasOf = (container: string): string => `container:${container}`

/**
 * Work of several calls to a cloud, which an interruption must not leave half done. Reads served: a saga by id; by its
 * subject; by its request; the open ones of a container, and of a local key; sagas to resume.
 */
export const sagas = entity({
  name: 'saga',
  schema: StoredSaga,
  id: ({ id }) => id,
  unique: (saga) => ({
    ...(isOpen(saga) && { subject: [saga.subject] }),
    ...((isOpen(saga) || saga.state === 'finished') && { request: [saga.fingerprint] }),
  }),
  sets: () => ['all'],
  families: ({ id, state, container, input, steps }): Family[] => {
    if (!isOpen({ state })) return []
    const uploads = [...new Set(localKeysOf({ input, steps }))].map((localKeyId) => ({
      ...{ name: uploadsOf(localKeyId), key: id },
      uses: usedVersion(localKeyId),
    }))
    return [...(container === undefined ? [] : [{ name: sagasOf(container), key: id }]), ...uploads]
  },
  row: ({ kind, state, initiator }) => ({ kind, state, by: initiator.sub }),
  due: ({ state, dueAt }) => ({ what: isOpen({ state }) ? 'resume-saga' : 'forget-saga', at: dueAt }),
})

/** Stages the condition that no saga has the subject. @param refused the refusal when one does */
export const relyOnNoSaga = (changes: Changes, domain: string, subject: string, refused: () => Refusal): void =>
  changes.plan(
    { check: guardKey(domain, sagas.name, 'subject', subject), condition: 'attribute_not_exists(pk)' },
    refused,
  )

/** Whether the work of a request is unfinished: it waits, or another instance is doing it. */
export async function isUnfinished(domain: string, fingerprint: string): Promise<boolean> {
  const saga = await sagas.find(domain, 'request', fingerprint)
  return saga !== undefined && isOpen(saga.item)
}

/** Number of open sagas in a container. One read. */
export const openSagasIn = async (domain: string, container: string): Promise<number> =>
  (await sagas.members(domain, sagasOf(container))).length

/**
 * Makes the sagas in containers that wait for credentials due now. Sagas under another instance's lease are skipped.
 */
export async function wakeWaiting(domain: string, containers: readonly string[], now: Date): Promise<void> {
  for (const container of containers) {
    const ids = await sagas.members(domain, sagasOf(container))
    for (const stored of await sagas.getMany(domain, ids, 'leave out')) {
      if (stored.item.waits === undefined || isLeased(stored.item, now)) continue
      const changes = new Changes()
      changes.update(sagas, domain, stored, { ...stored.item, dueAt: now.toISOString() })
      await changes.commit(now).catch((error: unknown) => {
        if (!(error instanceof Stale)) throw error // another instance has the lease
      })
    }
  }
}
