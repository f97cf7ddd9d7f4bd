import * as z from 'zod'
import { namesOf } from '../../base/fields.ts'
import { object } from '../../base/lazy-fields.ts'

/** Kinds of key that can be created, with their lengths in bytes as the cloud counts them. */
export const CLOUD_D_LENGTHS = { AES: [16, 24, 32], RSA: [256, 384, 512], ECDSA: [32, 48, 66] } as const
export type CloudDAlgorithm = keyof typeof CLOUD_D_LENGTHS
export const CLOUD_D_ALGORITHMS = namesOf(CLOUD_D_LENGTHS)

/** The curve of each length. */
export const CLOUD_D_CURVES = { NIST_P256: 32, NIST_P384: 48, NIST_P521: 66 } as const
export type CloudDCurve = keyof typeof CLOUD_D_CURVES
export const CLOUD_D_PROTECTION_MODES = ['HSM', 'SOFTWARE'] as const
export type CloudDProtectionMode = (typeof CLOUD_D_PROTECTION_MODES)[number]

/** The tag whose value identifies the work of this service that created a key. Only the service sets it. */
export const KEY_TAG = 'keymgr_key_id'

/**
 * States that the cloud leaves within moments without a request. Ours: including the one for a move, which the cloud
 * reports as an update.
 */
const MOVING: ReadonlySet<string> = new Set([
  'CREATING',
  'ENABLING',
  'DISABLING',
  'DELETING',
  'UPDATING',
  'CHANGING_COMPARTMENT',
  'SCHEDULING_DELETION',
  'CANCELLING_DELETION',
  'BACKUP_IN_PROGRESS',
  'RESTORING',
])
export const isMoving = (state: string): boolean => MOVING.has(state)

/** States after which a key may be enabled or disabled again. */
const PASSING = ['UPDATING', 'CHANGING_COMPARTMENT', 'CANCELLING_DELETION', 'BACKUP_IN_PROGRESS', 'RESTORING'] as const
const ENABLED = ['ENABLED', 'CREATING', 'ENABLING'] as const
const DISABLED = ['DISABLED', 'DISABLING'] as const
/** States from which an action is possible, including those that lead to such a state: an action waits for the change. */
export const ACTS_FROM = {
  enable: [...DISABLED, ...PASSING],
  disable: [...ENABLED, ...PASSING],
  'schedule-deletion': [...ENABLED, ...DISABLED, ...PASSING],
  'cancel-deletion': ['PENDING_DELETION', 'SCHEDULING_DELETION'],
} as const

export const FreeformTags = z.record(z.string(), z.string())
export const DefinedTags = z.record(z.string(), z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])))
export type FreeformTags = z.infer<typeof FreeformTags>
export type DefinedTags = z.infer<typeof DefinedTags>

/**
 * The cloud's description of a key, with the API's names. Ours: tags are sorted by name, and members that the cloud
 * omits are absent.
 */
export const CloudDParam = object(() => ({
  compartment_id: z.string(),
  current_key_version: z.string().meta({ description: "the cloud's id of the version that encrypts" }),
  display_name: z.string(),
  key_id: z.string().meta({ description: "the cloud's id" }),
  algorithm: z.string(),
  length: z.int().meta({ description: 'bytes: 32 of a key of 256 bits' }),
  curve_id: z.string().optional(),
  lifecycle_state: z.string(),
  time_created: z.string(),
  time_of_deletion: z.string().optional(),
  vault_name: z.string(),
  defined_tags: DefinedTags,
  freeform_tags: FreeformTags,
  protection_mode: z.string(),
  is_primary: z.boolean().meta({ description: 'false of a replica in another region' }),
}))
export type CloudDParam = z.infer<typeof CloudDParam>

/** The cloud's description of a version of a key. */
export const CloudDVersionParam = object(() => ({
  version_id: z.string().meta({ description: "the cloud's id" }),
  lifecycle_state: z.string(),
  origin: z.string().meta({ description: 'INTERNAL: made by the cloud; EXTERNAL: imported' }),
  time_created: z.string(),
  time_of_deletion: z.string().optional(),
}))
export type CloudDVersionParam = z.infer<typeof CloudDVersionParam>
