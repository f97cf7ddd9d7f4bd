import { assertRules } from '../../http/parse.ts'
import { withGroupIds } from '../keys/policies/permission-groups.ts'
import { namedRecords } from '../../resource/named-records.ts'
import { TEMPLATE_FIELDS, TEMPLATE_RULES, type KeyTemplate } from './model.ts'
import { keyTemplates } from './store.ts'

/** Fields of the template that say something about keys. */
export const fieldsOf = (template: KeyTemplate): Partial<KeyTemplate> =>
  Object.fromEntries(Object.entries(template).filter(([field]) => Object.hasOwn(TEMPLATE_FIELDS, field)))

export const templates = namedRecords({
  entity: keyTemplates,
  noun: 'key template',
  type: 'templates',
  audited: ['name', 'algorithm', 'size', 'curveid', 'usageMask', 'unexportable', 'undeletable', 'objectType', 'state'],
  check: async (context, item, before) => {
    assertRules(TEMPLATE_RULES, fieldsOf(item))
    const meta = await withGroupIds(context, item.meta, before?.meta)
    return { ...item, ...(meta && { meta }) }
  },
})
