import * as z from 'zod'
import { isObject } from '../../base/json.ts'
import { Name, Resource } from '../../http/common-fields.ts'
import { withRules, type Rule } from '../../http/rules.ts'
import { extended, strictObject } from '../../base/lazy-fields.ts'
import { KEY_RULES } from '../keys/record/algorithm-rules.ts'
import { CreateLocalKey } from '../keys/model.ts'

/**
 * Fields of a new key that a template can set. Ours: excluded are a key's own name, aliases and ids, which are unique,
 * and material with the fields that describe it.
 */
export const TEMPLATE_FIELDS = CreateLocalKey.pick({
  algorithm: true,
  size: true,
  curveid: true,
  xts: true,
  usageMask: true,
  unexportable: true,
  undeletable: true,
  objectType: true,
  emptyMaterial: true,
  state: true,
  activationDate: true,
  processStartDate: true,
  protectStopDate: true,
  deactivationDate: true,
  archiveDate: true,
  destroyDate: true,
  compromiseDate: true,
  compromiseOccurrenceDate: true,
  labels: true,
  meta: true,
  assignSelfAsOwner: true,
  rotationFrequencyDays: true,
  generateKeyId: true,
  idSize: true,
  description: true,
  defaultIV: true,
}).shape

/** Named defaults for new keys. */
export const KeyTemplate = extended(Resource, () => ({ name: z.string(), ...TEMPLATE_FIELDS }))
export type KeyTemplate = z.infer<typeof KeyTemplate>

const withoutOwner: Rule = {
  message: 'meta of a template has no ownerId: a key belongs to its maker',
  field: 'meta/ownerId',
  broken: ({ meta }) => isObject(meta) && meta.ownerId !== undefined,
}

/** Rules of a template: those of a key created from it, and that it has no owner. */
export const TEMPLATE_RULES: readonly Rule[] = [...KEY_RULES, withoutOwner]

export const CreateKeyTemplate = withRules(z.strictObject({ name: Name, ...TEMPLATE_FIELDS }), ...TEMPLATE_RULES)
export type CreateKeyTemplate = z.infer<typeof CreateKeyTemplate>

type Fields = typeof TEMPLATE_FIELDS
type Nullable = { [F in keyof Fields]: z.ZodNullable<Fields[F]> }
const nullable = Object.fromEntries(
  Object.entries(TEMPLATE_FIELDS).map(([name, field]) => [name, field.nullable()]),
) as unknown as Nullable // the same fields

/** `null` removes a field. The changed template must obey the rules of a new one. */
export const UpdateKeyTemplate = strictObject(() => ({ name: Name.optional(), ...nullable }))
export type UpdateKeyTemplate = z.infer<typeof UpdateKeyTemplate>
