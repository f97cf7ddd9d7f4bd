import * as z from 'zod'
import { FreeText, Name, NameOrId, Time } from '../../http/common-fields.ts'
import { rulesOf, withRules } from '../../http/rules.ts'
import { object, strictObject } from '../../base/lazy-fields.ts'
import { AlternativeId, IdSize } from './record/alternative-ids.ts'
import { DATE_RULES, HexIv, LocalKey, LocalKeyWithMaterial, Meta, MetaChange, UsageMask } from './model.ts'
import { ExportLocalKey } from './material/wrapping-fields.ts'

/** Bodies of calls on existing keys. */

const AliasChange = z.union([
  strictObject(() => ({ alias: Name, type: z.enum(['string', 'uri']).optional(), index: z.int().min(0).optional() })),
  strictObject(() => ({ index: z.int().min(0) })),
])

/** Body of an update: only the given fields change, `null` removes a value. */
export const UpdateLocalKey = withRules(
  strictObject(() => ({
    aliases: z.array(AliasChange).max(20).optional(),
    labels: z.record(z.string().min(1).max(63), z.string().max(255).nullable()).optional(),
    meta: MetaChange.nullable().optional(),
    usageMask: UsageMask.optional(),
    unexportable: z.boolean().optional(),
    undeletable: z.boolean().optional(),
    activationDate: Time.nullable().optional(),
    processStartDate: Time.nullable().optional(),
    protectStopDate: Time.nullable().optional(),
    deactivationDate: Time.nullable().optional(),
    destroyDate: Time.nullable().optional(),
    rotationFrequencyDays: z
      .int()
      .min(0)
      .max(36_500)
      .nullable()
      .optional()
      .meta({ description: 'days from one version to the next, for reports; 0 for none' }),
    description: FreeText.nullable().optional(),
    defaultIV: HexIv.nullable().optional(),
    keyId: AlternativeId.nullable().optional(),
    muid: AlternativeId.optional(),
    allVersions: z.boolean().optional(),
  })),
  ...DATE_RULES,
)
export type UpdateLocalKey = z.infer<typeof UpdateLocalKey>

const REVOCATION_REASONS = [
  'Unspecified',
  'KeyCompromise',
  'CACompromise',
  'AffiliationChanged',
  'Superseded',
  'CessationOfOperation',
  'PrivilegeWithdrawn',
] as const
const REACTIVATION_REASONS = [
  'DeactivatedToActive',
  'ActiveProtectStopToActive',
  'DeactivatedToActiveProtectStop',
] as const

/** Body of a revocation. */
export const RevokeLocalKey = strictObject(() => ({
  reason: z.enum(REVOCATION_REASONS),
  message: FreeText.optional(),
  compromiseOccurrenceDate: Time.optional(),
}))
export type RevokeLocalKey = z.infer<typeof RevokeLocalKey>

/** Body of a reactivation. */
export const ReactivateLocalKey = strictObject(() => ({
  reason: z.enum(REACTIVATION_REASONS),
  message: FreeText.optional(),
}))
export type ReactivateLocalKey = z.infer<typeof ReactivateLocalKey>

/**
 * Body of a clone. Ours: without `meta`, the clone gets its source's, except for owner and permissions. A `keyId`
 * belongs to one key, so the clone has none, or a new one by `idSize`.
 */
export const CloneLocalKey = strictObject(() => ({
  newKeyName: Name,
  meta: Meta.optional(),
  idSize: IdSize.optional().meta({ description: 'gives the clone a random keyId of so many bytes, in hex' }),
  includeMaterial: z.boolean().optional(),
}))
export type CloneLocalKey = z.infer<typeof CloneLocalKey>

/** Body that requests one attribute: a field of the record as shown. */
export const ReadAttribute = strictObject(() => ({ attribute: LocalKey.keyof() }))
export type ReadAttribute = z.infer<typeof ReadAttribute>
export const KeyAttribute = object(() => ({
  attribute: z.string(),
  value: z.unknown().meta({ description: 'null when the key does not have it' }),
}))
export type KeyAttribute = z.infer<typeof KeyAttribute>

/** Body of a bulk export: keys, and the fields of an export that apply to each. */
export const BulkExportKeys = withRules(
  strictObject(() => ({
    ids: z
      .array(NameOrId)
      .min(1)
      .max(100)
      .refine((ids) => new Set(ids).size === ids.length, { error: 'must name each key once' })
      .meta({ description: 'ids of versions, or names, aliases or uris of keys' }),
    ...ExportLocalKey.shape,
  })),
  ...rulesOf(ExportLocalKey),
)
export type BulkExportKeys = z.infer<typeof BulkExportKeys>

/** Why one key of a bulk export is not exported, in the form of any refusal. */
const NotExported = object(() => ({
  id: z.string().meta({ description: 'as in the request' }),
  error: z.object({ status: z.int(), code: z.int(), codeDesc: z.string(), detail: z.string() }),
}))
/** In the order of `ids`. */
export const BulkExportedKeys = z.array(z.union([LocalKeyWithMaterial, NotExported]))
export type BulkExportedKeys = z.infer<typeof BulkExportedKeys>

/** Answer of a check value. */
export const KeyCheckValue = object(() => ({
  kcv: z.string().meta({
    description:
      'six hex digits: of a zero block encrypted in ECB mode, or of the MAC of an empty message under an HMAC key; as keyCheckValue',
  }),
}))
export type KeyCheckValue = z.infer<typeof KeyCheckValue>
