import * as z from 'zod'
import { strictObject } from '../../base/lazy-fields.ts'

/** `cloud_a_param` of a rotation configuration. */
export const RotationParam = strictObject(() => ({
  retain_alias: z.boolean().optional(),
  rotate_material: z
    .boolean()
    .optional()
    .meta({ description: 'rotate inside the same cloud key instead of making a new one' }),
}))
export type RotationParam = z.infer<typeof RotationParam>
