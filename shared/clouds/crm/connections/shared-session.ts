import * as z from 'zod'
import { Refusal } from '../../../base/errors.ts'
import { errorFields, log } from '../../../base/log.ts'
import { HOUR_MS, later } from '../../../base/time.ts'
import { Time } from '../../../http/common-fields.ts'
import { openFor, sealFor } from '../../../keyring/domain-key.ts'
import { sealingFieldAgain } from '../../../keyring/sealed-kinds.ts'
import { Changes, Stale } from '../../../store/changes.ts'
import { expiring } from '../../../store/due.ts'
import { entity, type Stored } from '../../../store/entity.ts'
import { object } from '../../../base/lazy-fields.ts'
import type { SharedSession } from '../adapter/types.ts'
import type { CrmConnectionRecord } from './model.ts'

const StoredSession = object(() => ({
  /** that of the connection */
  id: z.string(),
  /** revision of the connection with which it was begun */
  rev: z.int(),
  sealed: z.string(),
  expiresAt: Time,
}))
type StoredSession = z.infer<typeof StoredSession>

const DUE = 'expire-crm-session'
/** Ours: the cloud ends idle sessions after this time unless the organization chose another. */
const KEPT_MS = 2 * HOUR_MS

/** Sessions at the cloud, which all instances use. Reads served: the session of a connection by its id; all. */
export const crmSessions = entity({
  name: 'crm-session',
  schema: StoredSession,
  id: ({ id }) => id,
  sets: () => ['all'],
  row: () => ({}),
  due: ({ expiresAt }) => ({ what: DUE, at: expiresAt }),
})
export const sessionExpiry = expiring(DUE, crmSessions)

const purposeOf = ({ id, rev }: Pick<StoredSession, 'id' | 'rev'>): string[] => ['crm-session', id, String(rev)]
export const sealedSessions = sealingFieldAgain(crmSessions, 'all', purposeOf)

const Session = object(() => ({ token: z.string(), instance: z.string() }))

/** A session only saves a log-in, so a failure of the table ends no call. */
async function unlessItFails<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof Refusal) && !(error instanceof Stale)) throw error
    log('warn', 'a session is not shared', errorFields(error))
    return undefined
  }
}

/** The session of a connection, in its present revision, as instances share it. */
export const sharedSessionOf = (domain: string, { item: { id }, rev }: Stored<CrmConnectionRecord>): SharedSession => ({
  read: () =>
    unlessItFails(async () => {
      const stored = await crmSessions.get(domain, id)
      if (stored?.item.rev !== rev) return undefined
      return Session.parse(JSON.parse((await openFor(domain, purposeOf(stored.item), stored.item.sealed)).toString()))
    }),
  keep: async (session) => {
    await unlessItFails(async () => {
      const now = new Date()
      const sealed = await sealFor(domain, purposeOf({ id, rev }), Buffer.from(JSON.stringify(session)))
      const item: StoredSession = { id, rev, sealed, expiresAt: later(now, KEPT_MS).toISOString() }
      const before = await crmSessions.get(domain, id)
      const changes = new Changes()
      if (before === undefined) changes.create(crmSessions, domain, item, () => new Stale('Another is kept already'))
      else changes.update(crmSessions, domain, before, item)
      await changes.commit(now)
    })
  },
})
