import type { Context } from '../../../http/context.ts'
import { without } from '../../../base/fields.ts'
import { assertRules } from '../../../http/request/parse.ts'
import { policyDefaults } from '../../key-policies/binding.ts'
import type { KeyTemplate } from '../../templates/model.ts'
import { findRecord } from '../../../resource/records.ts'
import { fieldsOf, templates } from '../../templates/templates.ts'
import { KEY_RULES } from '../record/algorithm-rules.ts'
import { newKeyId } from '../record/alternative-ids.ts'
import type { CreateLocalKey } from '../model.ts'
import { withGroupIds } from '../policies/permission-groups.ts'

/** A body with a generated `keyId` and every default, except those that depend on the algorithm's kind. */
export interface KeyWanted extends CreateLocalKey {
  unexportable: boolean
  undeletable: boolean
}

/** The fields of a template that apply to a body. */
const partOf = (template: Partial<KeyTemplate>, { keyId, generateKeyId }: CreateLocalKey): Partial<KeyTemplate> =>
  keyId === undefined && generateKeyId !== false ? template : without(template, 'generateKeyId', 'idSize')

/**
 * A body with its defaults: an absent field comes from its template, then from the key policies, then from the service.
 * Ours: labels and meta are one field each, and so are `keyId`, `generateKeyId` and `idSize` together.
 * @throws Refusal NOT_FOUND for the template, RULE_BROKEN if body and template contradict each other
 */
export async function completed(context: Context, given: CreateLocalKey): Promise<KeyWanted> {
  const { templateId } = given
  const template: Partial<KeyTemplate> =
    templateId === undefined
      ? {}
      : fieldsOf(
          (await findRecord(templates, context, templateId, { pointer: '#/templateId', detail: 'is not there' })).item,
        )
  const { templateId: _, ...whole } = { ...partOf(template, given), ...given }
  const defaults = await policyDefaults(context, whole)
  const body = { ...defaults, ...whole }
  if (templateId !== undefined || Object.keys(defaults).length > 0) assertRules(KEY_RULES, body)
  const meta = await withGroupIds(context, body.meta, template.meta)
  return {
    ...body,
    ...(meta && { meta }),
    ...(body.generateKeyId === true && { keyId: newKeyId(body.idSize) }),
    unexportable: body.unexportable ?? false,
    undeletable: body.undeletable ?? false,
  }
}
