import { ALWAYS } from '../../store/due.ts'
import * as z from 'zod'
import { entity, type Stored } from '../../store/entity.ts'

const ONLY = 'log'

/** How far the log of a domain is. Everything in it can be had again from the batches and the heads. */
const AuditLog = z.object({
  id: z.literal(ONLY),
  /** when its first record was appended */
  since: z.string(),
  /** records in it, each of which knows its position. A batch beyond is finished by the next drain. */
  size: z.int(),
  /** records handed to the bus */
  bus: z.int(),
  /** signed heads, the size of the newest, and how many of them were handed to the bus */
  heads: z.int(),
  headed: z.int(),
  told: z.int(),
})
export type AuditLog = z.infer<typeof AuditLog>

/** Logs with records or heads that are not on the bus, or with records without a head. */
export const GROWN = { due: 'audit-log-grown', spread: true } as const

const isSettled = ({ size, bus, headed, heads, told }: AuditLog): boolean =>
  bus === size && headed === size && told === heads

/** Reads served: the log of a domain; logs with work to do. */
export const auditLogs = entity({
  name: 'audit-log',
  schema: AuditLog,
  id: ({ id }) => id,
  sets: () => [],
  row: () => ({}),
  // The same time always, so that a growing log writes no more to the index than once.
  due: (log) => (isSettled(log) ? undefined : { what: GROWN.due, spread: GROWN.spread, at: ALWAYS }),
})

/** The log of a domain; `undefined` before its first record. One read. */
export const logOf = (domain: string): Promise<Stored<AuditLog> | undefined> => auditLogs.get(domain, ONLY)

/** A log without records. @param since when its first record is appended */
export const newLog = (since: Date): AuditLog => ({
  id: ONLY,
  since: since.toISOString(),
  ...{ size: 0, bus: 0, heads: 0, headed: 0, told: 0 },
})
