import * as z from 'zod'
import { Name } from '../../http/common-fields.ts'
import { Meta } from './model.ts'

/** Bodies of calls on keys that are there. */

/** Ours: characters of every key's id. */
const ID_CHARACTERS = 64

/** Body of a clone. Ours: without `meta`, the clone has its source's, but for owner and permissions. */
export const CloneLocalKey = z.strictObject({
  newKeyName: Name,
  meta: Meta.optional(),
  idSize: z
    .literal(ID_CHARACTERS)
    .optional()
    .meta({ description: `characters of the new id: every id has ${ID_CHARACTERS}` }),
  includeMaterial: z.boolean().optional(),
})
export type CloneLocalKey = z.infer<typeof CloneLocalKey>
