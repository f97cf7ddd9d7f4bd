import * as z from 'zod'
import { entity } from './entity.ts'

const IdempotencyRecord = z.object({
  id: z.string(),
  fingerprint: z.string(),
  /** the first answer, under the domain's key */
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
