import * as z from 'zod'
import { isGiven } from '../../../base/json.ts'
import { NameOrId, Time } from '../../../http/common-fields.ts'
import { listQuery } from '../../../http/lists/list-query.ts'
import { withRules } from '../../../http/rules.ts'
import { object, strictObject } from '../../../base/lazy-fields.ts'
import { expiry } from './bodies.ts'

export const ImportMaterial = withRules(
  strictObject(() => ({
    source_key_identifier: NameOrId.optional(),
    source_key_tier: z.literal('local').default('local'),
    key_expiration: z.boolean().optional(),
    valid_to: Time.optional(),
    import_type: z.enum(['NEW_KEY_MATERIAL', 'EXISTING_KEY_MATERIAL']).optional(),
    key_material_description: z.string().min(1).max(256).optional(),
    key_material_id: z
      .string()
      .regex(/^[0-9a-f]{64}$/, { error: 'must be 64 hex characters' })
      .optional(),
  })),
  expiry,
  {
    message: 'key_material_id names material that was there: it does not go with NEW_KEY_MATERIAL',
    field: 'key_material_id',
    broken: ({ import_type, key_material_id }) => import_type === 'NEW_KEY_MATERIAL' && isGiven(key_material_id),
  },
)
export type ImportMaterial = z.infer<typeof ImportMaterial>

export const DeleteMaterial = strictObject(() => ({
  key_material_id: z
    .string()
    .regex(/^[0-9a-f]{64}$/, { error: 'must be 64 hex characters' })
    .optional(),
}))

export const RotateMaterial = withRules(
  strictObject(() => ({
    source_key_identifier: NameOrId.optional(),
    key_expiration: z.boolean().optional(),
    valid_to: Time.optional(),
  })),
  expiry,
)
export type RotateMaterial = z.infer<typeof RotateMaterial>

export const MaterialRotationStatus = object(() => ({
  overall_status: z.enum(['in_progress', 'success', 'failed']),
  error_details: z.string().optional(),
}))
export type MaterialRotationStatus = z.infer<typeof MaterialRotationStatus>

/** One generation of a key's material. */
export const MaterialGeneration = object(() => ({
  KeyMaterialId: z.string().optional(),
  KeyMaterialState: z.string().optional(),
  KeyMaterialDescription: z.string().optional(),
  ImportState: z.string().optional(),
  RotationType: z.string().optional(),
  RotationDate: z.string().optional(),
  ExpirationModel: z.string().optional(),
  ValidTo: z.string().optional(),
  source_key_identifier: z.string().optional(),
  source_key_name: z.string().optional(),
}))
export type MaterialGeneration = z.infer<typeof MaterialGeneration>

/** Generations are in the cloud's order; the date of their rotation is the only one they have. */
export const MaterialQuery = listQuery(MaterialGeneration, () => ({}))
export type MaterialQuery = z.infer<typeof MaterialQuery>
