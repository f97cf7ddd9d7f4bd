import * as z from 'zod'
import { entity } from '../store/entity.ts'

const IdempotencyRecord = z.object({
  id: z.string(),
  /** the first request's fingerprint and answer, under the domain's key: a body may hold a password */
  sealed: z.string(),
  expiresAt: z.string(),
})
export type IdempotencyRecord = z.infer<typeof IdempotencyRecord>

/** Reads served: the answer kept for one caller's key; answers past their 24 hours. Never listed. */
export const idempotencyRecords = entity({
  name: 'idempotency-record',
  schema: IdempotencyRecord,
  id: ({ id }) => id,
  sets: () => [],
  row: () => ({}),
  due: ({ expiresAt }) => ({ what: 'expire-idempotency-record', at: expiresAt }),
})
