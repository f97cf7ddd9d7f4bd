import * as z from 'zod'
import type { Refusal } from '../../base/errors.ts'
import { Time } from '../../http/common-fields.ts'
import { Initiator } from '../../http/on-behalf.ts'
import { Changes, Stale } from '../../store/changes.ts'
import { entity } from '../../store/entity.ts'
import { guardKey, type Family } from '../../store/layout.ts'
import { isLeased } from '../../store/lease.ts'

const StoredSaga = z.object({
  id: z.uuid(),
  /** names the row of sagas that resumes it */
  kind: z.string(),
  /**
   * `open`: steps are left, or their outcome is not recorded; `undoing`: the rest was refused, the finished steps are
   * undone; `finished`: done without its request, whose repetition is answered with the outcome; `undone`, `given_up`: ended
   * by a caller, with its results reversed or on record, or left at the cloud.
   */
  state: z.enum(['open', 'undoing', 'finished', 'undone', 'given_up']),
  /** resource that no other work may change meanwhile */
  subject: z.string(),
  /** id of the container it is done in */
  container: z.string().optional(),
  /** of the request that asked for it, keyed: a body may hold a secret */
  fingerprint: z.string(),
  /** whether that request carried an `Idempotency-Key` */
  keyed: z.boolean(),
  /** ids and settings, no secrets */
  input: z.record(z.string(), z.unknown()),
  /** results of the steps that are done */
  steps: z.record(z.string(), z.unknown()),
  /** tries in its state, with the present one */
  tries: z.int(),
  /** when its state began; when it was created without it */
  since: Time.optional(),
  /** the cloud's refusal of the credentials, while it waits for them */
  waits: z.string().optional(),
  leaseUntil: Time,
  /** when the sweeper takes it up */
  dueAt: Time,
  summary: z.string(),
  initiator: Initiator,
  traceId: z.string(),
  clientIp: z.string(),
  /** why it is being undone */
  refusal: z.object({ reason: z.string(), message: z.string() }).optional(),
  /** id of the record it made, once finished */
  answer: z.string().optional(),
  createdAt: Time,
})
export type StoredSaga = z.infer<typeof StoredSaga>

/** Whether a saga is under way: no other work may have its subject. */
export const isOpen = ({ state }: Pick<StoredSaga, 'state'>): boolean => state === 'open' || state === 'undoing'

const sagasOf = (container: string): string => `container:${container}`

/**
 * Work of several calls to a cloud, which a stop must not leave half done. Reads served: one by id; the
 * one that has a subject; the one of a request; those to resume.
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
  families: ({ id, state, container }): Family[] =>
    container === undefined || !isOpen({ state }) ? [] : [{ name: sagasOf(container), key: id }],
  row: ({ kind, state, initiator }) => ({ kind, state, by: initiator.sub }),
  due: ({ state, dueAt }) => ({ what: isOpen({ state }) ? 'resume-saga' : 'forget-saga', at: dueAt }),
})

/** Stages that no saga has a subject at that moment. @param refused the refusal when one does */
export const relyOnNoSaga = (changes: Changes, domain: string, subject: string, refused: () => Refusal): void =>
  changes.plan(
    { check: guardKey(domain, sagas.name, 'subject', subject), condition: 'attribute_not_exists(pk)' },
    refused,
  )

/** Whether the work of a request is unfinished: it waits, or another instance does it. */
export async function isUnfinished(domain: string, fingerprint: string): Promise<boolean> {
  const saga = await sagas.find(domain, 'request', fingerprint)
  return saga !== undefined && isOpen(saga.item)
}

/** How many sagas are under way in a container. One read. */
export const openSagasIn = async (domain: string, container: string): Promise<number> =>
  (await sagas.members(domain, sagasOf(container))).length

/** Makes the work in containers that waits for credentials due now. Work that an instance has a lease of is left to it. */
export async function wakeWaiting(domain: string, containers: readonly string[], now: Date): Promise<void> {
  for (const container of containers) {
    const ids = await sagas.members(domain, sagasOf(container))
    for (const stored of await sagas.getMany(domain, ids)) {
      if (stored.item.waits === undefined || isLeased(stored.item, now)) continue
      const changes = new Changes()
      changes.update(sagas, domain, stored, { ...stored.item, dueAt: now.toISOString() })
      await changes.commit(now).catch((error: unknown) => {
        if (!(error instanceof Stale)) throw error // another instance has it
      })
    }
  }
}
