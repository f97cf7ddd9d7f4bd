import * as z from 'zod'
import { Time } from '../../../http/common-fields.ts'
import { TRUST_KIND } from './record.ts'
import { entity } from '../../../store/entity.ts'
import { object } from '../../../base/lazy-fields.ts'

const StoredTrust = object(() => ({
  id: z.string(),
  machine_roots: z.string().optional(),
  machine_intermediates: z.string().optional(),
  processor_roots: z.string().optional(),
  processor_intermediates: z.string().optional(),
  updatedAt: Time.optional(),
}))
export type StoredTrust = z.infer<typeof StoredTrust>

/** The authorities of evidence, one record in the root domain. Supported read: by id. */
export const attestationTrust = entity({
  name: TRUST_KIND,
  schema: StoredTrust,
  id: ({ id }) => id,
  sets: () => [],
  row: () => ({}),
})
