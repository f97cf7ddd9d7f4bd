import * as z from 'zod'
import { FreeText, Labelled, Labels, Name, NameOrId, Resource } from '../../http/common-fields.ts'
import { anyOf, anyPatterns, anyTexts, integer, listQuery, oneText } from '../../http/lists/list-query.ts'
import { withRules, type Rule } from '../../http/rules.ts'
import { Meta } from '../keys/model.ts'
import { isAmong } from '../../base/json.ts'
import { extended, strictObject } from '../../base/lazy-fields.ts'

export const DATA_TYPES = ['blob', 'password', 'seed'] as const
export const SECRET_STATES = ['Active', 'Destroyed'] as const

/** One version of a secret. Only an export shows its material. */
export const Secret = extended(Resource, () => ({
  name: z.string(),
  version: z.int().meta({ description: 'counted from 0' }),
  dataType: z.enum(DATA_TYPES),
  state: z.enum(SECRET_STATES),
  neverExported: z.boolean(),
  destroyDate: z.string().optional(),
  description: z.string().optional(),
  labels: Labels,
  meta: Meta.optional(),
}))
export type Secret = z.infer<typeof Secret>

export const SecretWithMaterial = extended(Secret, () => ({ material: z.string() }))
export type SecretWithMaterial = z.infer<typeof SecretWithMaterial>

/** Most bytes of a secret, like those of an imported key. */
const MATERIAL_BYTES = 65_536
const MATERIAL_CHARACTERS = 90_000
const Material = z
  .string()
  .min(1)
  .max(MATERIAL_CHARACTERS)
  .meta({ description: 'base64 of a blob, the text of a password, hex of a seed; at most 65,536 bytes' })

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/
const HEX = /^(?:[0-9a-fA-F]{2})+$/

/** The text format of each kind of material. */
export const SPELLINGS = {
  blob: { encoding: 'base64', isRight: (text: string) => BASE64.test(text), rule: 'must be base64 for a blob' },
  password: { encoding: 'utf8', isRight: (text: string) => text.isWellFormed(), rule: 'must be valid Unicode' },
  seed: { encoding: 'hex', isRight: (text: string) => HEX.test(text), rule: 'must be hex for a seed' },
} as const satisfies Record<(typeof DATA_TYPES)[number], unknown>

/** The rule that a material violates; `undefined` if it is valid for its kind. */
export function faultOf(material: string, dataType: Secret['dataType']): string | undefined {
  const { encoding, isRight, rule } = SPELLINGS[dataType]
  if (!isRight(material)) return rule
  return Buffer.byteLength(material, encoding) > MATERIAL_BYTES
    ? `must have at most ${MATERIAL_BYTES} bytes`
    : undefined
}

const isDataType = (value: unknown): value is Secret['dataType'] => isAmong(DATA_TYPES, value)

const spelledAsItsKind: Rule = {
  message: `material is base64 of a blob, hex of a seed, at most ${MATERIAL_BYTES} bytes`,
  field: 'material',
  broken: ({ material, dataType }) =>
    typeof material === 'string' && isDataType(dataType) && (faultOf(material, dataType) ?? false),
}

export const CreateSecret = withRules(
  strictObject(() => ({
    name: Name,
    dataType: z.enum(DATA_TYPES),
    material: Material,
    description: FreeText.optional(),
    labels: Labelled.optional(),
    meta: Meta.optional(),
  })),
  spelledAsItsKind,
)
export type CreateSecret = z.infer<typeof CreateSecret>

/** Body of a new version: name and kind stay. */
export const CreateSecretVersion = z.strictObject({ material: Material })
export type CreateSecretVersion = z.infer<typeof CreateSecretVersion>

/** Ours: `labels` and `meta` are replaced as a whole; the owner stays unless a Key Admin names another. */
export const UpdateSecret = strictObject(() => ({
  description: FreeText.nullable().optional(),
  labels: Labelled.optional(),
  meta: Meta.nullable().optional(),
}))
export type UpdateSecret = z.infer<typeof UpdateSecret>

export const SecretPath = strictObject(() => ({
  id: NameOrId.meta({ description: 'id of a version, or name of the secret, which means the latest' }),
}))
export const DeleteSecretQuery = strictObject(() => ({
  version: integer(0, 1_000_000_000).optional().meta({ description: 'a former version that goes alone' }),
}))
export type DeleteSecretQuery = z.infer<typeof DeleteSecretQuery>

export const SecretQuery = listQuery(Secret, () => ({
  ...anyPatterns('name'),
  ...anyTexts('id'),
  dataType: anyOf(DATA_TYPES).optional(),
  state: anyOf(SECRET_STATES).optional(),
  labels: oneText().optional(),
}))
export type SecretQuery = z.infer<typeof SecretQuery>
export const SecretVersionQuery = listQuery(Secret, () => ({}))
export type SecretVersionQuery = z.infer<typeof SecretVersionQuery>
