import * as z from 'zod'
import { entity } from '../../store/entity.ts'
import { extended } from '../../base/lazy-fields.ts'
import { caRow, ExternalCa } from '../authorities/model.ts'

const StoredExternalCa = extended(ExternalCa.omit({ state: true }), () => ({
  /** the external authority that signed it */
  parent_id: z.string().optional(),
}))
export type StoredExternalCa = z.infer<typeof StoredExternalCa>

/** The set of external authorities that another one signed. */
export const childrenOf = (parentId: string): string => `signed by ${parentId}`

/**
 * Supported reads: an authority by id; by name; by its certificate; all, also by their subjects; those that another one
 * signed.
 */
export const externalCas = entity({
  name: 'external-ca',
  schema: StoredExternalCa,
  id: ({ id }) => id,
  unique: ({ name, sha256Fingerprint }) => ({ name: [name], cert: [sha256Fingerprint] }),
  sets: ({ parent_id: parent }) => ['all', ...(parent === undefined ? [] : [childrenOf(parent)])],
  row: caRow,
})
