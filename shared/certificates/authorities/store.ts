import * as z from 'zod'
import { entity } from '../../store/entity.ts'
import { extended } from '../../base/lazy-fields.ts'
import { caRow, LocalCa } from './model.ts'

const StoredLocalCa = extended(LocalCa.omit({ state: true }), () => ({
  /** the version of its local key in its request */
  key_id: z.string(),
  /** the external authority that signed its certificate */
  parent_id: z.string().optional(),
}))
export type StoredLocalCa = z.infer<typeof StoredLocalCa>

/** Kind of the items that name the domain of an authority. */
export const CA_OWNER = 'ca-owner'

/** The set of authorities whose certificates an external authority signed. */
export const signedBy = (parentId: string): string => `signed by ${parentId}`

/**
 * Supported reads: an authority by id; by name; all, also by their subjects; those that an external authority signed.
 */
export const localCas = entity({
  name: 'local-ca',
  schema: StoredLocalCa,
  id: ({ id }) => id,
  unique: ({ name }) => ({ name: [name] }),
  sets: ({ parent_id: parent }) => ['all', ...(parent === undefined ? [] : [signedBy(parent)])],
  row: caRow,
})
export type LocalCaRow = ReturnType<typeof localCas.row>
