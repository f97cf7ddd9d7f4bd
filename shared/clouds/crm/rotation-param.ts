import * as z from 'zod'
import { strictObject } from '../../base/lazy-fields.ts'
import { CRM_KEY_TYPES, KEY_DERIVATION_MODES } from './param.ts'

/** Parameters of a rotation job: which secrets of an organization get successors, and the source of their material. */
export const RotationParam = strictObject(() => ({
  certificate_id: z.string().min(1).max(255).optional(),
  key_source: z.enum(['native', 'keymgr']).optional(),
  key_derivation_mode: z.enum(KEY_DERIVATION_MODES).optional(),
  key_type: z.array(z.enum(CRM_KEY_TYPES)).min(1).max(CRM_KEY_TYPES.length).optional(),
  organization_id: z.string().min(1).max(255).optional(),
}))
export type RotationParam = z.infer<typeof RotationParam>
