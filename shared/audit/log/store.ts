import { ALWAYS } from '../../store/due.ts'
import * as z from 'zod'
import { entity, type Stored } from '../../store/entity.ts'
import { object } from '../../base/lazy-fields.ts'

const ONLY = 'log'

/** Progress of the log of a domain. All of it can be derived again from the batches and the heads. */
const AuditLog = object(() => ({
  id: z.literal(ONLY),
  /** time at which its first record was appended */
  since: z.string(),
  /** number of records with a position. The next drain finishes a later batch. */
  size: z.int(),
  /** number of records put on the bus */
  bus: z.int(),
  /** number of signed heads, size of the newest one, and number of heads put on the bus */
  heads: z.int(),
  headed: z.int(),
  told: z.int(),
}))
export type AuditLog = z.infer<typeof AuditLog>

/** Logs with records or heads that are not on the bus, or with records without a head. */
export const GROWN = { due: 'audit-log-grown', spread: true } as const

const isSettled = ({ size, bus, headed, heads, told }: AuditLog): boolean =>
  bus === size && headed === size && told === heads

/** Supported reads: the log of a domain; logs with pending work. */
export const auditLogs = entity({
  name: 'audit-log',
  schema: AuditLog,
  id: ({ id }) => id,
  sets: () => [],
  row: () => ({}),
  // a constant time, so that a growing log writes to the index only once
  due: (log) => (isSettled(log) ? undefined : { what: GROWN.due, spread: GROWN.spread, at: ALWAYS }),
})

/** The log of a domain; `undefined` before its first record. One read. */
export const logOf = (domain: string): Promise<Stored<AuditLog> | undefined> => auditLogs.get(domain, ONLY)

/** A log without records. @param since time at which its first record is appended */
export const newLog = (since: Date): AuditLog => ({
  id: ONLY,
  since: since.toISOString(),
  ...{ size: 0, bus: 0, heads: 0, headed: 0, told: 0 },
})
