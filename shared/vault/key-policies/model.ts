import * as z from 'zod'
import { FreeText, Name, Resource } from '../../http/common-fields.ts'
import { extended, strictObject } from '../../base/lazy-fields.ts'
import { CreateLocalKey } from '../keys/model.ts'

const { algorithm, size, curveid, usageMask, unexportable, undeletable, rotationFrequencyDays } = CreateLocalKey.shape

/** Fields of a new key for which a policy can have a default. */
const Defaults = z.strictObject({
  algorithm,
  size,
  curveid,
  usageMask,
  unexportable,
  undeletable,
  rotationFrequencyDays,
})

/** An absent list allows every value. */
const allowed = {
  algorithms: z.array(z.string().min(1).max(32)).min(1).max(20).optional(),
  sizes: z
    .array(z.int().positive())
    .min(1)
    .max(50)
    .optional()
    .meta({ description: 'in bits; of an ec key the size of its curve, of an xts key that of one half' }),
  curveids: z.array(z.string().min(1).max(64)).min(1).max(50).optional().meta({ description: 'for ec keys only' }),
  usageMask: usageMask.meta({ description: 'the usage bits that a key may have' }),
}

/**
 * Rules for new keys. Ours: the enabled policies of a domain apply to all its keys, when they are created, imported,
 * cloned or get a new version or another usageMask: one of the policies has to allow the key. Without an enabled
 * policy, all are allowed. Existing keys stay as they are; certificates and opaque bytes are not keys.
 */
export const KeyPolicy = extended(Resource, () => ({
  name: z.string(),
  description: z.string().optional(),
  enabled: z.boolean(),
  ...allowed,
  defaults: Defaults.optional().meta({
    description:
      'for fields that neither the body nor its template contains; from the oldest enabled policy with defaults for the algorithm',
  }),
}))
export type KeyPolicy = z.infer<typeof KeyPolicy>

export const CreateKeyPolicy = strictObject(() => ({
  name: Name,
  description: FreeText.optional(),
  enabled: z.boolean().default(true),
  ...allowed,
  defaults: Defaults.optional(),
}))
export type CreateKeyPolicy = z.infer<typeof CreateKeyPolicy>

/** `null` removes a list or the defaults. */
export const UpdateKeyPolicy = strictObject(() => ({
  name: Name.optional(),
  description: FreeText.nullable().optional(),
  enabled: z.boolean().optional(),
  algorithms: allowed.algorithms.nullable(),
  sizes: allowed.sizes.nullable(),
  curveids: allowed.curveids.nullable(),
  usageMask: allowed.usageMask.nullable(),
  defaults: Defaults.nullable().optional(),
}))
export type UpdateKeyPolicy = z.infer<typeof UpdateKeyPolicy>
