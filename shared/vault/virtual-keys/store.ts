import * as z from 'zod'
import { VirtualKey } from './model.ts'
import { entity } from '../../store/entity.ts'
import { extended } from '../../base/lazy-fields.ts'

const StoredVirtualKey = extended(VirtualKey, () => ({
  /** the version of the source key that version 0 corresponds to */
  first_source_version: z.int(),
}))
export type StoredVirtualKey = z.infer<typeof StoredVirtualKey>

/** Reads served: a virtual key by id; by the name of its local key; all of them. */
export const virtualKeys = entity({
  name: 'virtual-key',
  schema: StoredVirtualKey,
  id: ({ id }) => id,
  unique: ({ name }) => ({ source: [name] }),
  sets: () => ['all'],
  row: ({ id, name, deletable, source_key_id, source_key_tier, createdAt, updatedAt }) => ({
    id,
    name,
    deletable,
    source_key_id,
    source_key_tier,
    createdAt,
    updatedAt,
  }),
})
