import * as z from 'zod'
import { Labelled, Labels, Name, NameOrId, Resource, Time, FreeText } from '../../http/common-fields.ts'
import { flag, integer, oneOf } from '../../http/lists/list-query.ts'
import { LOCAL_ALGORITHMS } from '../../crypto/algorithms.ts'
import { OBJECT_TYPES, objectTypeRow, type ObjectType } from '../../crypto/object-types.ts'
import { USAGE } from '../../crypto/usage.ts'
import { atMostOne, notBefore, requires, withRules, type Rule } from '../../http/rules.ts'
import { isAmong } from '../../base/json.ts'
import { byName } from '../../base/fields.ts'
import { extended, object, strictObject } from '../../base/lazy-fields.ts'
import { AlternativeId, ID_RULES, newIds } from './record/alternative-ids.ts'
import { ENCODINGS, Format, IMPORT_RULES, importWrapping, macSigned, Password } from './material/wrapping-fields.ts'

/** States of a key version. @see NIST SP 800-57 Part 1 §7 */
export const KEY_STATES = [
  'Pre-Active',
  'Active',
  'Deactivated',
  'Compromised',
  'Destroyed',
  'Destroyed Compromised',
] as const
export type KeyState = (typeof KEY_STATES)[number]

/** Uses that `meta.permissions` can grant to groups. */
export const KEY_PERMISSIONS = [
  'ReadKey',
  'UseKey',
  'ExportKey',
  'EncryptWithKey',
  'DecryptWithKey',
  'SignWithKey',
  'SignVerifyWithKey',
  'MACWithKey',
  'MACVerifyWithKey',
] as const
export type KeyPermission = (typeof KEY_PERMISSIONS)[number]

export const USAGE_ALL = 4_194_303
/** The bits of a usage mask by name, for the API description. */
export const USAGE_BITS = Object.entries(USAGE)
  .map(([use, bit]) => `${bit} ${use}`)
  .join(', ')

export const UsageMask = z
  .int()
  .min(0)
  .max(USAGE_ALL)
  .meta({ description: `sum of bits: ${USAGE_BITS}` })

const Alias = object(() => ({ alias: Name, type: z.enum(['string', 'uri']), index: z.int() }))

/** Ours: the limit of free JSON elsewhere, which keeps a record well below the table's 400 KB. */
const META_BYTES = 16_384
export const META_RULE = `must have at most ${META_BYTES} bytes as JSON`
export const metaFits = (meta: object): boolean => Buffer.byteLength(JSON.stringify(meta)) <= META_BYTES

const OwnerId = z.string().max(255)
const Permissions = z.partialRecord(z.enum(KEY_PERMISSIONS), z.array(Name).max(50))
/** Free JSON that can contain the owner of the key and the permissions of groups. */
export const Meta = object(() => ({ ownerId: OwnerId.optional(), permissions: Permissions.optional() }))
  .catchall(z.unknown())
  .refine(metaFits, { error: META_RULE })
export const MetaChange = object(() => ({
  ownerId: OwnerId.nullable().optional(),
  permissions: Permissions.nullable().optional(),
})).catchall(z.unknown())

/** Dates of a key's life cycle. */
export const KEY_DATES = [
  'activationDate',
  'processStartDate',
  'protectStopDate',
  'deactivationDate',
  'archiveDate',
  'destroyDate',
  'compromiseDate',
  'compromiseOccurrenceDate',
] as const

/** Types of links between keys. @see KMIP 2.1, attribute Link */
export const LINK_TYPES = ['privateKey', 'publicKey', 'certificate', 'parent', 'child', 'previous', 'next'] as const

/** One version of a local key as shown. Only an export shows its material. */
export const LocalKey = extended(Resource, () => ({
  name: z.string(),
  version: z.int(),
  algorithm: z.string(),
  size: z.int(),
  curveid: z.string().optional(),
  xts: z.literal(true).optional().meta({ description: 'marks two AES keys of size bits each, for XTS' }),
  format: z.string(),
  usage: z.string(),
  usageMask: z.int(),
  meta: Meta.optional(),
  objectType: z.enum(OBJECT_TYPES),
  state: z.enum(KEY_STATES),
  activationDate: Time.optional(),
  processStartDate: Time.optional(),
  protectStopDate: Time.optional(),
  deactivationDate: Time.optional(),
  archiveDate: Time.optional(),
  destroyDate: Time.optional(),
  compromiseDate: Time.optional(),
  compromiseOccurrenceDate: Time.optional(),
  revocationReason: z.string().optional(),
  revocationMessage: z.string().optional(),
  sha1Fingerprint: z
    .string()
    .optional()
    .meta({ description: 'of a certificate, or of a public key as SubjectPublicKeyInfo' }),
  sha256Fingerprint: z.string().optional(),
  certificate: z
    .object({
      subject: z.string(),
      issuer: z.string(),
      serialNumber: z.string(),
      notBefore: Time,
      notAfter: Time,
    })
    .optional()
    .meta({ description: 'names and dates of a certificate' }),
  keyCheckValue: z.string().optional(),
  defaultIV: z.string().optional(),
  unexportable: z.boolean(),
  undeletable: z.boolean(),
  neverExported: z.boolean(),
  neverExportable: z.boolean(),
  emptyMaterial: z.boolean(),
  aliases: z.array(Alias),
  labels: Labels,
  uuid: z.string(),
  muid: z.string(),
  keyId: z.string().optional(),
  legacy: z.literal(true).optional().meta({
    description:
      'marks a key that may no longer protect data (NIST SP 800-131A): tdes, rsa under 2048 bits, curves under 224',
  }),
  rotationFrequencyDays: z.int().optional(),
  rotationDateReached: z.boolean().optional(),
  description: z.string().optional(),
  links: z
    .array(
      z.object({
        type: z.enum(LINK_TYPES),
        target: z.string(),
        id: z.string().optional().meta({ description: 'of a link that the service created' }),
      }),
    )
    .meta({
      description: 'to the other half of a pair, from a certificate to its keys, and those that the service created',
    }),
}))
export type LocalKey = z.infer<typeof LocalKey>

const exported = { material: z.string().optional(), encoding: z.string().optional(), ...macSigned }
/** A key with its material, in the clear or wrapped: the answer of export and of `includeMaterial`. */
export const LocalKeyWithMaterial = extended(LocalKey, () => ({
  ...exported,
  tweakKey: z.object(exported).optional().meta({ description: 'the second half of an xts key, if not combined' }),
}))
export type LocalKeyWithMaterial = z.infer<typeof LocalKeyWithMaterial>

/** A label in use, and how many keys have it. */
export const KeyLabel = object(() => ({ label: z.string(), count: z.int() }))
export type KeyLabel = z.infer<typeof KeyLabel>

/** The uses of a key or of one of its versions, for which its deletion is refused. */
export const LocalKeyUses = object(() => ({
  isUsed: z.boolean(),
  uses: z.array(
    z.object({
      kind: z.string().meta({ description: 'kind of record, such as `hosted key`' }),
      count: z.int(),
      names: z.array(z.string()).meta({ description: 'of those that you may see, at most five of each kind' }),
      haveCopies: z.boolean().meta({ description: 'whether they contain a copy of the material' }),
    }),
  ),
}))
export type LocalKeyUses = z.infer<typeof LocalKeyUses>

export const LocalKeyPath = strictObject(() => ({
  id: NameOrId.meta({ description: 'id of a version, or name, uri or alias of the key' }),
}))

const selector = {
  type: oneOf(['id', 'name', 'uri', 'alias']).optional(),
  version: integer(-1, 1_000_000_000).optional(),
}
/** The version of a key that a path names; without `version`, or with `-1`, the latest. */
export const LocalKeySelector = z.strictObject(selector)
export type LocalKeySelector = z.infer<typeof LocalKeySelector>

/** The same for calls that end a key or version. */
export const EndLocalKey = strictObject(() => ({
  ...selector,
  force: flag()
    .optional()
    .meta({ description: 'also while something uses the key; an end now takes a key that is deactivated' }),
}))
export type EndLocalKey = z.infer<typeof EndLocalKey>

export const CreateLocalKeyQuery = strictObject(() => ({ includeMaterial: flag().optional() }))

const dates = byName(KEY_DATES, () => Time.optional())

/** The order of dates. */
export const DATE_RULES: readonly Rule[] = [
  notBefore('activationDate', 'processStartDate'),
  notBefore('activationDate', 'deactivationDate'),
  notBefore('protectStopDate', 'deactivationDate'),
  notBefore('activationDate', 'protectStopDate'),
]

const Material = z.string().min(1).max(90_000).meta({
  description:
    'hex of a symmetric key or of opaque bytes, PEM of an asymmetric key or a certificate, base64 of a PFX or of wrapped material, or a JWE',
})
const NewAlias = strictObject(() => ({ alias: Name, type: z.enum(['string', 'uri']).default('string') }))

export const HexIv = z.string().regex(/^([0-9a-fA-F]{2}){8,16}$/, { error: 'must be 8 to 16 bytes in hex' })

const isObjectType = (value: unknown): value is ObjectType => isAmong(OBJECT_TYPES, value)
const isOpaque = (algorithm: unknown): boolean =>
  typeof algorithm === 'string' && algorithm.toLowerCase() === LOCAL_ALGORITHMS.opaque.name

/** Body that creates a key, or imports one if it has material. */
export const CreateLocalKey = withRules(
  strictObject(() => ({
    name: Name.optional(),
    templateId: NameOrId.optional().meta({
      description: 'id or name of the template that has defaults for other fields',
    }),
    algorithm: z.string().min(1).max(32).optional().meta({
      description: 'aes without it; opaque for Secret Data and an Opaque Object; of a certificate that of its key',
    }),
    size: z.int().positive().optional().meta({ description: 'bits; of an xts key those of one half' }),
    curveid: z.string().min(1).max(64).optional(),
    xts: z.boolean().optional().meta({
      description: 'two AES keys of size bits each, whose material is the data key and then the tweak key (IEEE 1619)',
      default: false,
    }),
    usageMask: UsageMask.optional(),
    unexportable: z.boolean().optional().meta({ default: false }),
    undeletable: z.boolean().optional().meta({ default: false }),
    objectType: z.enum(OBJECT_TYPES).optional(),
    material: Material.optional(),
    format: Format.optional(),
    encoding: z.enum(ENCODINGS).optional(),
    password: Password.optional(),
    emptyMaterial: z.boolean().optional(),
    state: z
      .enum(KEY_STATES)
      .optional()
      .meta({ description: 'an import may name any; with a Destroyed one, the material is checked and not stored' }),
    ...dates,
    labels: Labelled.optional(),
    aliases: z.array(NewAlias).max(20).optional(),
    meta: Meta.optional(),
    assignSelfAsOwner: z.boolean().optional(),
    rotationFrequencyDays: z
      .int()
      .min(0)
      .max(36_500)
      .optional()
      .meta({ description: 'days from one version to the next, for reports; 0 for none' }),
    description: FreeText.optional(),
    defaultIV: HexIv.optional(),
    ...newIds,
    ...importWrapping,
  })),
  ...DATE_RULES,
  ...ID_RULES,
  atMostOne('material', 'emptyMaterial'),
  requires('password', 'material'),
  requires('wrapKeyName', 'material'),
  ...IMPORT_RULES,
  requires('encoding', 'material'),
  {
    message: 'the objectTypes Public Key, Certificate, Secret Data and Opaque Object are imported: they need material',
    field: 'objectType',
    broken: ({ objectType, material, emptyMaterial }) =>
      isObjectType(objectType) &&
      !objectTypeRow(objectType).isGenerated &&
      material === undefined &&
      (emptyMaterial !== true || objectTypeRow(objectType).native !== 'opaque'),
  },
  {
    message: 'algorithm opaque is imported: it needs material',
    field: 'material',
    broken: ({ algorithm, objectType, material, emptyMaterial }) =>
      objectType === undefined && isOpaque(algorithm) && material === undefined && emptyMaterial !== true,
  },
  {
    message: `usageMask of an object that is no key is 0, or ${USAGE.export} for export`,
    field: 'usageMask',
    broken: ({ algorithm, objectType, usageMask }) =>
      (isObjectType(objectType) ? !objectTypeRow(objectType).isKey : isOpaque(algorithm)) &&
      typeof usageMask === 'number' &&
      (usageMask & ~USAGE.export) !== 0,
  },
  {
    message: 'a key that is generated begins as Active or Pre-Active',
    field: 'state',
    broken: ({ state, material, emptyMaterial }) =>
      material === undefined &&
      emptyMaterial !== true &&
      typeof state === 'string' &&
      state !== 'Active' &&
      state !== 'Pre-Active',
  },
)
export type CreateLocalKey = z.infer<typeof CreateLocalKey>

/** Body of a new version: name, algorithm and size stay. */
export const CreateKeyVersion = withRules(
  strictObject(() => ({
    material: Material.optional(),
    format: Format.optional(),
    encoding: z.enum(ENCODINGS).optional(),
    password: Password.optional(),
    uuid: AlternativeId.optional(),
    muid: AlternativeId.optional(),
    aliases: z.array(NewAlias).max(20).optional(),
    labels: Labelled.optional(),
    usageMask: UsageMask.optional(),
    offset: z
      .int()
      .min(0)
      .max(3_153_600_000)
      .optional()
      .meta({ description: 'seconds from now to the activation of the new version' }),
    defaultIV: HexIv.optional(),
    ...importWrapping,
  })),
  requires('password', 'material'),
  requires('wrapKeyName', 'material'),
  ...IMPORT_RULES,
)
export type CreateKeyVersion = z.infer<typeof CreateKeyVersion>
