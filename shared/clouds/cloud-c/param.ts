import * as z from 'zod'
import { object } from '../../base/lazy-fields.ts'

export const CLOUD_C_PURPOSES = ['ENCRYPT_DECRYPT', 'ASYMMETRIC_SIGN', 'ASYMMETRIC_DECRYPT', 'MAC'] as const
export type CloudCPurpose = (typeof CLOUD_C_PURPOSES)[number]
export const CLOUD_C_PROTECTION_LEVELS = ['SOFTWARE', 'HSM'] as const
export type CloudCProtectionLevel = (typeof CLOUD_C_PROTECTION_LEVELS)[number]

/**
 * Kinds of key that can be created, by purpose; the first of each is the default. The cloud may have others, which are
 * read unchanged.
 */
export const CLOUD_C_ALGORITHMS = {
  ENCRYPT_DECRYPT: ['SYMMETRIC_ENCRYPTION'],
  ASYMMETRIC_SIGN: [
    'EC_SIGN_P256_SHA256',
    'EC_SIGN_P384_SHA384',
    'EC_SIGN_SECP256K1_SHA256',
    'RSA_SIGN_PSS_2048_SHA256',
    'RSA_SIGN_PSS_3072_SHA256',
    'RSA_SIGN_PSS_4096_SHA256',
    'RSA_SIGN_PSS_4096_SHA512',
    'RSA_SIGN_PKCS1_2048_SHA256',
    'RSA_SIGN_PKCS1_3072_SHA256',
    'RSA_SIGN_PKCS1_4096_SHA256',
    'RSA_SIGN_PKCS1_4096_SHA512',
    'RSA_SIGN_RAW_PKCS1_2048',
    'RSA_SIGN_RAW_PKCS1_3072',
    'RSA_SIGN_RAW_PKCS1_4096',
  ],
  ASYMMETRIC_DECRYPT: [
    'RSA_DECRYPT_OAEP_2048_SHA256',
    'RSA_DECRYPT_OAEP_3072_SHA256',
    'RSA_DECRYPT_OAEP_4096_SHA256',
    'RSA_DECRYPT_OAEP_4096_SHA512',
  ],
  MAC: ['HMAC_SHA256', 'HMAC_SHA1', 'HMAC_SHA384', 'HMAC_SHA512'],
} as const satisfies Record<CloudCPurpose, readonly string[]>
export type CloudCAlgorithm = (typeof CLOUD_C_ALGORITHMS)[CloudCPurpose][number]

/** The label that names the saga which created a key; only the service sets it. */
export const KEY_LABEL = 'keymgr_key_id'

/**
 * The cloud's description of a key, in the words of the API. Ours: labels sorted by name; `SYMMETRIC_ENCRYPTION` where
 * the cloud uses a word of its own; members that the cloud omits are absent.
 */
export const CloudCParam = object(() => ({
  name: z.string().meta({ description: 'full resource name' }),
  key_name: z.string(),
  primary: z.string().optional().meta({ description: 'full name of the primary version' }),
  purpose: z.string(),
  create_time: z.string(),
  next_rotation_time: z.string().optional(),
  rotation_period: z.string().optional().meta({ description: 'seconds, such as 7776000s' }),
  version_template: z.object({ protection_level: z.string(), algorithm: z.string() }),
  labels: z.record(z.string(), z.string()),
  import_only: z.boolean(),
  destroy_scheduled_duration: z.string().optional(),
}))
export type CloudCParam = z.infer<typeof CloudCParam>

/** The cloud's description of a version of a key. */
export const CloudCVersionParam = object(() => ({
  name: z.string().meta({ description: 'full resource name' }),
  version: z.string(),
  algorithm: z.string(),
  protection_level: z.string(),
  state: z.string(),
  create_time: z.string(),
  generate_time: z.string().optional(),
  import_time: z.string().optional(),
  import_failure_reason: z.string().optional(),
  destroy_time: z.string().optional().meta({ description: 'when it will be destroyed' }),
  destroy_event_time: z.string().optional().meta({ description: 'when it was' }),
  reimport_eligible: z.boolean(),
}))
export type CloudCVersionParam = z.infer<typeof CloudCVersionParam>
