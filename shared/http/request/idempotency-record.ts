import * as z from 'zod'
import { entity } from '../../store/entity.ts'
import { object } from '../../base/lazy-fields.ts'

const IdempotencyRecord = object(() => ({
  id: z.string(),
  /**
   * fingerprint and answer of the first request, encrypted with the domain's key because a body may contain a password
   */
  sealed: z.string(),
  expiresAt: z.string(),
}))
export type IdempotencyRecord = z.infer<typeof IdempotencyRecord>

/** Supported reads: the answer stored for a caller's key; answers older than 24 hours. Never listed. */
export const idempotencyRecords = entity({
  name: 'idempotency-record',
  schema: IdempotencyRecord,
  id: ({ id }) => id,
  sets: () => [],
  row: () => ({}),
  due: ({ expiresAt }) => ({ what: 'expire-idempotency-record', at: expiresAt }),
})
