import * as z from 'zod'
import { Time } from '../../../http/common-fields.ts'
import { ALWAYS } from '../../../store/due.ts'
import { entity } from '../../../store/entity.ts'
import { removing, type PurgeStep } from '../../../store/remove-some.ts'
import { LogForwarder, PlainSyslog } from './model.ts'
import { sealingFieldAgain } from '../../../keyring/sealed-kinds.ts'
import { extended, object } from '../../../base/lazy-fields.ts'

/** Targets of records; each is due while it is enabled. */
export const FORWARD = { due: 'forward-log' } as const

const StoredLogForwarder = extended(LogForwarder.omit({ last_error: true, last_sent_at: true }), () => ({
  /** start of the records to send */
  since: Time,
  /** the signature key of a webhook, encrypted with the domain's key */
  sealed: z.string().optional(),
}))
export type StoredLogForwarder = z.infer<typeof StoredLogForwarder>

/** The purpose of a secret's encryption: no other forwarder can use it. */
export const secretPurpose = ({ id }: Pick<StoredLogForwarder, 'id'>): string[] => ['log-forwarder', id, 'secret']

/** Supported reads: a forwarder by id; by name; a domain's forwarders; those of a connection; all that are enabled. */
export const logForwarders = entity({
  name: 'log-forwarder',
  schema: StoredLogForwarder,
  id: ({ id }) => id,
  unique: ({ name }) => ({ name: [name] }),
  sets: () => ['all'],
  families: ({ id, connection_id }) =>
    connection_id === undefined ? [] : [{ name: `connection:${connection_id}`, key: id }],
  row: ({ id, name, type, enabled, createdAt, updatedAt }) => ({ id, name, type, enabled, createdAt, updatedAt }),
  due: ({ enabled }) => (enabled ? { what: FORWARD.due, at: ALWAYS } : undefined),
})

const StoredPlainSyslog = PlainSyslog.omit({ last_error: true, last_sent_at: true })

/** Supported reads: a server by id; a domain's servers; all. */
export const plainSyslogs = entity({
  name: 'plain-syslog',
  schema: StoredPlainSyslog,
  id: ({ id }) => id,
  sets: () => ['all'],
  row: ({ id, host, transport, createdAt, updatedAt }) => ({ id, host, transport, createdAt, updatedAt }),
  due: () => ({ what: FORWARD.due, at: ALWAYS }),
})

/** Supported reads: the single setting, in the root domain. */
export const logRedirections = entity({
  name: 'log-redirection',
  schema: object(() => ({ id: z.literal('redirection'), enabled: z.boolean(), since: Time })),
  id: ({ id }) => id,
  sets: () => [],
  row: () => ({}),
})

const LogCursor = object(() => ({
  target: z.string(),
  /** the domain of the log */
  source: z.string(),
  since: Time,
  /** position of the first undelivered record */
  position: z.int().nonnegative(),
  /** number of failures since the last delivery, and the time of the first */
  failures: z.int().nonnegative(),
  failing_since: Time.optional(),
  retry_at: Time.optional(),
  leaseUntil: Time,
  last_error: z.string().optional(),
  last_sent_at: Time.optional(),
}))
export type LogCursor = z.infer<typeof LogCursor>

export const cursorId = (target: string, source: string): string => `${target}.${source}`

/**
 * Progress of a target in the log of a domain, stored in the target's domain. Supported reads: by target and domain;
 * all of a target.
 */
export const logCursors = entity({
  name: 'log-cursor',
  schema: LogCursor,
  id: ({ target, source }) => cursorId(target, source),
  sets: ({ target }) => ['all', `target:${target}`],
  row: () => ({}),
})

export const sealedLogForwarders = sealingFieldAgain(logForwarders, 'all', secretPurpose)

/** Removes the targets of a deleted domain, then their progress. */
export const FORWARDING_PURGE: readonly PurgeStep[] = [
  removing(logForwarders, 'all'),
  removing(plainSyslogs, 'all'),
  removing(logCursors, 'all'),
]
