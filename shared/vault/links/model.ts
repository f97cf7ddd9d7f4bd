import * as z from 'zod'
import { NameOrId, Resource } from '../../http/common-fields.ts'
import { anyOf, anyTexts, listQuery } from '../../http/lists/list-query.ts'
import { extended, strictObject } from '../../base/lazy-fields.ts'
import { LINK_TYPES } from '../keys/model.ts'

const Type = z.enum(LINK_TYPES)

/** A link from one version of a key to another, which the record of the first shows. */
export const KeyLink = extended(Resource, () => ({
  type: Type.meta({ description: 'relation of the target to the source' }),
  source: z.string().meta({ description: 'id of a version' }),
  target: z.string().meta({ description: 'id of a version' }),
}))
export type KeyLink = z.infer<typeof KeyLink>

/** A name means the latest version. */
export const CreateKeyLink = z.strictObject({ type: Type, source: NameOrId, target: NameOrId })
export type CreateKeyLink = z.infer<typeof CreateKeyLink>

/** Ours: the two keys of a link cannot change. */
export const UpdateKeyLink = strictObject(() => ({ type: Type.optional() }))
export type UpdateKeyLink = z.infer<typeof UpdateKeyLink>

export const KeyLinkQuery = listQuery(KeyLink, () => ({
  ...anyTexts('id', 'source', 'target'),
  type: anyOf(LINK_TYPES).optional(),
}))
export type KeyLinkQuery = z.infer<typeof KeyLinkQuery>
