import * as z from 'zod'
import { NameOrId, Resource, Time, Uuid } from '../../http/common-fields.ts'
import { anyOf, anyPatterns, anyTexts, flag, listQuery } from '../../http/lists/list-query.ts'
import { extended, object, strictObject } from '../../base/lazy-fields.ts'

/** A stable name over the versions of a local key, which protects that key from deletion. */
export const VirtualKey = extended(Resource, () => ({
  name: z.string().meta({ description: "the source key's" }),
  version: z.int().meta({ description: 'the latest, counted from 0' }),
  deletable: z.boolean(),
  source_key_id: z.string().meta({ description: "id of the source key's version that the latest one is over" }),
  source_key_tier: z.literal('local'),
}))
export type VirtualKey = z.infer<typeof VirtualKey>

export const VirtualKeyPath = z.strictObject({ id: Uuid })
export const CreateVirtualKey = strictObject(() => ({
  source_key_id: NameOrId,
  source_key_tier: z.literal('local').default('local'),
}))
export type CreateVirtualKey = z.infer<typeof CreateVirtualKey>
export const UpdateVirtualKey = strictObject(() => ({ deletable: z.boolean() }))
export type UpdateVirtualKey = z.infer<typeof UpdateVirtualKey>
export const VirtualKeyQuery = listQuery(VirtualKey, () => ({
  ...anyPatterns('name'),
  ...anyTexts('id', 'source_key_id'),
  source_key_tier: anyOf(['local']).optional(),
  deletable: flag().optional(),
}))
export type VirtualKeyQuery = z.infer<typeof VirtualKeyQuery>

/** One version, and the corresponding version of the source key. */
export const VirtualKeyVersion = object(() => ({
  version: z.int(),
  source_key_id: z.string(),
  source_key_version: z.int(),
  createdAt: Time,
}))
export type VirtualKeyVersion = z.infer<typeof VirtualKeyVersion>
export const VirtualKeyVersionQuery = listQuery(VirtualKeyVersion, () => ({}))
export type VirtualKeyVersionQuery = z.infer<typeof VirtualKeyVersionQuery>
