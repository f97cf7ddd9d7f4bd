import * as z from 'zod'
import { announceCloud } from '../../cloud/cloud-row.ts'

const KEY_TYPES = ['Data', 'EventBus', 'SearchIndex', 'DeterministicData', 'Analytics'] as const

const rotationParam = () =>
  z.strictObject({
    certificate_id: z.string().min(1).max(255).optional(),
    key_source: z.enum(['native', 'keymgr']).optional(),
    key_derivation_mode: z.enum(['PBKDF2', 'NONE']).optional(),
    key_type: z.array(z.enum(KEY_TYPES)).min(1).max(KEY_TYPES.length).optional(),
    organization_id: z.string().min(1).max(255).optional(),
  })

export const crm = announceCloud({
  name: 'crm',
  containerList: 'organizations',
  rotation: { param: { field: 'crm_param', schema: rotationParam }, byAge: false, byExpiry: true },
})
